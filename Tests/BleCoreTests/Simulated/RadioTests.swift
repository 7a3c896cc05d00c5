import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

/// One radio: discovery that rests while a link is made, and passive scans.
@Suite(.timeLimit(.minutes(10)))
struct RadioTests {
    private static let calls: Set<String> = ["StartDiscovery", "StopDiscovery", "Connect"]

    private func configuration(_ pause: DiscoveryPause) -> BluetoothManager.Configuration {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.discoveryPause = pause
        return configuration
    }

    private func order(_ bench: Bench) async -> [String] {
        await bench.simulator.calls().map(\.member).filter { Self.calls.contains($0) }
    }

    // MARK: A pause

    @Test func `discovery rests while a link is made, and goes on when it stands`() async throws {
        try await withBench(configuration: configuration(.always)) { bench in
            _ = await bench.manager.demandDiscovery(ScanRequest())
            await bench.simulator.waitForCalls(of: "StartDiscovery")
            _ = try await bench.linked(Devices.heart)
            await bench.simulator.waitForCalls(of: "StartDiscovery", count: 2)
            #expect(await order(bench) == ["StartDiscovery", "StopDiscovery", "Connect", "StartDiscovery"])
            #expect(await !bench.manager.isDiscoveryPaused)
        }
    }

    @Test func `discovery goes on after a link that failed, ran out of time, or was given up`() async throws {
        try await withBench(devices: [Devices.silent], configuration: configuration(.always)) { bench in
            _ = await bench.manager.demandDiscovery(ScanRequest())
            await bench.simulator.waitForCalls(of: "StartDiscovery")
            let failure = await failure {
                try await bench.manager.connect(to: Devices.heart, timeout: .milliseconds(600))
            }
            #expect(failure?.kind == .timedOut)
            let starts = await bench.simulator.count(of: "StartDiscovery")
            await bench.simulator.waitForCalls(of: "StartDiscovery", count: starts)
            let connects = await bench.simulator.count(of: "Connect")
            let wasCancelled = await bench.cancel(at: "Connect", count: connects + 1) {
                try await bench.manager.connect(to: Devices.heart)
            }
            #expect(wasCancelled)
            let stops = await bench.simulator.count(of: "StopDiscovery")
            await bench.simulator.waitForCalls(of: "StartDiscovery", count: stops + 1)
            #expect(await !bench.manager.isDiscoveryPaused)
        }
    }

    @Test func `it rests by itself only after a link has failed because of it`() async throws {
        try await withBench(configuration: configuration(.auto)) { bench in
            let demand = await bench.manager.demandDiscovery(ScanRequest())
            await bench.simulator.waitForCalls(of: "StartDiscovery")
            await bench.simulator.refuse("Connect", with: .abortedByLocal)
            let belt = try await bench.linked(Devices.heart)
            await bench.simulator.waitForCalls(of: "StartDiscovery", count: 2)
            #expect(await order(bench) == ["StartDiscovery", "Connect", "StopDiscovery", "Connect", "StartDiscovery"])
            // From now on each time.
            _ = try await belt.disconnect()
            _ = try await bench.linked(Devices.heart)
            await bench.simulator.waitForCalls(of: "StopDiscovery", count: 2)
            await bench.manager.stopDiscovery(demand)
        }
    }

    @Test func `a link that fails for other reasons, or while nobody listens, teaches nothing`() async throws {
        for (pause, isListening) in [(DiscoveryPause.auto, false), (.never, true)] {
            var device = Devices.belt
            device.isKnown = true
            try await withBench(devices: [device], configuration: configuration(pause)) { bench in
                if isListening {
                    _ = await bench.manager.demandDiscovery(ScanRequest())
                    await bench.simulator.waitForCalls(of: "StartDiscovery")
                }
                await bench.simulator.refuse("Connect", with: .abortedByLocal)
                let belt = try await bench.linked(Devices.heart)
                _ = try await belt.disconnect()
                if !isListening {
                    _ = await bench.manager.demandDiscovery(ScanRequest())
                    await bench.simulator.waitForCalls(of: "StartDiscovery")
                }
                _ = try await bench.linked(Devices.heart)
                #expect(await bench.simulator.count(of: "StopDiscovery") == 0)
            }
        }
    }

    // MARK: Passive scans

    private func withMonitor(
        _ devices: [DeviceModel] = [Devices.belt],
        _ configuration: BluetoothManager.Configuration = .impatient,
        _ body: (Bench) async throws -> Void
    ) async throws {
        var adapter = AdapterModel(devices: devices)
        adapter.hasMonitor = true
        try await withSimulator(adapters: [adapter]) { bus, simulator in
            try await withManager(on: bus, configuration) { manager in
                try await manager.ready(within: .seconds(50))
                try await body(Bench(manager: manager, simulator: simulator, bus: bus))
            }
        }
    }

    private static var passive: ScanRequest {
        var request = ScanRequest()
        request.mode = .passive
        return request
    }

    @Test func `a passive scan hears through a monitor, and no discovery runs`() async throws {
        try await withMonitor { bench in
            do {
                let reports = try await bench.manager.advertisements(Self.passive)
                let heard = try await first(of: reports) { $0.address == Devices.heart }
                #expect(heard?.signals ?? 0 > 0)
                #expect(await bench.manager.isDiscovering)
            }
            await bench.simulator.waitForCalls(of: "UnregisterMonitor")
            #expect(await bench.simulator.count(of: "StartDiscovery") == 0)
            #expect(await bench.simulator.count(of: "RegisterMonitor") == 1)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `scans that leave it open are passive where the configuration says so and BlueZ can`() async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.scansPassively = true
        try await withMonitor([Devices.belt], configuration) { bench in
            let reports = try await bench.manager.advertisements()
            _ = try await first(of: reports) { $0.address == Devices.heart }
            #expect(await bench.simulator.count(of: "StartDiscovery") == 0)
        }
        try await withBench(configuration: configuration) { bench in
            let reports = try await bench.manager.advertisements()
            _ = try await first(of: reports) { $0.address == Devices.heart }
            #expect(await bench.simulator.count(of: "StartDiscovery") == 1)
            let refused = await cause { try await bench.manager.advertisements(Self.passive) }
            #expect(refused == Cause(.notSupported, .scan))
        }
    }

    @Test func `a monitor has the patterns of all who listen, and hears no more than they fit`() async throws {
        var silent = Devices.belt
        silent.address = "C0:5A:00:00:00:77"
        silent.advertisement.flags = 0
        silent.advertisement.services = []
        silent.advertisement.manufacturer = [.init(0x1234, .fixed([1, 2]))]
        try await withMonitor([Devices.belt, silent]) { bench in
            let all = try await bench.manager.advertisements(Self.passive)
            _ = try await first(of: all) { $0.address == Devices.heart }
            // Without flags, and of a maker that nobody has named.
            #expect(await bench.manager.device(Devices.address(silent.address)) == nil)
            var maker = Self.passive
            maker.manufacturers = [0x1234]
            let others = try await bench.manager.advertisements(maker)
            let heard = try await first(of: others) { _ in true }
            #expect(heard?.address == Devices.address(silent.address))
            #expect(await bench.simulator.count(of: "RegisterMonitor") == 2)
            withExtendedLifetime((all, others)) {}
        }
    }

    @Test func `a monitor is registered again with a new bluetoothd, and with an adapter that is back`() async throws {
        try await withMonitor { bench in
            let reports = try await bench.manager.advertisements(Self.passive)
            _ = try await first(of: reports) { _ in true }
            await bench.simulator.leaveBus()
            try await bench.simulator.returnToBus()
            await bench.simulator.waitForCalls(of: "RegisterMonitor", count: 2)
            _ = try await first(of: reports) { _ in true }
            await bench.simulator.setPowered(false)
            await bench.simulator.setPowered(true)
            _ = try await first(of: reports) { _ in true }
        }
    }

    @Test func `nobody but bluetoothd may call the monitor`() async throws {
        try await withMonitor { bench in
            let reports = try await bench.manager.advertisements(Self.passive)
            let name = try #require(await bench.simulator.calls(of: "RegisterMonitor").first?.sender)
            let stranger = try await bench.bus.connect()
            let path = try #require(ObjectPath("/monitors/hci0/all"))
            let message = try DBusMessage.call(name, path, "org.bluez.AdvertisementMonitor1", "Release")
            await #expect(throws: DBusFailure.self) { _ = try await stranger.call(message) }
            _ = try await first(of: reports) { _ in true }
            await stranger.close()
        }
    }
}
