/// The name of a lasting scan: `hall`.
package struct SessionName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes `[a-z0-9][a-z0-9_-]{0,63}`.
    package init?(_ text: String) {
        guard NamePattern.isItemName(text) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// A name that nobody has chosen: `scan-` and eight hex digits.
    package static func make() -> SessionName { SessionName(known: "scan-\(BootID.make().prefix(8))") }

    package var description: String { text }
}
