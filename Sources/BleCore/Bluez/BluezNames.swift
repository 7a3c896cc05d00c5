package import DBus

/// Names of BlueZ's D-Bus interface.
///
/// Source: BlueZ 5.66, doc/*-api.txt.
enum BluezNames {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
    static let agentManager = "org.bluez.AgentManager1"
    static let agent = "org.bluez.Agent1"
    /// The daemon's own object.
    static let root = ObjectPath("/org/bluez") ?? .root
    /// Where our agent is, on our own connection.
    static let agentPath = ObjectPath("/pairing") ?? .root
    static let monitorManager = "org.bluez.AdvertisementMonitorManager1"
    static let monitor = "org.bluez.AdvertisementMonitor1"

    /// Where our advertisement monitors of an adapter are, on our own connection.
    static func monitors(of adapter: AdapterName) -> ObjectPath { ObjectPath("/monitors/\(adapter)") ?? .root }
}

/// The name of an adapter as the kernel gives it: `hci0`.
public struct AdapterName: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let text: String

    /// Reads `hci` and a number of up to five digits.
    public init?(_ text: some StringProtocol) {
        guard text.hasPrefix("hci"), (4...8).contains(text.utf8.count) else { return nil }
        guard text.utf8.dropFirst(3).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.text = String(text)
    }

    public var description: String { text }

    public static func < (left: Self, right: Self) -> Bool {
        (left.text.utf8.count, left.text) < (right.text.utf8.count, right.text)
    }
}

/// Where an object path of BlueZ points to.
///
/// Source: BlueZ 5.66, the paths that `device.c` and `gatt-client.c` make:
/// `/org/bluez/hci0/dev_AA_BB_CC_DD_EE_FF/service000a/char000b/desc000d`.
package struct BluezPath: Equatable {
    /// An attribute below a device.
    package enum Node: Equatable {
        case service(UInt16), characteristic(UInt16), descriptor(UInt16)

        /// The handle in the object path: that of the declaration.
        package var handle: UInt16 {
            switch self {
            case .service(let handle), .characteristic(let handle), .descriptor(let handle): handle
            }
        }
    }

    package let adapter: AdapterName
    package var device: DeviceAddress?
    /// The path's own node below the device.
    package var node: Node?

    /// Takes a path apart; nil when it is none of BlueZ's adapters, devices or attributes.
    package init?(_ path: ObjectPath) {
        let parts = path.text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard (3...7).contains(parts.count), parts[0] == "org", parts[1] == "bluez" else { return nil }
        guard let adapter = AdapterName(parts[2]) else { return nil }
        self.adapter = adapter
        guard parts.count > 3 else { return }
        guard parts[3].hasPrefix("dev_"), let address = DeviceAddress(parts[3].dropFirst(4)) else { return nil }
        device = address
        guard parts.count > 4 else { return }
        let kinds: [(prefix: String, make: (UInt16) -> Node)] = [
            ("service", Node.service), ("char", Node.characteristic), ("desc", Node.descriptor),
        ]
        for (part, kind) in zip(parts.dropFirst(4), kinds) {
            guard part.hasPrefix(kind.prefix), part.utf8.count == kind.prefix.utf8.count + 4 else { return nil }
            guard let handle = UInt16(part.dropFirst(kind.prefix.count), radix: 16) else { return nil }
            node = kind.make(handle)
        }
    }

    /// The object of an adapter.
    package static func adapter(_ name: AdapterName) -> ObjectPath? { ObjectPath("/org/bluez/\(name)") }

    /// The object of the device that an attribute belongs to, whether it is still there or not.
    static func device(of attribute: ObjectPath) -> ObjectPath? {
        guard let path = BluezPath(attribute), let address = path.device else { return nil }
        return device(address, under: path.adapter)
    }

    /// The object of a device under an adapter.
    package static func device(_ address: DeviceAddress, under adapter: AdapterName) -> ObjectPath? {
        ObjectPath("/org/bluez/\(adapter)/dev_" + address.text(digits: upperHexDigits, separator: 0x5F))
    }
}
