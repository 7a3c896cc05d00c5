import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DiscoveryTests {
    private static let adapter = Places.adapterInterface

    @Test func `a discovery is answered before it is announced and devices arrive whole`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            try await client.wait(for: "+Device1", from: Places.heart)
            #expect(
                client.texts(within: Places.adapter) == ["-> StartDiscovery", "Adapter1 Discovering=true", "+Device1"]
            )
            #expect(try await client.get(Places.heart, Places.device, "Name") == .string("Sim Heart"))
            #expect(try await client.get(Places.heart, Places.device, "RSSI") != nil)
        }
    }

    @Test func `the end of a discovery takes back signal strengths and what cannot be connected to`() async throws {
        try await withSimulator(devices: [DemoDevices.heart, DemoDevices.iBeacon]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            try await client.wait(for: "+Device1", from: Places.heart)
            try await client.wait(for: "+Device1", from: Places.iBeacon)
            let start = client.position
            try await client.call(Places.adapter, Self.adapter, "StopDiscovery")
            try await client.wait(for: "Adapter1 Discovering=false", from: Places.adapter, after: start)
            let own = client.texts(within: Places.adapter, from: start)
            #expect(own.first == "-> StopDiscovery")
            #expect(own.last == "Adapter1 Discovering=false")
            #expect(client.texts(within: Places.heart, from: start) == ["Device1 !RSSI"])
            #expect(client.texts(within: Places.iBeacon, from: start) == ["Device1 !RSSI", "-Device1"])
            await #expect(throws: DBusFailure.self) {
                try await client.get(Places.heart, Places.device, "RSSI")
            }
        }
    }

    @Test func `a client has one discovery and cannot end what it has not begun`() async throws {
        try await withSimulator(devices: []) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            await #expect(throws: bluezError("Failed", "No discovery started")) {
                try await client.call(Places.adapter, Self.adapter, "StopDiscovery")
            }
            try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            await #expect(throws: bluezError("InProgress", "Operation already in progress")) {
                try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            }
        }
    }

    @Test func `a discovery goes on until its last client stops or leaves`() async throws {
        try await withSimulator(devices: []) { bus, _ in
            let first = try await SimulatorClient.connect(to: bus)
            let second = try await SimulatorClient.connect(to: bus)
            for client in [first, second] { try await client.call(Places.adapter, Self.adapter, "StartDiscovery") }
            try await first.call(Places.adapter, Self.adapter, "StopDiscovery")
            #expect(try await first.get(Places.adapter, Self.adapter, "Discovering") == .bool(true))
            await second.connection.close()
            try await first.wait(for: "Adapter1 Discovering=false", from: Places.adapter)
        }
    }

    @Test(arguments: [
        [("Nonsense", DBusValue.bool(true))],
        [("RSSI", .int32(-60))],
        [("RSSI", .int16(-128))],
        [("RSSI", .int16(-60)), ("Pathloss", .uint16(40))],
        [("UUIDs", .strings(["not a uuid"]))],
        [("Transport", .string("smoke"))],
    ])
    func `a filter with a bad key or value is refused`(entries: [(String, DBusValue)]) async throws {
        try await withSimulator(devices: []) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            await #expect(throws: bluezError("InvalidArguments", "Invalid arguments in method call")) {
                try await client.call(Places.adapter, Self.adapter, "SetDiscoveryFilter", .properties(entries))
            }
        }
    }

    @Test func `a filter by service lets others not through`() async throws {
        // The other one is heard many times before the wanted one is heard once.
        var other = DemoDevices.heart
        other.advertisement.interval = .milliseconds(2)
        var wanted = DemoDevices.framer
        wanted.advertisement.interval = .milliseconds(400)
        try await withSimulator(devices: [other, wanted]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            let filter = DBusValue.properties([("UUIDs", .strings(["ffe0"])), ("Transport", .string("le"))])
            try await client.call(Places.adapter, Self.adapter, "SetDiscoveryFilter", filter)
            try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            try await client.wait(for: "+Device1", from: Places.framer)
            #expect(!(await simulator.objectPaths.contains(Places.heart)))
        }
    }

    @Test func `data that does not change is announced again only to who asked for duplicates`() async throws {
        var beacon = DemoDevices.iBeacon
        beacon.advertisement.interval = .milliseconds(5)
        try await withSimulator(devices: [beacon]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            let filter = DBusValue.properties([("DuplicateData", .bool(true))])
            try await client.call(Places.adapter, Self.adapter, "SetDiscoveryFilter", filter)
            try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            try await client.wait(for: "Device1 RSSI=", from: Places.iBeacon, count: 20)
            let signals = client.texts(within: Places.iBeacon).dropFirst()
            #expect(signals.allSatisfy { $0.hasPrefix("Device1 RSSI=") && $0.hasSuffix(" ManufacturerData=a{qv}") })
        }
    }

    @Test func `without duplicates a device is reported once while it says the same`() async throws {
        var quiet = DemoDevices.iBeacon
        quiet.advertisement.interval = .milliseconds(5)
        var talker = DemoDevices.ruuvi
        talker.advertisement.interval = .milliseconds(5)
        try await withSimulator(devices: [quiet, talker]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.call(
                Places.adapter,
                Self.adapter,
                "SetDiscoveryFilter",
                .properties([("RSSI", .int16(-127))])
            )
            try await client.call(Places.adapter, Self.adapter, "StartDiscovery")
            let ruuvi = Places.path("/org/bluez/hci0/dev_C0_5A_00_00_00_13")
            try await client.wait(for: "Device1 RSSI=", from: ruuvi, count: 20)
            #expect(client.texts(within: Places.iBeacon) == ["+Device1"])
        }
    }

    @Test func `a device that is silent for a while goes unless somebody has connected to it`() async throws {
        var settings = SimulatorSettings()
        settings.temporaryTimeout = .milliseconds(50)
        try await withSimulator(devices: [DemoDevices.heart], settings: settings) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            try await client.wait(for: "-Device1", from: Places.heart)
            await #expect(throws: DBusFailure.self) { try await client.call(Places.heart, Places.device, "Connect") }
            #expect(await simulator.objectPaths.map(\.text) == ["/org/bluez", "/org/bluez/hci0"])
        }
    }

    @Test func `a device whose flags hide it is found only with a filter`() async throws {
        var shy = DemoDevices.heart
        shy.advertisement.flags = 0x04
        shy.advertisement.interval = .milliseconds(5)
        var other = DemoDevices.framer
        other.advertisement.interval = .milliseconds(200)
        try await withSimulator(devices: [shy, other]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.framer)
            #expect(!(await simulator.objectPaths.contains(Places.heart)))
            let filter = DBusValue.properties([("Transport", .string("le"))])
            try await client.call(Places.adapter, Self.adapter, "SetDiscoveryFilter", filter)
            try await client.find(Places.heart)
        }
    }
}
