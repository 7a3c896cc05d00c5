/// The name of a Bluetooth adapter: `hci0`.
///
/// It is safe as a level of a topic and as an element of a D-Bus object path.
package struct AdapterName: Hashable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes `[A-Za-z0-9_]{1,32}`.
    package init?(_ text: String) {
        guard NamePattern.isAdapter(text) else { return nil }
        self.text = text
    }

    package var description: String { text }
}
