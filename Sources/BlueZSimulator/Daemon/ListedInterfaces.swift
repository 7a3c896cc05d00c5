internal import DBus

/// Interfaces that bluetoothd has on its own objects and that the simulation only lists.
final class ListedProperties: SimulatedInterface {
    let description: InterfaceDescription
    private let values: [String: DBusValue]

    init(_ name: String, _ values: [(String, DBusValue)]) {
        description = InterfaceDescription(name, properties: values.map { .init($0.0, $0.1.signature) })
        self.values = Dictionary(values) { first, _ in first }
    }

    func value(of property: String) -> DBusValue? { values[property] }

    func handle(_ call: IncomingCall) { call.failUnknown(objectExists: true) }

    /// Those of `/org/bluez`, besides the agent manager.
    static func ofDaemon() -> [any SimulatedInterface] {
        [ListedProperties("org.bluez.ProfileManager1", []), ListedProperties("org.bluez.HealthManager1", [])]
    }

    /// Those of an adapter, besides `Adapter1`.
    static func ofAdapter() -> [any SimulatedInterface] {
        [
            ListedProperties("org.bluez.GattManager1", []),
            ListedProperties(
                "org.bluez.LEAdvertisingManager1",
                [
                    ("ActiveInstances", .byte(0)), ("SupportedInstances", .byte(5)),
                    ("SupportedIncludes", .strings(["tx-power", "appearance", "local-name"])),
                ]
            ),
            ListedProperties("org.bluez.Media1", [("SupportedUUIDs", .strings([]))]),
            ListedProperties("org.bluez.NetworkServer1", []),
        ]
    }
}
