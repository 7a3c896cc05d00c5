import Testing

@Suite struct TaskQueuePlaceholder {}
