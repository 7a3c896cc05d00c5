import BleCore
import DBus

/// Messages of a hostile bluetoothd: any values that D-Bus allows, at the places where ours are expected.
enum DBusFuzz {
    private static let paths = [
        "/", "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_C0_5A_00_00_00_02",
        "/org/bluez/hci0/dev_C0_5A_00_00_00_02/service000e",
        "/org/bluez/hci0/dev_C0_5A_00_00_00_02/service000e/char000f",
        "/org/bluez/hci0/dev_C0_5A_00_00_00_02/service000e/char000f/desc0010", "/org/bluez/hci1/dev_x",
        "/org/bluez/hci0/dev_C0_5A_00_00_00_02/service000/char", "/a",
    ].compactMap(ObjectPath.init)
    private static let interfaces = [
        "org.bluez.Adapter1", "org.bluez.Device1", "org.bluez.GattService1", "org.bluez.GattCharacteristic1",
        "org.bluez.GattDescriptor1", "org.bluez.AdvertisementMonitorManager1", "a.b", "",
    ]
    private static let names = [
        "Address", "AddressType", "Name", "Alias", "RSSI", "TxPower", "ManufacturerData", "ServiceData", "UUIDs",
        "Connected", "ServicesResolved", "Paired", "Bonded", "Trusted", "Blocked", "Powered", "Discovering",
        "PowerState", "UUID", "Primary", "Includes", "Flags", "MTU", "Value", "Notifying", "",
    ]
    private static let texts = [
        "", "random", "180f", "0000180f-0000-1000-8000-00805f9b34fb", "C0:5A:00:00:00:02", "ä", "read",
    ]

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        var tree = ObjectTree()
        do {
            while !input.isEmpty { try take(&input, &tree) }
        } catch {
            // What D-Bus itself does not allow never comes to us.
        }
        for device in tree.devices.values {
            _ = device.attributes.tree()
            _ = device.advertisement.name
        }
    }

    /// One message, taken up or refused; never with an effect that breaks the tree.
    private static func take(_ input: inout Input, _ tree: inout ObjectTree) throws {
        let kind = input.byte()
        let message = try DBusMessage.signal(
            input.choice(paths),
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged"
        )
        let body = isOurs(kind) ? expected(kind, &input) : (0..<input.byte() % 4).map { _ in value(&input, depth: 0) }
        try message.append { (writer) throws(DBusFailure) in
            for value in body { try writer.append(value) }
        }
        do throws(DBusFailure) {
            switch kind % 4 {
            case 0: _ = try tree.interfacesAdded(message, now: 1)
            case 1: _ = try tree.interfacesRemoved(message)
            case 2: _ = try tree.load(message, now: 1)
            default: _ = try tree.propertiesChanged(message, now: 1)
            }
        } catch {
            // Refused, as a signal of another shape is.
        }
    }

    /// Most messages have the right shape, or nothing would be read but their beginnings.
    private static func isOurs(_ kind: UInt8) -> Bool { kind & 0xE0 != 0 }

    private static func expected(_ kind: UInt8, _ input: inout Input) -> [DBusValue] {
        switch kind % 4 {
        case 0: [.path(input.choice(paths)), objects(&input)]
        case 1: [.path(input.choice(paths)), .strings((0..<input.byte() % 4).map { _ in input.choice(interfaces) })]
        case 2:
            [
                .dictionary(
                    key: "o",
                    value: "a{sa{sv}}",
                    (0..<input.byte() % 8).map { _ in DBusValue.Entry(.path(input.choice(paths)), objects(&input)) }
                )
            ]
        default:
            [
                .string(input.choice(interfaces)), properties(&input),
                .strings((0..<input.byte() % 4).map { _ in input.choice(names) }),
            ]
        }
    }

    private static func objects(_ input: inout Input) -> DBusValue {
        .dictionary(
            key: "s",
            value: "a{sv}",
            (0..<input.byte() % 4).map { _ in DBusValue.Entry(.string(input.choice(interfaces)), properties(&input)) }
        )
    }

    private static func properties(_ input: inout Input) -> DBusValue {
        .properties((0..<input.byte() % 6).map { _ in (input.choice(names), value(&input, depth: 0)) })
    }

    /// A value of any type; below the bytes that the message has.
    private static func value(_ input: inout Input, depth: Int) -> DBusValue {
        let kinds: UInt8 = depth < 3 ? 18 : 12
        switch input.byte() % kinds {
        case 0: return .byte(input.byte())
        case 1: return .bool(input.byte() & 1 != 0)
        case 2: return .int16(Int16(truncatingIfNeeded: Int(input.byte()) << 8 | Int(input.byte())))
        case 3: return .uint16(UInt16(input.byte()) << 8 | UInt16(input.byte()))
        case 4: return .int32(Int32(truncatingIfNeeded: Int(input.byte()) << 24))
        case 5: return .uint32(UInt32(input.byte()))
        case 6: return .int64(Int64(input.byte()) << 56)
        case 7: return .double(Double(input.byte()))
        case 8: return .string(input.choice(texts))
        case 9: return .string(String(decoding: input.part(), as: UTF8.self))
        case 10: return .path(input.choice(paths))
        case 11: return .bytes(input.bytes(Int(input.byte())))
        case 12: return .variant(value(&input, depth: depth + 1))
        case 13: return .strings((0..<input.byte() % 4).map { _ in input.choice(texts) })
        case 14: return .array(of: "o", (0..<input.byte() % 3).map { _ in .path(input.choice(paths)) })
        case 15: return payloads(&input, key: "q") { .uint16(UInt16($0.byte())) }
        case 16: return payloads(&input, key: "s") { .string($0.choice(texts)) }
        default: return .structure([value(&input, depth: depth + 1), value(&input, depth: depth + 1)])
        }
    }

    private static func payloads(_ input: inout Input, key: String, _ make: (inout Input) -> DBusValue) -> DBusValue {
        var entries: [DBusValue.Entry] = []
        for _ in 0..<input.byte() % 3 {
            let name = make(&input)
            entries.append(DBusValue.Entry(name, .variant(value(&input, depth: 2))))
        }
        return .dictionary(key: key, value: "v", entries)
    }
}
