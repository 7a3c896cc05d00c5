/// The key with which one device makes its private addresses, and the address that it is known by.
///
/// Source: Bluetooth Core Specification 5.4, Vol 3, Part H, 2.4.2.1 (IRK) and Vol 6, Part B, 1.3.2.2 (the addresses).
public struct IdentityKey: Sendable, Equatable {
    /// The identity address: the device's one stable name.
    public let address: DeviceAddress
    public let addressType: Advertisement.AddressType
    /// The 16 bytes, the most significant first, as the specification prints them.
    let bytes: [UInt8]

    /// Makes a key; nil unless it has 16 bytes.
    ///
    /// Without a type, an address whose two highest bits are set is taken for a random (static) one.
    public init?(of address: DeviceAddress, type: Advertisement.AddressType? = nil, key: [UInt8]) {
        guard key.count == 16 else { return nil }
        self.address = address
        addressType = type ?? (address.rawValue >> 46 == 0b11 ? .random : .public)
        bytes = key
    }
}

extension IdentityKey: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names the device and hides the key.
    public var description: String { "\(address) ***" }
    public var debugDescription: String { description }
}

extension IdentityKey: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: ["address": address.description]) }
}

extension DeviceAddress {
    /// Whether a random address is a resolvable private one: its two highest bits are 01.
    var isResolvable: Bool { rawValue >> 46 == 0b01 }
}
