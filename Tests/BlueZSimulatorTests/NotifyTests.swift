import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NotifyTests {
    private static let characteristic = Places.characteristic
    private static let heart = DemoDevices.heartAddress

    /// A belt that notifies only when it is told to.
    private static var belt: DeviceModel {
        var device = DemoDevices.heart
        for service in device.services.indices {
            for index in device.services[service].characteristics.indices {
                device.services[service].characteristics[index].notifyEvery = nil
            }
        }
        return device
    }

    @Test func `a session is announced before its answer, then each value, and it ends once`() async throws {
        try await withSimulator(devices: [Self.belt]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            let start = client.position
            try await client.call(Places.rate, Self.characteristic, "StartNotify")
            try await client.call(Places.rate, Self.characteristic, "StartNotify")
            for _ in 0..<2 { await simulator.notify(Self.heart, "2a37", [0, 72]) }
            try await client.call(Places.rate, Self.characteristic, "StopNotify")
            await simulator.notify(Self.heart, "2a37", [0, 73])
            await #expect(throws: bluezError("Failed", "No notify session started")) {
                try await client.call(Places.rate, Self.characteristic, "StopNotify")
            }
            #expect(
                client.texts(within: Places.rate, from: start) == [
                    "GattCharacteristic1 Notifying=true", "-> StartNotify", "-> StartNotify",
                    "GattCharacteristic1 Value=0,48", "GattCharacteristic1 Value=0,48",
                    "GattCharacteristic1 Notifying=false", "-> StopNotify",
                    "-> StopNotify Failed: No notify session started",
                ]
            )
        }
    }

    @Test func `what cannot notify is not supported`() async throws {
        try await withSimulator(devices: [Self.belt]) { bus, _ in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            await #expect(throws: bluezError("NotSupported", "Operation is not supported")) {
                try await client.call(Places.location, Self.characteristic, "StartNotify")
            }
        }
    }

    @Test func `a session outlives the link and is taken up with the next one`() async throws {
        try await withSimulator(devices: [Self.belt]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            try await client.call(Places.rate, Self.characteristic, "StartNotify")
            let start = client.position
            await simulator.dropLink(Self.heart)
            #expect(!(await simulator.isSubscribed(Self.heart, "2a37")))
            #expect(try await client.get(Places.rate, Self.characteristic, "Notifying") == .bool(true))
            try await client.reconnect(Places.heart)
            await simulator.notify(Self.heart, "2a37", [0, 99])
            try await client.wait(for: "GattCharacteristic1 Value=0,63", from: Places.rate, after: start)
            #expect(!client.texts(within: Places.rate, from: start).contains { $0.contains("Notifying") })
        }
    }

    @Test func `without a link starting succeeds and counts for the next one`() async throws {
        try await withSimulator(devices: [Self.belt]) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            await simulator.dropLink(Self.heart)
            try await client.call(Places.rate, Self.characteristic, "StartNotify")
            #expect(try await client.get(Places.rate, Self.characteristic, "Notifying") == .bool(false))
            let start = client.position
            try await client.reconnect(Places.heart)
            #expect(client.texts(within: Places.rate, from: start) == ["GattCharacteristic1 Notifying=true"])
            #expect(await simulator.isSubscribed(Self.heart, "2a37"))
        }
    }

    @Test func `two clients have a session each`() async throws {
        try await withSimulator(devices: [Self.belt]) { bus, simulator in
            let first = try await SimulatorClient.connect(to: bus)
            let second = try await SimulatorClient.connect(to: bus)
            try await first.link(Places.heart)
            for client in [first, second] { try await client.call(Places.rate, Self.characteristic, "StartNotify") }
            try await first.call(Places.rate, Self.characteristic, "StopNotify")
            #expect(await simulator.isSubscribed(Self.heart, "2a37"))
            let start = first.position
            await simulator.notify(Self.heart, "2a37", [0, 1])
            try await first.wait(for: "GattCharacteristic1 Value=0,1", from: Places.rate, after: start)
            await second.connection.close()
            try await first.wait(for: "GattCharacteristic1 Notifying=false", from: Places.rate, after: start)
            #expect(!(await simulator.isSubscribed(Self.heart, "2a37")))
        }
    }

    @Test func `while the device is being disconnected nobody subscribes`() async throws {
        var settings = SimulatorSettings()
        settings.disconnectDelay = .seconds(30)
        try await withSimulator(devices: [Self.belt], settings: settings) { bus, simulator in
            let client = try await SimulatorClient.connect(to: bus)
            try await client.link(Places.heart)
            async let disconnected = client.call(Places.heart, Places.device, "Disconnect")
            await simulator.waitForCalls(of: "Disconnect")
            await #expect(throws: bluezError("NotConnected", "Not Connected")) {
                try await client.call(Places.rate, Self.characteristic, "StartNotify")
            }
            await simulator.dropLink(Self.heart)
            #expect(try await disconnected.isEmpty)
        }
    }
}
