/// Which response topics of MQTT 5 the agent publishes to.
///
/// A caller may have its own default result topics, and what the allow-list names. Never: a wildcard, a topic of the
/// broker (`$…`), another place in the product's tree (all that agents subscribe to or own as retained lies there), or
/// what `forbidden` names (topics outside the tree that the agent reads or owns).
package struct ResponseTopicRule: Sendable {
    /// The longest response topic, in bytes.
    package static let maxBytes = 1024

    package let tree: TopicTree
    package let allowed: [TopicFilter]
    package let forbidden: [TopicFilter]

    package static let standardAllowed = [TopicFilter(known: "reply/#")]

    package init(
        tree: TopicTree,
        allowed: [TopicFilter] = Self.standardAllowed,
        forbidden: [TopicFilter] = []
    ) {
        self.tree = tree
        self.allowed = allowed
        self.forbidden = forbidden
    }

    /// Whether a result may go to a topic.
    ///
    /// - Parameters:
    ///   - topic: The response topic as it came.
    ///   - client: The caller's name as the result will carry it.
    /// - Returns: Whether it may.
    package func allows(_ topic: String, for client: String) -> Bool {
        guard isPlain(topic) else { return false }
        if tree.contains(topic) { return tree.isResult(topic, of: client) }
        return allowed.contains { $0.matches(topic) } && !forbidden.contains { $0.matches(topic) }
    }

    /// A topic that a broker takes in a publish: no wildcard, and only characters that MQTT 5.0, 1.5.4 recommends.
    private func isPlain(_ topic: String) -> Bool {
        guard !topic.isEmpty, topic.utf8.count <= Self.maxBytes, topic.utf8.first != UInt8(ascii: "$") else {
            return false
        }
        return topic.unicodeScalars.allSatisfy { scalar in
            let isNoncharacter = scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            return !isControl && !isNoncharacter && scalar != "+" && scalar != "#"
        }
    }
}
