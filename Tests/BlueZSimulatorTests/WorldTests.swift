import BlueZSimulator
import DBus
import TestSupport
import Testing

/// What the simulator's own interface does to the world, seen from a client.
@Suite(.timeLimit(.minutes(10)))
struct WorldTests {
    @Test func `power that goes and comes without a call is signalled`() async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            let start = client.position
            await simulator.setPowered(false)
            await simulator.setPowered(false)
            await simulator.setPowered(true)
            try await client.wait(for: "Adapter1 Powered=true", from: Places.adapter, after: start)
            #expect(
                client.texts(within: Places.adapter, from: start) == [
                    "Device1 ServicesResolved=false Connected=false", "Adapter1 Powered=false Discovering=false",
                    "Adapter1 Powered=true",
                ]
            )
        }
    }

    @Test func `a device out of reach loses its link, answers nobody and can come back`() async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            let start = client.position
            await simulator.setReachable(false, DemoDevices.framerAddress)
            try await client.wait(for: "Device1 ServicesResolved=false", from: Places.framer, after: start)
            await #expect(throws: bluezError("Failed", "le-connection-abort-by-local")) {
                try await client.call(Places.framer, Places.device, "Connect")
            }
            await simulator.setReachable(true, DemoDevices.framerAddress)
            try await client.reconnect(Places.framer)
            #expect(await simulator.isConnected(DemoDevices.framerAddress))
        }
    }

    @Test func `a device that was taken away and is brought again is the same to the daemon`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            await simulator.removeDevice(DemoDevices.heartAddress)
            #expect(!(await simulator.isConnected(DemoDevices.heartAddress)))
            await simulator.addDevice(DemoDevices.heart)
            try await client.reconnect(Places.heart)
            #expect(try await client.read(Places.location) == .bytes([1]))
        }
    }

    @Test func `a linked device is not heard, and is again after its link`() async throws {
        var device = DemoDevices.framer
        device.advertisement.interval = .milliseconds(5)
        try await withSimulator(devices: [device]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            let filter = DBusValue.properties([("DuplicateData", .bool(true))])
            try await client.call(Places.adapter, Places.adapterInterface, "SetDiscoveryFilter", filter)
            try await client.call(Places.adapter, Places.adapterInterface, "StartDiscovery")
            let start = client.position
            await simulator.dropLink(DemoDevices.framerAddress)
            try await client.wait(for: "Device1 RSSI=", from: Places.framer, after: start, count: 3)
            let texts = client.texts(within: Places.framer, from: start)
            #expect(texts.first == "Device1 ServicesResolved=false Connected=false")
        }
    }

    @Test func `the same device around two adapters has an object under each`() async throws {
        let adapters = (0..<2).map { AdapterModel(index: $0, devices: [DemoDevices.heart]) }
        try await withSimulator(adapters: adapters) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            let second = Places.path("/org/bluez/hci1")
            try await client.find(Places.heart)
            try await client.call(second, Places.adapterInterface, "StartDiscovery")
            let other = Places.path("\(second)/dev_C0_5A_00_00_00_02")
            try await client.wait(for: "+Device1", from: other)
            try await client.reconnect(other)
            #expect(await simulator.isConnected(DemoDevices.heartAddress, adapter: 1))
            #expect(!(await simulator.isConnected(DemoDevices.heartAddress)))
        }
    }

    @Test func `calls are counted and can be waited for`() async throws {
        try await withSimulator(devices: []) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            async let waited: Void = simulator.waitForCalls(of: "GetManagedObjects", count: 2)
            for _ in 0..<2 { try await client.call(.root, BusNames.objectManager, "GetManagedObjects") }
            await waited
            #expect(await simulator.count(of: "GetManagedObjects") == 2)
        }
    }
}
