package import DBus

/// What BlueZ has on the bus, kept from its signals: adapters, devices and their attributes.
///
/// A value without side effects: each message changes it and yields what has changed.
package struct ObjectTree {
    /// What a message has changed.
    package enum Change {
        case adapterAdded(ObjectPath)
        case adapterChanged(ObjectPath)
        case adapterRemoved(AdapterRecord)
        case deviceAdded(ObjectPath)
        case deviceChanged(DeviceRecord, DeviceRecord.Parts)
        case deviceRemoved(DeviceRecord)
        /// Attributes came or went.
        case attributesChanged(device: ObjectPath)
        /// A characteristic's `Value` or `Notifying`.
        case characteristic(ObjectPath, value: [UInt8]?, notifying: Bool?)
    }

    package private(set) var adapters: [ObjectPath: AdapterRecord] = [:]
    package private(set) var devices: [ObjectPath: DeviceRecord] = [:]
    /// The objects of each device: one an adapter, and of a private address that has changed one each for a while.
    package private(set) var paths: [DeviceAddress: [ObjectPath]] = [:]
    /// Names of devices by other addresses that they have.
    private var otherNames: [DeviceAddress: DeviceAddress] = [:]
    private let resolver: AddressResolver?

    package init(_ resolver: AddressResolver? = nil) { self.resolver = resolver }

    /// The name of the device that has an address: itself, or the one under which the device is kept.
    package func name(of address: DeviceAddress) -> DeviceAddress {
        paths[address] == nil ? otherNames[address] ?? address : address
    }

    /// Takes over the answer of `GetManagedObjects`, which replaces everything.
    ///
    /// - Throws: `DBusFailure.unexpectedType` when it is no such answer.
    package mutating func load(_ reply: DBusMessage, now: Int64) throws(DBusFailure) -> [Change] {
        var tree = ObjectTree(resolver)
        var changes: [Change] = []
        var reader = reply.reader()
        var objects = try reader.array()
        while objects.hasNext() {
            var object = try objects.dictionaryEntry()
            let path = try object.path()
            try tree.added(path, try object.array(), live: false, now: now, into: &changes)
        }
        self = tree
        return changes
    }

    /// Applies `InterfacesAdded`.
    package mutating func interfacesAdded(_ signal: DBusMessage, now: Int64) throws(DBusFailure) -> [Change] {
        var changes: [Change] = []
        var reader = signal.reader()
        let path = try reader.path()
        do throws(DBusFailure) {
            try added(path, try reader.array(), live: true, now: now, into: &changes)
        } catch {
            // What came before the part that cannot be read has been taken up, and has to be told.
            if changes.isEmpty { throw error }
        }
        return changes
    }

    /// Applies `InterfacesRemoved`.
    package mutating func interfacesRemoved(_ signal: DBusMessage) throws(DBusFailure) -> [Change] {
        var reader = signal.reader()
        let path = try reader.path()
        var names = try reader.array()
        var changes: [Change] = []
        while names.hasNext() {
            switch try names.key() {
            case "org.bluez.Adapter1":
                if let adapter = adapters.removeValue(forKey: path) { changes.append(.adapterRemoved(adapter)) }
            case "org.bluez.Device1":
                guard let device = devices.removeValue(forKey: path) else { continue }
                forget(path, of: device)
                changes.append(.deviceRemoved(device))
            case "org.bluez.GattService1", "org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1":
                guard let device = devicePath(of: path) else { continue }
                if changeable(device)?.attributes.remove(path) == true {
                    changes.append(.attributesChanged(device: device))
                }
            default: continue
            }
        }
        return changes
    }

    /// Applies `PropertiesChanged`.
    package mutating func propertiesChanged(_ signal: DBusMessage, now: Int64) throws(DBusFailure) -> Change? {
        guard let path = signal.path else { return nil }
        var reader = signal.reader()
        let interface = try reader.key()
        switch interface {
        case "org.bluez.Device1":
            // On a copy: a signal that cannot be read to its end changes nothing.
            guard let place = devices.index(forKey: path) else { return nil }
            let device = DeviceRecord(devices.values[place])
            let told = device.toldAddress
            var parts = try device.apply(try reader.array(), live: true, now: now)
            parts.formUnion(try device.invalidate(try reader.array()))
            let isLate = device.isUnresolved && parts.contains(.heard)
            if isLate { resolve(device, now: now) }
            let isRenamed = isLate || told != device.toldAddress
            devices.values[place] = device
            if isRenamed { remember(device) }
            return parts.isEmpty ? nil : .deviceChanged(device, parts)
        case "org.bluez.GattCharacteristic1":
            var properties = try reader.array()
            var value: [UInt8]?
            var notifying: Bool?
            var mtu: UInt16?
            while properties.hasNext() {
                var property = try properties.dictionaryEntry()
                let name = try property.key()
                var content = try property.variant()
                switch name {
                case "Value": value = try content.bytes()
                case "Notifying": notifying = try content.bool()
                case "MTU": mtu = try content.uint16()
                default: break
                }
            }
            if let mtu, let device = devicePath(of: path) { changeable(device)?.attributes.setMTU(mtu, of: path) }
            return .characteristic(path, value: value, notifying: notifying)
        case "org.bluez.Adapter1":
            guard let adapter = adapters[path].map(AdapterRecord.init) else { return nil }
            try adapter.apply(try reader.array())
            adapters[path] = adapter
            return .adapterChanged(path)
        default: return nil
        }
    }

    /// Notes a link that BlueZ has confirmed in its answer to `Connect`.
    ///
    /// Now and then bluetoothd makes a link without the signal: when it hears of the channel before the kernel's event.
    mutating func confirmLink(_ path: ObjectPath) { changeable(path)?.confirmLink() }

    private mutating func added(
        _ path: ObjectPath,
        _ interfaces: MessageReader,
        live: Bool,
        now: Int64,
        into changes: inout [Change]
    ) throws(DBusFailure) {
        var interfaces = interfaces
        while interfaces.hasNext() {
            var interface = try interfaces.dictionaryEntry()
            let name = try interface.key()
            let properties = try interface.array()
            switch name {
            case "org.bluez.Adapter1":
                guard let name = BluezPath(path), name.device == nil else { continue }
                let adapter = AdapterRecord(path: path, name: name.adapter)
                try adapter.apply(properties)
                adapters[path] = adapter
                changes.append(.adapterAdded(path))
            case "org.bluez.AdvertisementMonitorManager1":
                guard let adapter = adapters[path].map(AdapterRecord.init) else { continue }
                adapter.hasMonitor = true
                adapters[path] = adapter
            case "org.bluez.Device1":
                guard let place = BluezPath(path), let address = place.device, place.node == nil else { continue }
                let device = DeviceRecord(path: path, adapter: place.adapter, address: address)
                _ = try device.apply(properties, live: live, now: now)
                resolve(device, now: now)
                devices[path] = device
                remember(device)
                changes.append(.deviceAdded(path))
            case "org.bluez.GattService1", "org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1":
                guard let device = devicePath(of: path), let node = BluezPath(path)?.node else { continue }
                if try changeable(device)?.attributes.add(path, node, properties) == true {
                    changes.append(.attributesChanged(device: device))
                }
            default: continue
            }
        }
    }

    /// A device's record, to be changed at once: a copy of it while somebody else holds it.
    private mutating func changeable(_ path: ObjectPath) -> DeviceRecord? {
        guard let place = devices.index(forKey: path) else { return nil }
        if !isKnownUniquelyReferenced(&devices.values[place]) {
            devices.values[place] = DeviceRecord(devices.values[place])
        }
        return devices.values[place]
    }

    /// Finds the name of a device whose address is a private one.
    private mutating func resolve(_ device: DeviceRecord, now: Int64) {
        switch resolver?.resolve(device.pathAddress, now: now) {
        case .identity(let key):
            if device.isUnresolved { forget(device.path, of: device) }
            device.identify(key)
        case .later: device.isUnresolved = true
        case .none?, nil: device.isUnresolved = false
        }
    }

    /// Notes the names under which a device is to be found.
    private mutating func remember(_ device: DeviceRecord) {
        if paths[device.address]?.contains(device.path) != true {
            paths[device.address, default: []].append(device.path)
        }
        for other in [device.pathAddress, device.toldAddress].compactMap(\.self) where other != device.address {
            otherNames[other] = device.address
        }
    }

    private mutating func forget(_ path: ObjectPath, of device: DeviceRecord) {
        paths[device.address]?.removeAll { $0 == path }
        if paths[device.address]?.isEmpty == true { paths[device.address] = nil }
        let left = (paths[device.address] ?? []).compactMap { devices[$0] }
        for other in [device.pathAddress, device.toldAddress].compactMap(\.self) {
            if !left.contains(where: { $0.pathAddress == other || $0.toldAddress == other }) { otherNames[other] = nil }
        }
    }

    /// The device that an attribute's path lies below.
    func devicePath(of path: ObjectPath) -> ObjectPath? {
        var path = path
        for _ in 0..<4 {
            if devices[path] != nil { return path }
            path = path.parent
        }
        return nil
    }
}
