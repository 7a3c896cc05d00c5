/// Whether Bluetooth can be used, and if not, why.
public enum BluetoothState: String, Sendable, CaseIterable {
    /// An adapter is there and on.
    case ready
    /// The adapter is off.
    case off
    /// rfkill holds the adapter.
    case blocked
    /// bluetoothd runs, but there is no such adapter.
    case noAdapter = "no-adapter"
    /// bluetoothd, or the bus, is not there.
    case absent
    /// bluetoothd is there, but leaves calls without an answer.
    case notResponding = "not-responding"
    /// The bus refuses this user.
    case denied
}

/// What is known of an adapter.
public struct AdapterInfo: Sendable, Equatable {
    /// The name that it keeps when it is plugged in elsewhere.
    public let id: AdapterID
    public let name: AdapterName
    public let address: DeviceAddress?
    public let powered: Bool
    public let discovering: Bool
    /// How many devices have a link through it.
    public let links: Int
}

/// What is known of a device.
public struct DeviceInfo: Sendable, Equatable {
    /// What was heard of it; `signals` is 0 when BlueZ only remembers it.
    public let advertisement: Advertisement
    public let link: LinkState
    public let paired: Bool
    public let bonded: Bool
    public let trusted: Bool
    public let blocked: Bool
}

/// Something that happened, in the order in which it did.
public enum BluetoothEvent: Sendable {
    case state(BluetoothState)
    case adapter(AdapterInfo)
    case adapterRemoved(AdapterName)
    /// A link's state changed.
    case link(DeviceAddress, LinkState)
    case name(DeviceAddress, String?)
    /// The device's services changed after they had been known.
    case services(DeviceAddress)
    case bond(DeviceAddress, paired: Bool)
    /// A subscription ended without being asked to, or stands again.
    case subscription(DeviceAddress, CharacteristicID, restored: Bool)
    /// BlueZ forgot the device.
    case removed(DeviceAddress)
    /// Something is done so that Bluetooth works again.
    case recovery(Recovery)
}

extension BluetoothEvent {
    /// The device that the event is about; nil for one of an adapter or of Bluetooth as a whole.
    public var address: DeviceAddress? {
        switch self {
        case .state, .adapter, .adapterRemoved: nil
        case .recovery(let recovery): recovery.device
        case .link(let address, _), .name(let address, _), .services(let address), .bond(let address, _),
            .subscription(let address, _, _), .removed(let address):
            address
        }
    }
}

/// Names one characteristic of a device.
public struct CharacteristicID: Sendable, Hashable {
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID
    /// The handle of the declaration.
    public let handle: UInt16
    /// Whether the UUID pair stands more than once, so that only the handle names it.
    public let isAmbiguous: Bool

    /// Names a characteristic by all that is known of it.
    package init(service: BluetoothUUID, characteristic: BluetoothUUID, handle: UInt16, isAmbiguous: Bool) {
        self.service = service
        self.characteristic = characteristic
        self.handle = handle
        self.isAmbiguous = isAmbiguous
    }
}

/// A value that a device sent by itself.
public struct GattNotification: Sendable {
    public let source: CharacteristicID
    public let value: [UInt8]
    /// Whether the device waits for it to be acknowledged; BlueZ does that.
    public let isIndication: Bool
}
