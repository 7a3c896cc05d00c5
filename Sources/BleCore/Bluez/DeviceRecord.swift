package import DBus

/// What BlueZ tells of one device under one adapter (`org.bluez.Device1`), and when it was heard.
///
/// Asked for several times an operation and with each advertisement, and too large to be copied so often. Only the object
/// tree changes a record, and never one that somebody else holds: who has a record has a state that stays.
package final class DeviceRecord {
    /// What a message has touched.
    package struct Parts: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let connected = Parts(rawValue: 1)
        package static let servicesResolved = Parts(rawValue: 2)
        package static let name = Parts(rawValue: 4)
        /// The device was heard: signal strength or advertised data came in.
        package static let heard = Parts(rawValue: 8)
        package static let bond = Parts(rawValue: 16)
        package static let other = Parts(rawValue: 32)
    }

    package let path: ObjectPath
    package let adapter: AdapterName
    /// The adapter's object.
    let adapterPath: ObjectPath
    /// The address in the object's path: the one on the air when BlueZ first heard the device.
    package let pathAddress: DeviceAddress
    /// The name of the device: the address in the path, or the identity that a key gives to that.
    package var address: DeviceAddress { advertisement.address }
    /// BlueZ's property `Address`, when it is another: BlueZ has learnt the identity by a bond.
    package private(set) var toldAddress: DeviceAddress?
    /// There was no time yet to find out whose private address it is.
    var isUnresolved: Bool
    /// What it sends out.
    ///
    /// `signals` is 0 while BlueZ only remembers the device.
    package private(set) var advertisement: Advertisement
    package private(set) var connected: Bool
    package private(set) var servicesResolved: Bool
    private(set) var paired: Bool
    private(set) var bonded: Bool
    private(set) var trusted: Bool
    private(set) var blocked: Bool
    package var attributes: AttributeTable

    init(path: ObjectPath, adapter: AdapterName, address: DeviceAddress) {
        self.path = path
        self.adapter = adapter
        adapterPath = path.parent
        pathAddress = address
        isUnresolved = false
        advertisement = Advertisement(address: address, adapter: adapter.text, heard: 0)
        connected = false
        servicesResolved = false
        paired = false
        bonded = false
        trusted = false
        blocked = false
        attributes = AttributeTable()
    }

    /// A copy, to be changed.
    init(_ other: DeviceRecord) {
        path = other.path
        adapter = other.adapter
        adapterPath = other.adapterPath
        pathAddress = other.pathAddress
        toldAddress = other.toldAddress
        isUnresolved = other.isUnresolved
        advertisement = other.advertisement
        connected = other.connected
        servicesResolved = other.servicesResolved
        paired = other.paired
        bonded = other.bonded
        trusted = other.trusted
        blocked = other.blocked
        attributes = other.attributes
    }

    /// Gives the device the name that an identity key says.
    func identify(_ key: IdentityKey) {
        advertisement.address = key.address
        advertisement.addressType = key.addressType
        advertisement.via = pathAddress
        isUnresolved = false
    }

    /// Notes a link that is there though no signal has told of it.
    func confirmLink() { connected = true }

    /// Takes up changed properties.
    ///
    /// Not `live` is the object tree as it was found: BlueZ remembers devices that are long gone.
    func apply(_ properties: MessageReader, live: Bool, now: Int64) throws(DBusFailure) -> Parts {
        var properties = properties
        var parts: Parts = []
        while properties.hasNext() {
            var property = try properties.dictionaryEntry()
            let name = try property.key()
            var value = try property.variant()
            parts.formUnion(try apply(name, &value))
        }
        // A device without a signal strength was not heard: BlueZ sets it with each report.
        if !live { parts.remove(.heard) }
        if parts.contains(.heard) {
            if advertisement.signals == 0 { advertisement.firstHeard = now }
            advertisement.lastHeard = now
            advertisement.signals &+= 1
        }
        return parts
    }

    private func apply(_ name: MessageText, _ value: inout MessageReader) throws(DBusFailure) -> Parts {
        switch name {
        case "RSSI":
            advertisement.rssi = Int(try value.int16())
            return .heard
        case "ManufacturerData":
            advertisement.manufacturerData = try Self.manufacturerData(try value.array())
            return .heard
        case "ServiceData":
            advertisement.serviceData = try Self.serviceData(try value.array())
            return .heard
        case "TxPower":
            advertisement.txPower = Int(try value.int16())
            return .heard
        case "UUIDs":
            advertisement.services = try Self.uuids(try value.array())
            return .other
        case "Name":
            let name = try value.string()
            // BlueZ shows the address, with hyphens, for want of a name.
            advertisement.name = DeviceAddress(name) == pathAddress ? nil : name
            return .name
        case "Address":
            toldAddress = DeviceAddress(try value.string()).flatMap { $0 == pathAddress ? nil : $0 }
            return .other
        case "AddressType":
            let type: Advertisement.AddressType = try value.string() == "random" ? .random : .public
            // With a key the type is that of the identity, not that of what is on the air.
            if advertisement.via == nil { advertisement.addressType = type }
            return .other
        case "Connected":
            connected = try value.bool()
            return .connected
        case "ServicesResolved":
            servicesResolved = try value.bool()
            // There are no services without a link, whose own signal may have been left out.
            if servicesResolved { connected = true }
            return .servicesResolved
        case "Paired":
            paired = try value.bool()
            return .bond
        case "Bonded":
            bonded = try value.bool()
            return .bond
        case "Trusted":
            trusted = try value.bool()
            return .other
        case "Blocked":
            blocked = try value.bool()
            return .other
        default: return []
        }
    }

    /// Takes up the names of properties that have no value any more.
    func invalidate(_ names: MessageReader) throws(DBusFailure) -> Parts {
        var names = names
        var parts: Parts = []
        while names.hasNext() {
            switch try names.key() {
            // The signal strength of a scan that has ended: the last one stays, with its time.
            case "RSSI", "TxPower": continue
            case "Name":
                advertisement.name = nil
                parts.insert(.name)
            case "ManufacturerData": advertisement.manufacturerData = [:]
            case "ServiceData": advertisement.serviceData = [:]
            default: continue
            }
        }
        return parts
    }

    private static func manufacturerData(_ entries: MessageReader) throws(DBusFailure) -> [UInt16: [UInt8]] {
        var entries = entries
        var data: [UInt16: [UInt8]] = [:]
        while entries.hasNext() {
            var entry = try entries.dictionaryEntry()
            let company = try entry.uint16()
            var value = try entry.variant()
            data[company] = try value.bytes()
        }
        return data
    }

    private static func serviceData(_ entries: MessageReader) throws(DBusFailure) -> [BluetoothUUID: [UInt8]] {
        var entries = entries
        var data: [BluetoothUUID: [UInt8]] = [:]
        while entries.hasNext() {
            var entry = try entries.dictionaryEntry()
            let uuid = try entry.key().withBytes { BluetoothUUID(ascii: $0) }
            var value = try entry.variant()
            let bytes = try value.bytes()
            if let uuid { data[uuid] = bytes }
        }
        return data
    }

    private static func uuids(_ entries: MessageReader) throws(DBusFailure) -> [BluetoothUUID] {
        var entries = entries
        var uuids: [BluetoothUUID] = []
        while entries.hasNext() {
            if let uuid = try entries.key().withBytes({ BluetoothUUID(ascii: $0) }) { uuids.append(uuid) }
        }
        return uuids
    }
}
