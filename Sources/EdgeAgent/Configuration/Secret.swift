/// Bytes that no log, error text, dump or mirror shows.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    /// Wraps the bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Hands out the bytes, for the one call that needs them.
    package func reveal() -> [UInt8] { bytes }

    /// Always `***`.
    package var description: String { "***" }

    /// Always `***`.
    package var debugDescription: String { "***" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
