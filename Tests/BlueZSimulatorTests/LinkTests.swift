import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LinkTests {
    @Test func `the first connect is answered before services appear, one by one, and are called resolved`()
        async throws
    {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.framer)
            let start = client.position
            try await client.reconnect(Places.framer)
            let texts = client.texts(within: Places.framer, from: start)
            let characteristic = "+GattCharacteristic1"
            #expect(
                texts.dropLast() == [
                    "Device1 Connected=true", "-> Connect",
                    "+GattService1", characteristic, "+GattDescriptor1", characteristic, characteristic,
                    "+GattService1", characteristic, characteristic, "+GattDescriptor1",
                ]
            )
            #expect(texts.last?.hasPrefix("Device1 UUIDs=[") == true)
            #expect(texts.last?.hasSuffix("ServicesResolved=true") == true)
        }
    }

    @Test func `disconnecting is answered between the two signals and services stay`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            try await client.wait(for: "+Battery1", from: Places.heart)
            #expect(try await client.get(Places.rate, Places.characteristic, "MTU") == .uint16(185))
            let paths = await simulator.objectPaths
            let start = client.position
            try await client.call(Places.heart, Places.device, "Disconnect")
            try await client.wait(for: "Device1 Connected=false", from: Places.heart, after: start)
            #expect(
                client.texts(within: Places.heart, from: start) == [
                    "-Battery1", "Device1 ServicesResolved=false", "-> Disconnect", "Device1 Connected=false",
                ]
            )
            #expect(await simulator.objectPaths == paths)
            await #expect(throws: DBusFailure.self) {
                try await client.get(Places.rate, Places.characteristic, "MTU")
            }
            try await client.call(Places.heart, Places.device, "Disconnect")
        }
    }

    @Test func `a second connect finds services where they were`() async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            let before = client.position
            try await client.call(Places.framer, Places.device, "Connect")
            #expect(client.texts(within: Places.framer, from: before) == ["-> Connect"])
            try await client.call(Places.framer, Places.device, "Disconnect")
            try await client.wait(for: "Device1 Connected=false", from: Places.framer, after: before)
            let start = client.position
            try await client.reconnect(Places.framer)
            let expected = ["Device1 Connected=true", "-> Connect", "Device1 ServicesResolved=true"]
            #expect(client.texts(within: Places.framer, from: start) == expected)
        }
    }

    @Test func `a link that breaks is one signal, and requests under way end with it`() async throws {
        var settings = SimulatorSettings()
        settings.attDelay = .seconds(30)
        try await withSimulator(devices: [DemoDevices.framer], settings: settings) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            let start = client.position
            async let refused = #expect(throws: bluezError("Failed", "Operation failed with ATT error: 0x0e")) {
                try await client.write(Places.frames, [1])
            }
            await simulator.waitForCalls(of: "WriteValue")
            await simulator.dropLink(DemoDevices.framerAddress)
            _ = await refused
            #expect(
                client.texts(within: Places.framer, from: start) == [
                    "Device1 ServicesResolved=false Connected=false",
                    "-> WriteValue Failed: Operation failed with ATT error: 0x0e",
                ]
            )
        }
    }

    @Test(arguments: [false, true])
    func `a device that does not answer fails after the attempt's time, and goes`(isConnectable: Bool) async throws {
        let device = isConnectable ? Self.silent : DemoDevices.iBeacon
        try await withSimulator(devices: [device]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            let path = Places.path(
                "/org/bluez/hci0/dev_" + device.address.map { $0 == ":" ? "_" : String($0) }.joined()
            )
            try await client.call(Places.adapter, Places.adapterInterface, "StartDiscovery")
            try await client.wait(for: "+Device1", from: path)
            let start = client.position
            await #expect(throws: bluezError("Failed", "le-connection-abort-by-local")) {
                try await client.call(path, Places.device, "Connect")
            }
            try await client.wait(for: "-Device1", from: path, after: start)
            #expect(!client.texts(within: path, from: start).contains { $0.contains("Connected") })
        }
    }

    private static var silent: DeviceModel {
        var device = DemoDevices.heart
        device.acceptsLinks = false
        return device
    }

    @Test func `disconnecting calls an attempt off`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .seconds(30)
        try await withSimulator(devices: [Self.silent], settings: settings) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            async let refused = #expect(throws: bluezError("Failed", "br-connection-canceled")) {
                try await client.call(Places.heart, Places.device, "Connect")
            }
            await simulator.waitForCalls(of: "Connect")
            await #expect(throws: bluezError("Failed", "Operation already in progress")) {
                try await client.call(Places.heart, Places.device, "Connect")
            }
            try await client.call(Places.heart, Places.device, "Disconnect")
            _ = await refused
        }
    }

    @Test func `a device whose attempt was called off goes when the kernel's own attempt ends`() async throws {
        try await withSimulator(devices: [Self.silent]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.find(Places.heart)
            let start = client.position
            async let refused = #expect(throws: bluezError("Failed", "br-connection-canceled")) {
                try await client.call(Places.heart, Places.device, "Connect")
            }
            await simulator.waitForCalls(of: "Connect")
            try await client.call(Places.heart, Places.device, "Disconnect")
            _ = await refused
            try await client.wait(for: "-Device1", from: Places.heart, after: start)
        }
    }

    @Test func `an adapter takes so many links, and has room for another one later than a link ends`() async throws {
        let release = Duration.milliseconds(400)
        var (first, second) = (DemoDevices.heart, DemoDevices.framer)
        first.isKnown = true
        second.isKnown = true
        var adapter = AdapterModel(devices: [first, second])
        adapter.linkLimit = LinkLimit(1, releaseDelay: release)
        try await withSimulator(adapters: [adapter]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.reconnect(Places.heart)
            await #expect(throws: bluezError("Failed", "le-connection-concurrent-connection-limit")) {
                try await client.call(Places.framer, Places.device, "Connect")
            }
            // A link that stands is no further one.
            try await client.call(Places.heart, Places.device, "Connect")
            let end = ContinuousClock.now
            try await client.call(Places.heart, Places.device, "Disconnect")
            while await !simulator.isConnected(DemoDevices.framer.address) {
                do {
                    try await client.call(Places.framer, Places.device, "Connect")
                } catch DBusFailure.error(_, let text) {
                    #expect(text == "le-connection-concurrent-connection-limit")
                }
            }
            #expect(ContinuousClock.now - end >= release)
        }
    }

    @Test func `who waits for a call that does not come is let go with its task`() async throws {
        try await withSimulator(devices: []) { _, simulator in
            // Unstructured because the test cancels it, and awaits it in place.
            let task = Task { await simulator.waitForCalls(of: "Nothing") }
            task.cancel()
            await task.value
            #expect(await simulator.count(of: "Nothing") == 0)
        }
    }

    @Test func `a link stays when its client leaves the bus`() async throws {
        try await withSimulator(devices: [DemoDevices.heart]) { bus, simulator in
            let watcher = try await SimulatorClient.connect(to: bus)
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            try await client.call(Places.rate, Places.characteristic, "StartNotify")
            let start = watcher.position
            await client.connection.close()
            try await watcher.wait(for: "GattCharacteristic1 Notifying=false", from: Places.rate, after: start)
            #expect(await simulator.isConnected(DemoDevices.heartAddress))
            #expect(!(await simulator.isSubscribed(DemoDevices.heartAddress, "2a37")))
        }
    }

    @Test func `removing a connected device ends its link and takes its objects, children first`() async throws {
        try await withSimulator(devices: [DemoDevices.framer]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.framer)
            let start = client.position
            try await client.call(Places.adapter, Places.adapterInterface, "RemoveDevice", .path(Places.framer))
            try await client.wait(for: "-Device1", from: Places.framer, after: start)
            let texts = client.texts(within: Places.framer, from: start)
            let link = ["Device1 ServicesResolved=false", "Device1 Connected=false"]
            #expect(texts.prefix(2) == link[...])
            #expect(
                texts.dropFirst(2) == [
                    "-GattDescriptor1", "-GattCharacteristic1", "-GattCharacteristic1", "-GattCharacteristic1",
                    "-GattService1", "-GattCharacteristic1", "-GattDescriptor1", "-GattCharacteristic1",
                    "-GattService1", "-Device1",
                ]
            )
            await #expect(throws: bluezError("DoesNotExist", "Does Not Exist")) {
                try await client.call(Places.adapter, Places.adapterInterface, "RemoveDevice", .path(Places.framer))
            }
        }
    }
}
