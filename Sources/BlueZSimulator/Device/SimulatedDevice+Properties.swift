internal import DBus

extension SimulatedDevice {
    func value(of property: String) -> DBusValue? {
        switch property {
        case "Address": .string(model.address)
        case "AddressType": .string(model.addressType.rawValue)
        case "Name": name.map { .string($0) }
        case "Alias": .string(alias ?? name ?? String(model.address.map { $0 == ":" ? "-" : $0 }))
        case "Appearance": appearance.map { .uint16($0) }
        case "Icon": icon.map { .string($0) }
        case "Paired": .bool(isPaired)
        case "Bonded": .bool(isBonded)
        case "LegacyPairing": .bool(false)
        case "Trusted": .bool(isTrusted)
        case "Blocked": .bool(isBlocked)
        case "RSSI": rssi.map { .int16($0) }
        case "Connected": .bool(isConnected)
        case "UUIDs": .strings(uuids)
        case "Adapter": .path(adapter.path)
        case "ManufacturerData": manufacturer.isEmpty ? nil : manufacturerValue
        case "ServiceData": serviceData.isEmpty ? nil : serviceDataValue
        case "TxPower": txPower.map { .int16($0) }
        case "ServicesResolved": .bool(isResolved)
        default: nil
        }
    }

    /// Found services, sorted, once there are any; what was advertised until then.
    var uuids: [String] {
        services.isEmpty ? advertisedServices : Set(peripheral.layout.services.map(\.model.uuid)).sorted()
    }

    /// Source: bluez 5.66, `gap_appearance_to_icon`: only these categories have one.
    private var icon: String? {
        guard let appearance else { return nil }
        return switch appearance >> 6 {
        case 0x01: "phone"
        case 0x02: "computer"
        case 0x05: "video-display"
        case 0x0A: "multimedia-player"
        case 0x0B: "scanner"
        case 0x0F:
            switch appearance & 0x3F {
            case 0x01: "input-keyboard"
            case 0x02: "input-mouse"
            case 0x03, 0x04: "input-gaming"
            case 0x05: "input-tablet"
            case 0x08: "scanner"
            default: nil
            }
        default: nil
        }
    }

    private var manufacturerValue: DBusValue {
        .dictionary(key: "q", value: "v", manufacturer.map { .init(.uint16($0.company), .variant(.bytes($0.data))) })
    }

    private var serviceDataValue: DBusValue {
        .dictionary(key: "s", value: "v", serviceData.map { .init(.string($0.uuid), .variant(.bytes($0.data))) })
    }

    static let table = InterfaceDescription(
        "org.bluez.Device1",
        methods: [
            .init("Disconnect"), .init("Connect"), .init("ConnectProfile", in: [.init("UUID", "s")]),
            .init("DisconnectProfile", in: [.init("UUID", "s")]), .init("Pair"), .init("CancelPairing"),
        ],
        properties: [
            .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
            .init("Alias", "s", writable: true), .init("Class", "u"), .init("Appearance", "q"), .init("Icon", "s"),
            .init("Paired", "b"), .init("Bonded", "b"), .init("Trusted", "b", writable: true),
            .init("Blocked", "b", writable: true), .init("LegacyPairing", "b"), .init("RSSI", "n"),
            .init("Connected", "b"), .init("UUIDs", "as"), .init("Modalias", "s"), .init("Adapter", "o"),
            .init("ManufacturerData", "a{qv}"), .init("ServiceData", "a{sv}"), .init("TxPower", "n"),
            .init("ServicesResolved", "b"), .init("WakeAllowed", "b", writable: true),
        ]
    )
}
