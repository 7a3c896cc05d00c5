package import DBus

/// The attributes of one device that are on the bus, by object path.
package struct AttributeTable {
    /// A characteristic's place and properties.
    package struct Characteristic {
        package let path: ObjectPath
        package let service: ObjectPath
        package let uuid: BluetoothUUID
        package let handle: UInt16
        package let properties: GattCharacteristic.Properties
        /// What the link takes in one packet, as BlueZ told last; nil before it did.
        package var mtu: Int?
    }

    /// A service's place and properties.
    package struct Service {
        package let path: ObjectPath
        package let uuid: BluetoothUUID
        package let handle: UInt16
        package let isPrimary: Bool
        package var includes: [ObjectPath]
    }

    /// A descriptor's place.
    package struct Descriptor {
        package let path: ObjectPath
        package let characteristic: ObjectPath
        package let uuid: BluetoothUUID
        package let handle: UInt16
    }

    package private(set) var services: [ObjectPath: Service] = [:]
    package private(set) var characteristics: [ObjectPath: Characteristic] = [:]
    package private(set) var descriptors: [ObjectPath: Descriptor] = [:]

    package init() {}

    package var isEmpty: Bool { services.isEmpty }

    /// The MTU of the link: the same for all characteristics.
    ///
    /// Nil when no characteristic tells it.
    package var mtu: Int? { characteristics.values.lazy.compactMap(\.mtu).first }

    /// Takes up an attribute; false when its properties make none.
    mutating func add(_ path: ObjectPath, _ node: BluezPath.Node, _ reader: MessageReader) throws(DBusFailure) -> Bool {
        let found = try AttributeProperties(reader)
        guard let uuid = found.uuid else { return false }
        switch node {
        case .service(let handle):
            services[path] = Service(
                path: path,
                uuid: uuid,
                handle: handle,
                isPrimary: found.primary,
                includes: found.includes
            )
        case .characteristic(let handle):
            characteristics[path] = Characteristic(
                path: path,
                service: path.parent,
                uuid: uuid,
                handle: handle,
                properties: found.flags,
                mtu: found.mtu
            )
        case .descriptor(let handle):
            descriptors[path] = Descriptor(path: path, characteristic: path.parent, uuid: uuid, handle: handle)
        }
        return true
    }

    mutating func remove(_ path: ObjectPath) -> Bool {
        services.removeValue(forKey: path) != nil || characteristics.removeValue(forKey: path) != nil
            || descriptors.removeValue(forKey: path) != nil
    }

    mutating func setMTU(_ mtu: UInt16, of path: ObjectPath) { characteristics[path]?.mtu = Int(mtu) }

    /// The whole table, in the order of the handles.
    package func tree() -> [GattService] {
        services.values.sorted { $0.handle < $1.handle }.map { service in
            GattService(
                uuid: service.uuid,
                handle: service.handle,
                isPrimary: service.isPrimary,
                includes: service.includes.compactMap { services[$0]?.handle },
                characteristics: characteristics.values.filter { $0.service == service.path }
                    .sorted { $0.handle < $1.handle }.map(characteristic)
            )
        }
    }

    private func characteristic(_ found: Characteristic) -> GattCharacteristic {
        GattCharacteristic(
            uuid: found.uuid,
            handle: found.handle,
            properties: found.properties,
            descriptors: descriptors.values.filter { $0.characteristic == found.path }
                .sorted { $0.handle < $1.handle }.map { GattDescriptor(uuid: $0.uuid, handle: $0.handle) }
        )
    }
}

/// The properties of an attribute's object that the table keeps.
private struct AttributeProperties {
    var uuid: BluetoothUUID?
    var primary = true
    var includes: [ObjectPath] = []
    var flags: GattCharacteristic.Properties = []
    var mtu: Int?

    init(_ reader: MessageReader) throws(DBusFailure) {
        var reader = reader
        while reader.hasNext() {
            var property = try reader.dictionaryEntry()
            let name = try property.key()
            var value = try property.variant()
            switch name {
            case "UUID": uuid = try value.key().withBytes { BluetoothUUID(ascii: $0) }
            case "Primary": primary = try value.bool()
            case "MTU": mtu = Int(try value.uint16())
            case "Includes":
                var paths = try value.array()
                while paths.hasNext() { includes.append(try paths.path()) }
            case "Flags":
                var names = try value.array()
                while names.hasNext() {
                    let name = try names.string()
                    if let known = GattCharacteristic.Properties.bluezNames.first(where: { $0.1 == name }) {
                        flags.insert(known.0)
                    }
                }
            default: break
            }
        }
    }
}
