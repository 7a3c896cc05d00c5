import BleCore
import BlueZSimulator
import EventLoop
import TestSupport
import Testing

/// Two adapters that both hear the belt, the second one better.
@Suite(.timeLimit(.minutes(10)))
struct TwoAdapterTests {
    private static let second = "00:1A:7D:DA:71:11"

    private func withTwo(
        configuration: BluetoothManager.Configuration = .impatient,
        _ body: (Bench) async throws -> Void
    ) async throws {
        var near = Devices.belt
        near.advertisement.rssi = -40
        let adapters = [
            AdapterModel(devices: [Devices.belt]), AdapterModel(index: 1, address: Self.second, devices: [near]),
        ]
        try await withSimulator(adapters: adapters) { bus, simulator in
            try await withManager(on: bus, configuration) { manager in
                try await manager.ready(within: .seconds(50))
                try await body(Bench(manager: manager, simulator: simulator, bus: bus))
            }
        }
    }

    private func scope(_ bench: Bench, on adapter: String) async -> OperationScope {
        let scope = await bench.manager.scope(.seconds(50))
        scope.adapter = AdapterName(adapter)
        return scope
    }

    @Test func `a link of ours through the other adapter is ended and made again through the one asked for`()
        async throws
    {
        try await withTwo { bench in
            _ = try await bench.manager.connect(Devices.heart, await scope(bench, on: "hci0"))
            #expect(await bench.manager.linkState(of: Devices.heart).adapter?.text == "hci0")
            let moving = await scope(bench, on: "hci1")
            let moved = try await bench.manager.connect(Devices.heart, moving)
            #expect(!moved.already)
            #expect(moving.applied == .no)
            #expect(await bench.manager.linkState(of: Devices.heart).adapter?.text == "hci1")
            #expect(await !bench.simulator.isConnected(DemoDevices.heartAddress, adapter: 0))
        }
    }

    @Test func `a link of another program through the other adapter is not touched`() async throws {
        try await withTwo { bench in
            let reports = try await bench.manager.advertisements()
            _ = try await first(of: reports) { $0.address == Devices.heart && $0.adapter == "hci0" }
            let stranger = try await SimulatorClient.connect(to: bench.bus)
            let states = await bench.peripheral(Devices.heart).linkStates()
            try await stranger.call(Messages.device, "org.bluez.Device1", "Connect")
            _ = try await first(of: states) { $0.phase == .resolved }
            let other = await scope(bench, on: "hci1")
            let failure = await failure { try await bench.manager.connect(Devices.heart, other) }
            #expect(failure?.kind == .connectFailed)
            #expect(failure?.detail == "another program has a link to the device through hci0")
            #expect(await bench.simulator.isConnected(DemoDevices.heartAddress, adapter: 0))
        }
    }

    @Test func `the one that hears it better is used, and the other when that is pulled out`() async throws {
        try await withTwo { bench in
            let reports = try await bench.manager.advertisements()
            var heard: Set<String> = []
            for await report in reports where report.address == Devices.heart {
                heard.insert(report.adapter)
                if heard.count == 2 { break }
            }
            #expect(await bench.manager.adapter(for: Devices.heart)?.text == "hci1")
            let values = try await bench.peripheral(Devices.heart).notifications(for: Devices.rate)
            #expect(await bench.manager.linkState(of: Devices.heart).adapter?.text == "hci1")
            let events = await bench.manager.eventSequence()
            await bench.simulator.removeAdapter(1)
            _ = try await first(of: events) { if case .adapterRemoved = $0 { true } else { false } }
            _ = try await bench.linked(Devices.heart)
            #expect(await bench.manager.linkState(of: Devices.heart).adapter?.text == "hci0")
            #expect(await bench.manager.adapterID(for: Devices.heart)?.description == "00:1A:7D:DA:71:10")
            // The subscription has moved along.
            await bench.simulator.notify(DemoDevices.heartAddress, "2a37", [0, 61], adapter: 0)
            #expect(try await first(of: values) { _ in true }?.value == [0, 61])
        }
    }

    @Test func `an adapter that the configuration means by name is used under another number as well`() async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.adapters = try [#require(AdapterID("hci1"))]
        try await withTwo(configuration: configuration) { bench in
            _ = try await bench.linked(Devices.heart)
            #expect(await bench.manager.linkState(of: Devices.heart).adapter?.text == "hci1")
            let events = await bench.manager.eventSequence()
            await bench.simulator.removeAdapter(1)
            _ = try await first(of: events) { if case .adapterRemoved = $0 { true } else { false } }
            let missing = await cause { try await bench.manager.connect(to: Devices.heart) }
            #expect(missing == Cause(.adapterMissing, .adapter))
            _ = await bench.simulator.addAdapter(AdapterModel(index: 4, address: Self.second, devices: [Devices.belt]))
            try await bench.manager.ready(within: .seconds(50))
            _ = try await bench.linked(Devices.heart)
            #expect(await bench.manager.linkState(of: Devices.heart).adapter?.text == "hci4")
            let first = await scope(bench, on: "hci0")
            let cause = await cause { try await bench.manager.connect(Devices.heart, first) }
            #expect(cause == Cause(.adapterMissing, .adapter))
        }
    }

    @Test func `twins with one address are told apart by their names`() async throws {
        let twin = "00:1A:7D:DA:71:10"
        let adapters = [AdapterModel(devices: []), AdapterModel(index: 1, address: twin, devices: [])]
        try await withSimulator(adapters: adapters) { bus, _ in
            try await withManager(on: bus) { manager in
                try await manager.ready(within: .seconds(50))
                #expect(await manager.adapters.map(\.id.description) == ["hci0", "hci1"])
            }
        }
    }
}
