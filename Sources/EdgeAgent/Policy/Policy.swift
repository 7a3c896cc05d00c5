/// Who may do what: rules of which the first that meets a command decides; what none meets is denied.
///
/// Without a policy everything on the agent's own command topics is allowed, and `all/cmd` may only read.
package struct Policy: Sendable, Equatable {
    /// The rules, in the order of the configuration.
    package var rules: [PolicyRule]

    /// The most rules of a policy.
    package static let maximumRules = 1024

    package init(rules: [PolicyRule]) { self.rules = rules }

    /// Whether anything that came on `all/cmd` may be allowed; each such command is still decided by the rules.
    package var reachesAll: Bool { rules.contains { $0.effect == .allow && $0.isForAll } }

    /// Decides one question.
    package func decide(_ question: PolicyQuestion) -> PolicyDecision {
        for (index, rule) in rules.enumerated() where rule.meets(question) {
            return PolicyDecision(question: question, reason: .rule(number: index + 1, rule))
        }
        return PolicyDecision(question: question, reason: .noRule(nearMiss(question)))
    }

    /// The first allowing rule that would decide if the command were given in another way.
    private func nearMiss(_ question: PolicyQuestion) -> PolicyDecision.NearMiss? {
        for (index, rule) in rules.enumerated() where rule.effect == .allow {
            let place = PolicyDecision.Place(number: index + 1, line: rule.line)
            if question.isOnAll, !rule.isForAll, rule.meets(question.onOwnTopic) { return .needsAll(place) }
            if rule.isBlindTo(question) { return .needsUUIDs(place) }
        }
        return nil
    }
}
