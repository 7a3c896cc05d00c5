/// Bytes that no log, description or mirror shows.
package struct MQTTSecret: Sendable, Equatable {
    let bytes: [UInt8]

    /// Wraps a password as it goes on the wire.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
}

extension MQTTSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
