/// How much an event matters, with the numbers that journald and syslog use.
package enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
    /// A person must act.
    case error = 3
    /// The agent goes on with less than it should have.
    case warning = 4
    /// Rare and worth seeing: start, stop, a change that an operator made.
    case notice = 5
    /// A state has changed; at most one line a command.
    case info = 6
    /// What goes over the wires, payload bytes included.
    case debug = 7

    /// The level's name as the configuration and the log write it.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The level of that name; nil when there is none.
    package init?(name: some StringProtocol) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Orders by verbosity: an error is less than a debug event.
    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
