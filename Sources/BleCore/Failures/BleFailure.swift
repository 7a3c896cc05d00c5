/// Why a Bluetooth operation did not succeed: what happened, where, and whether the device may have acted.
public struct BleFailure: Error, Equatable, Sendable {
    /// The part of an operation in which it failed.
    public enum Stage: String, Sendable { case adapter, scan, connect, discover, operate }

    /// What happened.
    public enum Kind: Equatable, Sendable {
        /// bluetoothd or the bus is not there, or does not answer.
        case bluetoothUnavailable
        /// The bus refuses this user the call.
        case unauthorized
        /// There is no such adapter, or none at all.
        case adapterMissing
        /// The adapter is switched off.
        case adapterOff
        /// The adapter is blocked by rfkill.
        case adapterBlocked
        /// Nothing was heard of the device within the time.
        case notInRange
        /// The link could not be made.
        case connectFailed
        /// The controller has no room for one more link.
        case noSlot
        /// The link ended while the operation was under way.
        case linkLost
        /// BlueZ forgot the device while the operation was under way.
        case deviceRemoved
        /// The device wants an encrypted or authenticated link.
        case needsPairing
        /// The device could not be paired.
        case pairingFailed
        /// The pairing was refused, here or by the device.
        case pairingRejected
        /// There is a bond here that the device does not know, or does not accept, any more.
        case staleBond
        case noService([BluetoothUUID])
        case noCharacteristic([BluetoothUUID])
        case noDescriptor([BluetoothUUID])
        /// The UUID stands more than once; these are the handles.
        case ambiguousCharacteristic(handles: [UInt16])
        /// The attribute lacks the property, or BlueZ the feature.
        case notSupported
        /// The device refuses the operation (ATT 0x02, 0x03, 0x08).
        case notPermitted
        /// The device answered with an error of the attribute protocol.
        case att(UInt8)
        /// The value is longer than the attribute or the packet takes; the limit in bytes where it is known.
        case valueTooLong(limit: Int?)
        /// Another program holds the characteristic, or the same call is under way.
        case busy
        /// The device answered that it will not.
        case responseRejected
        /// The answer is longer than the command allows.
        case responseTooLong
        /// The time ran out.
        case timedOut
        /// The bus or bluetoothd went away while a call was out.
        case busLost
        /// An error of BlueZ that has no case of its own.
        case bus
    }

    /// Whether the device has carried out what it was told.
    public enum Applied: Equatable, Sendable {
        case no, maybe, yes
        /// The first bytes of a value that was sent in parts.
        case partly(bytes: Int)

        /// What holds when both of two tries were made: the one that says more.
        package func joined(with other: Applied) -> Applied { other.rank > rank ? other : self }

        private var rank: Int {
            switch self {
            case .no: 0
            case .maybe: 1
            case .partly: 2
            case .yes: 3
            }
        }
    }

    public var kind: Kind
    public var stage: Stage
    public var applied: Applied
    /// BlueZ's error, when one was the cause.
    public var dbus: BusError?
    /// One sentence for people.
    ///
    /// Holds no payload.
    public var detail: String

    public init(_ kind: Kind, at stage: Stage, applied: Applied = .no, dbus: BusError? = nil, detail: String = "") {
        self.kind = kind
        self.stage = stage
        self.applied = applied
        self.dbus = dbus
        self.detail = detail
    }

    /// The name and text of an error reply on the bus.
    public struct BusError: Equatable, Sendable {
        public let name: String
        public let message: String

        public init(name: String, message: String) {
            self.name = name
            self.message = message
        }
    }
}

extension BleFailure: CustomStringConvertible {
    public var description: String {
        var text = "\(stage.rawValue): \(kind)"
        if !detail.isEmpty { text += " (\(detail))" }
        if let dbus { text += " [\(dbus.name): \(dbus.message)]" }
        return text
    }
}
