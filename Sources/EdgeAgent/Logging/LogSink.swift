/// One thing that happened, before it becomes a line.
package struct LogEvent: Sendable {
    package let level: LogLevel
    /// Who speaks.
    package let label: String
    /// A fixed sentence.
    package let message: String
    /// Named values in the order they were given; unescaped and unbounded as yet.
    package let metadata: [Field]

    /// A value with its name.
    package typealias Field = (key: LogKey, value: String)

    /// Makes an event.
    package init(level: LogLevel, label: String, message: String, metadata: KeyValuePairs<LogKey, String> = [:]) {
        self.init(level: level, label: label, message: message, fields: Array(metadata))
    }

    /// Makes an event of values that are gathered first.
    package init(level: LogLevel, label: String, message: String, fields: [Field]) {
        self.level = level
        self.label = label
        self.message = message
        metadata = fields
    }
}

/// Where events go; called from any thread, never fails, never blocks for long.
package protocol LogSink: Sendable {
    /// Takes one event.
    func write(_ event: LogEvent)
}
