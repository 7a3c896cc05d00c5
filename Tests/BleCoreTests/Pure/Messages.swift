import BleCore
import DBus

/// Messages as bluetoothd sends them, and others.
enum Messages {
    typealias Properties = [(String, DBusValue)]
    typealias Interfaces = [(String, Properties)]

    static let adapter = path("/org/bluez/hci0")
    static let device = path("/org/bluez/hci0/dev_C0_5A_00_00_00_02")
    static let service = path("\(device)/service000e")
    static let characteristic = path("\(service)/char000f")

    static func path(_ text: String) -> ObjectPath { ObjectPath(text) ?? .root }

    static func interfaces(_ interfaces: Interfaces) -> DBusValue {
        .dictionary(key: "s", value: "a{sv}", interfaces.map { .init(.string($0.0), .properties($0.1)) })
    }

    /// The answer to `GetManagedObjects`.
    static func objects(_ objects: [(ObjectPath, Interfaces)]) -> DBusValue {
        let entries = objects.map { DBusValue.Entry(.path($0.0), interfaces($0.1)) }
        return .dictionary(key: "o", value: "a{sa{sv}}", entries)
    }

    static func signal(_ path: ObjectPath, _ interface: String, _ member: String, _ body: DBusValue...) throws
        -> DBusMessage
    {
        try DBusMessage.signal(path, interface, member).append { (writer) throws(DBusFailure) in
            for value in body { try writer.append(value) }
        }
    }

    static func added(_ path: ObjectPath, _ content: Interfaces) throws -> DBusMessage {
        try signal(.root, BusNames.objectManager, "InterfacesAdded", .path(path), interfaces(content))
    }

    static func removed(_ path: ObjectPath, _ names: String...) throws -> DBusMessage {
        try signal(.root, BusNames.objectManager, "InterfacesRemoved", .path(path), .strings(names))
    }

    static func changed(
        _ path: ObjectPath,
        _ interface: String,
        _ properties: Properties,
        gone: [String] = []
    ) throws -> DBusMessage {
        try signal(
            path,
            BusNames.properties,
            "PropertiesChanged",
            .string(interface),
            .properties(properties),
            .strings(gone)
        )
    }

    /// A message with one value.
    static func reply(_ value: DBusValue) throws -> DBusMessage { try signal(.root, "org.example.A", "Reply", value) }

    static let adapterInterface = "org.bluez.Adapter1"
    static let deviceInterface = "org.bluez.Device1"
    static let serviceInterface = "org.bluez.GattService1"
    static let characteristicInterface = "org.bluez.GattCharacteristic1"

    static var adapterObject: (ObjectPath, Interfaces) {
        (adapter, [(adapterInterface, [("Address", .string("00:1A:7D:DA:71:10")), ("Powered", .bool(true))])])
    }

    static var deviceObject: (ObjectPath, Interfaces) {
        (device, [(deviceInterface, [("Name", .string("Belt")), ("Connected", .bool(false))])])
    }

    /// An adapter, and a device with a link whose services are known.
    static var linkedObjects: [(ObjectPath, Interfaces)] {
        let linked: Properties = [("Connected", .bool(true)), ("ServicesResolved", .bool(true))]
        return [adapterObject, (device, [(deviceInterface, linked)]), serviceObject, characteristicObject()]
    }

    static var serviceObject: (ObjectPath, Interfaces) {
        (service, [(serviceInterface, [("UUID", .string("180d")), ("Primary", .bool(true))])])
    }

    static func characteristicObject(
        _ handle: String = "000f",
        uuid: String = "2a37",
        flags: [String] = ["notify", "read"]
    ) -> (ObjectPath, Interfaces) {
        let properties: Properties = [("UUID", .string(uuid)), ("Flags", .strings(flags))]
        return (path("\(service)/char\(handle)"), [(characteristicInterface, properties)])
    }
}
