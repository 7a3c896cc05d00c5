/// What a policy says to a question, and why.
package struct PolicyDecision: Sendable, Equatable {
    /// Where a rule stands.
    package struct Place: Sendable, Equatable, CustomStringConvertible {
        /// From 1, in the order of the configuration.
        package let number: Int
        package let line: PolicyLine

        /// As `rule 2 (line 14)`.
        package var description: String { "rule \(number)" + (line.number.map { " (line \($0))" } ?? "") }
    }

    package enum Reason: Sendable, Equatable {
        case rule(number: Int, PolicyRule)
        /// None meets the command; perhaps one nearly does.
        case noRule(NearMiss?)
    }

    /// What keeps a rule from allowing a command.
    package enum NearMiss: Sendable, Equatable {
        /// The rule is not for `all/cmd`.
        case needsAll(Place)
        /// The rule has services or characteristics, and the command names a handle.
        case needsUUIDs(Place)
    }

    package let question: PolicyQuestion
    package let reason: Reason

    package var isAllowed: Bool {
        if case .rule(_, let rule) = reason { rule.effect == .allow } else { false }
    }

    /// One sentence for the operator, as `rule 2 (line 14) denies write for nodered-1 on door`.
    ///
    /// It tells of rules that are no business of the caller's: not for results.
    package var explanation: String {
        switch reason {
        case .rule(let number, let rule):
            let verb = rule.effect == .allow ? "allows" : "denies"
            return "\(Place(number: number, line: rule.line)) \(verb) \(question.summary)"
        case .noRule(nil): return "no rule allows \(question.summary)"
        case .noRule(.needsAll(let place)?):
            return "no rule allows \(question.summary); \(place) would, with all: true"
        case .noRule(.needsUUIDs(let place)?):
            let remedy = "might, if the command named service and characteristic instead of a handle"
            return "no rule allows \(question.summary); \(place) \(remedy)"
        }
    }
}

extension PolicyQuestion {
    /// As `write for nodered-1 on door`.
    package var summary: String {
        let caller = identity ?? "a caller without a name in the topic"
        let place = device.map(\.name.description) ?? (isOnAll ? "all gateways" : "the gateway")
        return "\(verb.rawValue) for \(caller) on \(place)"
    }
}
