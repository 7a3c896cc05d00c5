/// How a command of `edge-agent ctl` ended, and the exit code that tells it.
package enum ControlOutcome: Int32, CaseIterable, Sendable {
    case ok = 0
    case failed = 1
    case rejected = 2
    case timeout = 3
    case unknown = 4
    case partial = 5
    case cancelled = 6
    case usage = 64
    case noInput = 66
    case broker = 69
    case interrupted = 130

    /// One line for help and documentation, without a full stop.
    package var meaning: String {
        switch self {
        case .ok: "Done"
        case .failed: "The gateway or the device could not do it"
        case .rejected: "Refused before it began; nothing was done"
        case .timeout: "It was not done in time, or expired while it waited"
        case .unknown: "Nobody can say whether it was done, or no answer came; repeat it with its --id"
        case .partial: "Some parts were done"
        case .cancelled: "Cancelled"
        case .usage: "Wrong command line or option"
        case .noInput: "A file cannot be read"
        case .broker: "No way to the broker, or no such gateway online"
        case .interrupted: "Ended by Ctrl-C before the answer"
        }
    }

    /// The outcome that the status of a result stands for; a status of a later version counts as not known.
    package init(status: String) {
        switch status {
        case "ok": self = .ok
        case "failed": self = .failed
        case "rejected": self = .rejected
        case "timeout", "expired": self = .timeout
        case "partial": self = .partial
        case "cancelled": self = .cancelled
        default: self = .unknown
        }
    }
}

/// Why a command of `edge-agent ctl` ends without a result.
package struct ControlFailure: Error, Equatable {
    package let outcome: ControlOutcome
    /// One line a problem, without the program's name.
    package let problems: [String]

    package init(_ outcome: ControlOutcome, _ problem: String) {
        self.init(outcome, [problem])
    }

    package init(_ outcome: ControlOutcome, _ problems: [String]) {
        self.outcome = outcome
        self.problems = problems
    }
}
