enum TaskQueuePlaceholder {}
