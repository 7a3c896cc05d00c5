/// A valid D-Bus object path: `/` or elements of `[A-Za-z0-9_]` each behind a slash.
///
/// Source: D-Bus Specification, "Valid Object Paths".
package struct ObjectPath: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let text: String
    /// Of the text: a path is looked up more often than it is made.
    private let hash: Int

    /// Checks a text.
    ///
    /// - Returns: `nil` when it is not a valid path or longer than 4096 bytes.
    package init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.init(checked: text)
    }

    /// A path that libdbus has checked already.
    init(checked text: String) {
        self.text = text
        hash = text.hashValue
    }

    package static let root = ObjectPath(checked: "/")

    package var description: String { text }

    package static func == (left: Self, right: Self) -> Bool { left.hash == right.hash && left.text == right.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    package static func < (left: Self, right: Self) -> Bool { left.text < right.text }

    /// Whether this path is the other, or lies below it.
    package func isWithin(_ other: ObjectPath) -> Bool {
        guard text.utf8.starts(with: other.text.utf8) else { return false }
        if text.utf8.count == other.text.utf8.count || other.text == "/" { return true }
        return text.utf8[text.utf8.index(text.utf8.startIndex, offsetBy: other.text.utf8.count)] == 0x2F
    }

    /// The path without its last element; the root for the root.
    package var parent: ObjectPath {
        guard let slash = text.utf8.lastIndex(of: 0x2F), slash != text.startIndex else { return .root }
        return ObjectPath(checked: String(text[..<slash]))
    }

    /// The last element; empty for the root.
    package var lastElement: Substring {
        guard let slash = text.utf8.lastIndex(of: 0x2F) else { return "" }
        return text[text.utf8.index(after: slash)...]
    }

    private static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= 4096, text.utf8.first == 0x2F else { return false }
        if text.utf8.count == 1 { return true }
        var previous: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case 0x2F where previous == 0x2F: return false
            case 0x2F, 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: previous = byte
            default: return false
            }
        }
        return previous != 0x2F
    }
}
