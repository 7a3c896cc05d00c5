import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ObjectTests {
    private static let prefix = "org.freedesktop.DBus.Error."

    @Test func `every object lists the generic interfaces, empty, and parents come first`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            let answer = try await client.call(.root, BusNames.objectManager, "GetManagedObjects")
            guard case .dictionary("o", "a{sa{sv}}", let objects)? = answer.first else {
                Issue.record("not the objects' signature")
                return
            }
            var seen: Set<ObjectPath> = []
            for object in objects {
                guard case .path(let path) = object.key, case .dictionary(_, _, let interfaces) = object.value else {
                    Issue.record("not an object")
                    return
                }
                #expect(path.text == "/org/bluez" || seen.contains(path.parent))
                seen.insert(path)
                let empty = interfaces.filter { $0.value == .properties([]) }.map(\.key)
                #expect(empty.contains(.string(BusNames.introspectable)))
                #expect(path.text == "/org/bluez" || empty.contains(.string(BusNames.properties)))
            }
            #expect(seen.contains(Places.rate))
        }
    }

    @Test func `objects have the properties that bluetoothd gives them`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            func names(_ path: ObjectPath, _ interface: String) async throws -> Set<String> {
                let answer = try await client.call(path, BusNames.properties, "GetAll", .string(interface)).first
                guard case .dictionary(_, _, let entries)? = answer else { return [] }
                return Set(entries.compactMap { if case .string(let name) = $0.key { name } else { nil } })
            }
            #expect(
                try await names(Places.heart, Places.device) == [
                    "Adapter", "Address", "AddressType", "Alias", "Appearance", "Blocked", "Bonded", "Connected",
                    "LegacyPairing", "Name", "Paired", "ServicesResolved", "Trusted", "UUIDs",
                ]
            )
            #expect(
                try await names(Places.rate, Places.characteristic)
                    == ["Flags", "MTU", "NotifyAcquired", "Notifying", "Service", "UUID", "Value"]
            )
            #expect(
                try await names(Places.control, Places.characteristic) == ["Flags", "MTU", "Service", "UUID", "Value"]
            )
            #expect(
                try await names(Places.path("\(Places.rate)/desc0011"), Places.descriptor)
                    == ["Characteristic", "UUID", "Value"]
            )
            let service = Places.path("\(Places.heart)/service000e")
            #expect(
                try await names(service, "org.bluez.GattService1") == ["Device", "Includes", "Primary", "UUID"]
            )
        }
    }

    @Test func `unknown objects, methods and properties have their own errors`() async throws {
        try await withSimulator(devices: []) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            func expect(
                _ name: String,
                _ text: String,
                _ path: ObjectPath,
                _ interface: String,
                _ member: String,
                _ arguments: [DBusValue]
            ) async {
                await #expect(throws: DBusFailure.error(name: Self.prefix + name, message: text)) {
                    let message = try DBusMessage.call("org.bluez", path, interface, member)
                    try message.append { (writer) throws(DBusFailure) in
                        for argument in arguments { try writer.append(argument) }
                    }
                    _ = try await client.connection.call(message)
                }
            }
            let nowhere = Places.path("/org/bluez/hci0/dev_00")
            let doesNotExist =
                "Method \"Connect\" with signature \"\" on interface \"org.bluez.Device1\" doesn't exist\n"
            await expect("UnknownObject", doesNotExist, nowhere, Places.device, "Connect", [])
            await expect("UnknownMethod", doesNotExist, Places.adapter, Places.device, "Connect", [])
            let adapter = DBusValue.string(Places.adapterInterface)
            let properties = BusNames.properties
            await expect(
                "InvalidArgs",
                "No such property 'Nothing'",
                Places.adapter,
                properties,
                "Get",
                [adapter, .string("Nothing")]
            )
            await expect(
                "InvalidArgs",
                "No such interface 'a.b'",
                Places.adapter,
                properties,
                "GetAll",
                [.string("a.b")]
            )
            await expect(
                "PropertyReadOnly",
                "Property 'Address' is not writable",
                Places.adapter,
                properties,
                "Set",
                [adapter, .string("Address"), .variant(.string(""))]
            )
            await expect(
                "InvalidSignature",
                "Invalid signature for 'Powered'",
                Places.adapter,
                properties,
                "Set",
                [adapter, .string("Powered"), .variant(.string("on"))]
            )
        }
    }

    @Test func `introspection names methods, properties and children`() async throws {
        try await withSimulator(devices: []) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            func xml(_ path: String) async throws -> String {
                let answer = try await client.call(Places.path(path), BusNames.introspectable, "Introspect").first
                if case .string(let text)? = answer { return text }
                return ""
            }
            #expect(try await xml("/").contains("<node name=\"org/bluez\"/>"))
            #expect(try await xml("/org").contains("<node name=\"bluez\"/>"))
            let adapter = try await xml("/org/bluez/hci0")
            #expect(
                adapter.contains("<method name=\"RemoveDevice\"><arg name=\"device\" type=\"o\" direction=\"in\"/>")
            )
            #expect(adapter.contains("<property name=\"Powered\" type=\"b\" access=\"readwrite\">"))
        }
    }

    @Test func `what clients set is announced before the answer for devices and after it for adapters`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            let start = client.position
            for (path, interface) in [(Places.heart, Places.device), (Places.adapter, Places.adapterInterface)] {
                try await client.call(
                    path,
                    BusNames.properties,
                    "Set",
                    .string(interface),
                    .string("Alias"),
                    .variant(.string("other"))
                )
            }
            try await client.wait(for: "Adapter1 Alias=other", from: Places.adapter, after: start)
            let expected = ["Device1 Alias=other", "-> Set", "-> Set", "Adapter1 Alias=other"]
            #expect(client.texts(within: Places.adapter, from: start).filter { !$0.contains("RSSI") } == expected)
        }
    }

    @Test func `received calls are kept with their arguments`() async throws {
        try await withSimulator(devices: []) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            let filter = DBusValue.properties([("RSSI", .int16(-70))])
            try await client.call(Places.adapter, Places.adapterInterface, "SetDiscoveryFilter", filter)
            let call = try #require(await simulator.calls(of: "SetDiscoveryFilter").last)
            #expect(call.arguments == [filter])
            #expect(call.path == Places.adapter)
            #expect(call.sender == client.connection.uniqueName)
            #expect(await simulator.count(of: "SetDiscoveryFilter") == 1)
            #expect(await simulator.count(of: "Connect") == 0)
        }
    }
}
