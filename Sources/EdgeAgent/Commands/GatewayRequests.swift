/// Changes how much is logged.
package struct LogLevelRequest: Sendable, Equatable {
    /// The times for which the level may hold, in milliseconds.
    package static let spans = 1000...86_400_000

    package var level: LogLevel
    /// How long it holds; nil: until the agent ends, or its configuration says another.
    package var span: Duration?

    package init(level: LogLevel, span: Duration? = nil) {
        self.level = level
        self.span = span
    }
}

/// Asks for the configuration that runs.
package struct ConfigGetRequest: Sendable, Equatable {
    /// The only first level that is wanted; nil: all.
    package var section: String?

    package init(section: String? = nil) { self.section = section }
}
