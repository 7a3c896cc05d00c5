/// The id of one command: what stands in topics and is compared, and what a body echoes.
package struct CommandID: Sendable, Hashable {
    /// What the body of an answer says under `id`.
    package enum Echo: Sendable, Hashable {
        case text(String)
        case number(Int64)
        case null
    }

    /// Fits `[A-Za-z0-9_-]{1,64}`; the number 7 and the text `7` have the same.
    package let text: String
    /// As the caller gave it.
    package let echo: Echo

    /// An id that fits the pattern.
    package init?(_ text: String) {
        guard NamePattern.isCallerName(text) else { return nil }
        self.text = text
        echo = .text(text)
    }

    package init(_ number: Int64) {
        text = String(number)
        echo = .number(number)
    }

    /// An id of the agent's making, that stands for one that cannot be used.
    init(made text: String, echo: Echo) {
        self.text = text
        self.echo = echo
    }
}
