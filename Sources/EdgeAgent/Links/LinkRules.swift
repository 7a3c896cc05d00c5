/// What becomes of a device's link when no job needs it.
package struct LinkRules: Sendable, Equatable {
    /// Who asks for the link.
    package enum Policy: String, Sendable, CaseIterable {
        /// A job or a subscription; without either it is dropped after a while.
        case onDemand
        /// The agent itself: the link is always to be there.
        case keep
        /// Nobody: the agent makes no link to the device.
        case never
    }

    package var policy = Policy.onDemand
    /// How long a link stays that nobody needs.
    package var idle = Duration.milliseconds(10_000)
    /// How often making the link again is tried in a row; nil: without an end.
    package var maxAttempts: Int?
    /// The weakest signal at which making the link again is tried, dBm.
    package var rssiMin: Int?

    package init() {}
}

/// The part of a device's rules that somebody has set: its configuration, or a command.
package struct LinkSettings: Sendable, Equatable {
    package var policy: LinkRules.Policy?
    package var idle: Duration?
    package var maxAttempts: Int?
    package var rssiMin: Int?

    package init(
        policy: LinkRules.Policy? = nil,
        idle: Duration? = nil,
        maxAttempts: Int? = nil,
        rssiMin: Int? = nil
    ) {
        self.policy = policy
        self.idle = idle
        self.maxAttempts = maxAttempts
        self.rssiMin = rssiMin
    }

    package var isEmpty: Bool { self == LinkSettings() }

    /// The bounds of ``idle`` in milliseconds, of ``maxAttempts`` and of ``rssiMin`` in dBm.
    package static let idleMs = 0...86_400_000
    package static let attempts = 1...1_000_000
    package static let rssi = -127...20
}

extension LinkRules {
    /// The same rules, with what is set taken over.
    package func with(_ settings: LinkSettings?) -> LinkRules {
        guard let settings else { return self }
        var rules = self
        if let policy = settings.policy { rules.policy = policy }
        if let idle = settings.idle { rules.idle = idle }
        if let maxAttempts = settings.maxAttempts { rules.maxAttempts = maxAttempts }
        if let rssiMin = settings.rssiMin { rules.rssiMin = rssiMin }
        return rules
    }
}
