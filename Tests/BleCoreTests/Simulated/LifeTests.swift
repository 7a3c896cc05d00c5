import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LifeTests {
    @Test func `without bluetoothd Bluetooth is unavailable`() async throws {
        try await withPrivateBus { bus in
            try await withManager(on: bus) { manager in
                let cause = await cause { try await manager.ready(within: .milliseconds(100)) }
                #expect(cause == Cause(.bluetoothUnavailable, .adapter))
                #expect(await manager.state == .absent)
                #expect(await BleCoreTests.cause { try await manager.setPower(true) } == cause)
            }
        }
    }

    @Test func `an adapter that is missing or off is said to be`() async throws {
        try await withSimulator(adapters: []) { bus, simulator in
            try await withManager(on: bus) { manager in
                let events = await manager.eventSequence()
                _ = try await first(of: events) { if case .state(.noAdapter) = $0 { true } else { false } }
                let missing = await cause { try await manager.ready(within: .milliseconds(100)) }
                #expect(missing == Cause(.adapterMissing, .adapter))
                await simulator.addAdapter(AdapterModel(isPowered: false, devices: []))
                _ = try await first(of: events) { if case .state(.off) = $0 { true } else { false } }
                let off = await cause { try await manager.ready(within: .milliseconds(100)) }
                #expect(off == Cause(.adapterOff, .adapter))
                let changed = try await manager.setPower(true)
                #expect(changed)
                try await manager.ready(within: .seconds(50))
                let again = try await manager.setPower(true)
                #expect(!again)
                #expect(await manager.adapters.map(\.name.text) == ["hci0"])
            }
        }
    }

    @Test func `whoever waits for an adapter goes on when it comes`() async throws {
        try await withSimulator(adapters: []) { bus, simulator in
            try await withManager(on: bus) { manager in
                async let ready: Void = manager.ready(within: .seconds(50))
                // Sleep: nothing tells when another task has begun to wait; the suite bounds it.
                while await manager.load.waits == 0 { try await bus.loop.sleep(for: .milliseconds(2)) }
                await simulator.addAdapter(AdapterModel(devices: []))
                try await ready
                #expect(await manager.state == .ready)
            }
        }
    }

    @Test func `the tree is read once in each life of bluetoothd`() async throws {
        try await withBench { bench in
            #expect(await bench.manager.treeLoads == 1)
            for life in 2...4 {
                let events = await bench.manager.eventSequence()
                await bench.simulator.leaveBus()
                _ = try await first(of: events) { if case .state(.absent) = $0 { true } else { false } }
                #expect(await bench.manager.devices.isEmpty)
                try await bench.simulator.returnToBus()
                try await bench.manager.ready(within: .seconds(50))
                #expect(await bench.manager.treeLoads == life)
            }
            #expect(await bench.manager.busConnects == 1)
        }
    }

    @Test(arguments: 0..<10)
    func `bluetoothd that comes while the manager connects is not missed`(round: Int) async throws {
        try await withPrivateBus { bus in
            try await withManager(on: bus) { manager in
                let simulator = try await Simulator.start(
                    on: bus.address,
                    adapters: [AdapterModel(devices: [])],
                    loop: bus.loop,
                    worker: bus.worker
                )
                try await manager.ready(within: .seconds(50))
                #expect(await manager.treeLoads == 1)
                await simulator.leaveBus()
            }
        }
    }

    @Test func `a manager that ends closes its discovery and its connection`() async throws {
        try await withSimulator(devices: [Devices.belt]) { bus, simulator in
            let address = try await BluetoothManager.withManager(configuration: .impatient, bus: bus.address) {
                manager in
                try await manager.ready(within: .seconds(50))
                let belt = try await manager.connect { $0.name == "Sim Heart" }
                let level = try await belt.read(Devices.level)
                #expect(level.count == 1)
                return belt.address
            }
            #expect(address == Devices.heart)
            #expect(await simulator.isConnected(DemoDevices.heartAddress))
        }
    }

    @Test func `a manager ends when its scope is cancelled or throws`() async throws {
        struct Enough: Error {}
        try await withSimulator(devices: []) { bus, _ in
            await #expect(throws: Enough.self) {
                try await BluetoothManager.withManager(bus: bus.address) { _ in throw Enough() }
            }
            // Unstructured because the test cancels it, and awaits it in place.
            let task = Task {
                try await BluetoothManager.withManager(bus: bus.address) { manager in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await manager.ready(within: .seconds(50))
                }
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `an adapter that is switched on listens too, and each session is ended where it runs`() async throws {
        let models = [AdapterModel(index: 0, isPowered: false, devices: []), AdapterModel(index: 1, devices: [])]
        try await withSimulator(adapters: models) { bus, simulator in
            try await withManager(on: bus) { manager in
                try await manager.ready(within: .seconds(50))
                let demand = await manager.demandDiscovery(ScanRequest())
                await simulator.waitForCalls(of: "StartDiscovery")
                await simulator.setPowered(true, adapter: 0)
                await simulator.waitForCalls(of: "StartDiscovery", count: 2)
                var only = ScanRequest()
                only.adapter = AdapterName("hci0")
                let other = await manager.demandDiscovery(only)
                await manager.stopDiscovery(demand)
                await simulator.waitForCalls(of: "StopDiscovery")
                await manager.stopDiscovery(other)
                await simulator.waitForCalls(of: "StopDiscovery", count: 2)
                let calls = await simulator.calls().filter { $0.member.hasSuffix("Discovery") }
                #expect(
                    calls.map { "\($0.path.lastElement) \($0.member)" } == [
                        "hci1 StartDiscovery", "hci0 StartDiscovery", "hci1 StopDiscovery", "hci0 StopDiscovery",
                    ]
                )
            }
        }
    }
}
