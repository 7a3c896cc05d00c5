/// A service as discovery found it, with its characteristics in the order of their handles.
public struct GattService: Sendable, Equatable {
    public let uuid: BluetoothUUID
    /// The handle of the service's declaration.
    public let handle: UInt16
    public let isPrimary: Bool
    /// The handles of the services that it includes.
    public let includes: [UInt16]
    public var characteristics: [GattCharacteristic]
}

/// A characteristic as discovery found it.
public struct GattCharacteristic: Sendable, Equatable {
    /// What may be done with a characteristic (Bluetooth Core 5.4, Vol 3, Part G, 3.3.1.1 and 3.3.3.1).
    public struct Properties: OptionSet, Sendable, Hashable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        public static let broadcast = Properties(rawValue: 1)
        public static let read = Properties(rawValue: 2)
        public static let writeWithoutResponse = Properties(rawValue: 4)
        public static let write = Properties(rawValue: 8)
        public static let notify = Properties(rawValue: 16)
        public static let indicate = Properties(rawValue: 32)
        public static let authenticatedSignedWrites = Properties(rawValue: 64)
        public static let extendedProperties = Properties(rawValue: 128)
        public static let reliableWrite = Properties(rawValue: 256)
        public static let writableAuxiliaries = Properties(rawValue: 512)
    }

    public let uuid: BluetoothUUID
    /// The handle of the characteristic's declaration.
    public let handle: UInt16
    public let properties: Properties
    public var descriptors: [GattDescriptor]
}

/// A descriptor as discovery found it.
public struct GattDescriptor: Sendable, Equatable {
    public let uuid: BluetoothUUID
    public let handle: UInt16
}

extension GattCharacteristic.Properties {
    /// BlueZ's name of each property.
    ///
    /// Source: BlueZ 5.66, doc/gatt-api.txt, `Flags`.
    static let bluezNames: [(Self, String)] = [
        (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
        (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
        (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
        (.reliableWrite, "reliable-write"), (.writableAuxiliaries, "writable-auxiliaries"),
    ]

    /// The names of the properties that are set, as BlueZ writes them.
    public var names: [String] { Self.bluezNames.filter { contains($0.0) }.map(\.1) }
}
