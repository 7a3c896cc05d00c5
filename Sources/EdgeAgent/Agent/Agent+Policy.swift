extension Agent {
    /// Whether the policy allows a command; if not, this one is refused.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - isRemembered: Whether the refusal is the answer of the command with this id: one that is new is none yet.
    /// - Returns: Whether it may be carried out.
    func isAllowed(_ command: Command, isRemembered: Bool = true) -> Bool {
        guard let policy = configuration.policy else { return true }
        for question in PolicyQuestion.questions(of: command) {
            let decision = policy.decide(question)
            guard !decision.isAllowed else { continue }
            // What the rules say of others is no business of the caller's.
            let detail = "the policy does not allow \(question.verb.rawValue) here for this caller"
            var refusal = command.refusal(.denied, detail: detail)
            refusal.subject?.reason = decision.explanation
            refuse(refusal, isRemembered: isRemembered)
            return false
        }
        return true
    }
}
