extension Agent {
    /// Whether the policy allows a command; if not, this one is refused.
    func isAllowed(_ command: Command) -> Bool {
        guard let policy = configuration.policy else { return true }
        for question in PolicyQuestion.questions(of: command) {
            let decision = policy.decide(question)
            guard !decision.isAllowed else { continue }
            // What the rules say of others is no business of the caller's.
            let detail = "the policy does not allow \(question.verb.rawValue) here for this caller"
            var refusal = command.refusal(.denied, detail: detail)
            refusal.subject?.reason = decision.explanation
            refuse(refusal)
            return false
        }
        return true
    }
}
