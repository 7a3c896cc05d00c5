/// One thing that happened, before it becomes a line.
package struct LogEvent: Sendable {
    package let level: LogLevel
    /// Who speaks.
    package let label: String
    /// A fixed sentence.
    package let message: String
    /// Named values in the order they were given; unescaped and unbounded as yet.
    package let metadata: KeyValuePairs<LogKey, String>

    /// Makes an event.
    package init(level: LogLevel, label: String, message: String, metadata: KeyValuePairs<LogKey, String> = [:]) {
        self.level = level
        self.label = label
        self.message = message
        self.metadata = metadata
    }
}

/// Where events go; called from any thread, never fails, never blocks for long.
package protocol LogSink: Sendable {
    /// Takes one event.
    func write(_ event: LogEvent)
}
