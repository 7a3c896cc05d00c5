/// A subscription: levels in which `+` stands for any one and a last `#` for all that follow.
package struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes a filter that a broker would take.
    package init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= 65_535, !text.utf8.contains(0) else { return nil }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() {
            if level == "#" {
                guard index == levels.count - 1 else { return nil }
            } else if level != "+" {
                guard !level.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) else {
                    return nil
                }
            }
        }
        self.text = text
    }

    init(known text: String) { self.text = text }

    package var description: String { text }

    /// Whether a topic belongs to the subscription (MQTT 5.0, 4.7).
    package func matches(_ topic: String) -> Bool {
        let filter = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let levels = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // Wildcards at the start do not reach the broker's own topics (4.7.2).
        if topic.utf8.first == UInt8(ascii: "$"), let first = filter.first, first.count == 1,
            first.first == UInt8(ascii: "+") || first.first == UInt8(ascii: "#")
        {
            return false
        }
        for (index, level) in filter.enumerated() {
            if level.elementsEqual("#".utf8) { return true }
            guard index < levels.count else { return false }
            guard level.elementsEqual("+".utf8) || level.elementsEqual(levels[index]) else { return false }
            // `a/#` takes in `a` itself.
            if index == levels.count - 1, filter.count == levels.count + 1, filter[index + 1].elementsEqual("#".utf8) {
                return true
            }
        }
        return filter.count == levels.count
    }
}
