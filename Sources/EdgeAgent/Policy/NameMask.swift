/// A name in which each `*` stands for any characters, also for none.
package struct NameMask: Sendable, Hashable {
    package let text: String

    /// The longest mask in bytes.
    private static let maxBytes = 128

    /// Takes a text that is a name once its `*` are taken away, or that has nothing else.
    package init?(_ text: String, accepts isName: (String) -> Bool) {
        guard (1...Self.maxBytes).contains(text.utf8.count) else { return nil }
        // A mask may begin in the middle of a name, where a name may have what it may not begin with.
        let rest = text.contains("*") ? "a" + text.filter { $0 != "*" } : text
        guard isName(rest) else { return nil }
        self.text = text
    }

    /// Whether it stands for one name alone.
    package var isExact: Bool { !text.utf8.contains(UInt8(ascii: "*")) }

    /// Whether it stands for a name.
    ///
    /// Takes time with the product of both lengths at most: only the last `*` is ever tried again.
    package func matches(_ name: String) -> Bool {
        let (mask, name) = (Array(text.utf8), Array(name.utf8))
        var (place, index) = (0, 0)
        var star: (place: Int, index: Int)?
        while index < name.count {
            if place < mask.count, mask[place] == UInt8(ascii: "*") {
                star = (place, index)
                place += 1
            } else if place < mask.count, mask[place] == name[index] {
                place += 1
                index += 1
            } else if let last = star {
                star = (last.place, last.index + 1)
                (place, index) = (last.place + 1, last.index + 1)
            } else {
                return false
            }
        }
        return mask[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
