package import BleCore

/// The keys of devices whose packets are encrypted, as a file lists them.
///
/// A line each: the address and the 32 hexadecimal digits of the key. What follows a `#` is a comment.
package struct BindKeys: Sendable, Equatable {
    /// How many there may be.
    package static let limit = 4096

    private var keys: [DeviceAddress: [UInt8]]

    /// The keys of 16 bytes; others are left out.
    package init(_ keys: [DeviceAddress: [UInt8]] = [:]) { self.keys = keys.filter { $0.value.count == 16 } }

    package subscript(device: DeviceAddress) -> [UInt8]? { keys[device] }

    package var count: Int { keys.count }

    /// The devices that have one.
    package var devices: [DeviceAddress] { keys.keys.sorted() }
}

extension BindKeys: CustomStringConvertible {
    package var description: String { "\(keys.count) keys" }
}
