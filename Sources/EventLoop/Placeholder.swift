enum EventLoopPlaceholder {}
