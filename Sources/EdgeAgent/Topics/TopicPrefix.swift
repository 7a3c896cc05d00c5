/// The levels above `v1` in every topic: `edge`, or `site/hall-2`.
package struct TopicPrefix: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    package static let standard = TopicPrefix(known: "edge")

    /// Takes levels of `[A-Za-z0-9_-]+` joined by `/`, at most 64 characters in all.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.allSatisfy({ NamePattern.isCallerName($0) }) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    package var description: String { text }
}
