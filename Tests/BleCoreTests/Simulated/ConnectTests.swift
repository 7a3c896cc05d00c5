import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConnectTests {
    @Test func `a link goes through its states, each told once`() async throws {
        try await withBench { bench in
            let belt = bench.peripheral(Devices.heart)
            let states = await belt.linkStates()
            let outcome = try await belt.connect()
            #expect(!outcome.already)
            let wasLinked = try await belt.disconnect()
            #expect(wasLinked)
            var phases: [LinkState.Phase] = []
            for await state in states {
                if phases.last != state.phase { phases.append(state.phase) }
                if phases.count > 1, state.phase == .disconnected { break }
            }
            // The state between may pass unseen, when services are known in the same moment.
            phases.removeAll { $0 == .connected }
            #expect(phases == [.disconnected, .connecting, .resolved, .disconnecting, .disconnected])
            let isLinked = try await belt.disconnect()
            #expect(!isLinked)
            await bench.simulator.waitForCalls(of: "StopDiscovery")
        }
    }

    @Test func `an operation that meets a link on its end waits for that, and works on a new one`() async throws {
        var settings = SimulatorSettings()
        settings.disconnectDelay = .milliseconds(200)
        try await withBench(settings: settings) { bench in
            let belt = try await bench.linked(Devices.heart)
            async let ended = belt.disconnect()
            await bench.simulator.waitForCalls(of: "Disconnect")
            let values = try await belt.notifications(for: Devices.rate)
            #expect(try await ended)
            #expect(await bench.simulator.count(of: "Connect") == 2)
            await bench.simulator.notify(DemoDevices.heartAddress, "2a37", [0, 61])
            #expect(try await first(of: values, where: { _ in true })?.value == [0, 61])
        }
    }

    @Test func `an address that nobody has is searched for and not in range`() async throws {
        try await withBench { bench in
            let cause = await cause {
                try await bench.manager.connect(to: Devices.unknown, timeout: .milliseconds(300))
            }
            #expect(cause == Cause(.notInRange, .scan))
            #expect(await bench.simulator.count(of: "StartDiscovery") == 1)
            await bench.simulator.waitForCalls(of: "StopDiscovery")
            try await bench.waitUntilIdle()
            #expect(await bench.manager.keptLinks == 0)
        }
    }

    @Test func `a device that comes into reach while it is searched for is connected`() async throws {
        try await withBench(devices: []) { bench in
            async let belt = bench.manager.connect(to: Devices.heart, timeout: .seconds(50))
            await bench.simulator.waitForCalls(of: "StartDiscovery")
            await bench.simulator.addDevice(Devices.belt)
            let info = try await belt.info
            #expect(info?.link.phase == .resolved)
        }
    }

    @Test func `a device that does not answer is tried again until the time is over`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .milliseconds(20)
        try await withBench(devices: [Devices.silent], settings: settings) { bench in
            let belt = bench.peripheral(Devices.heart)
            let failure = try await #require(throws: BleFailure.self) {
                try await belt.connect(timeout: .seconds(3))
            }
            #expect(failure.kind == .timedOut)
            #expect(failure.stage == .connect)
            #expect(failure.dbus?.message == "le-connection-abort-by-local")
            #expect(await bench.simulator.count(of: "Connect") > 1)
            #expect(await bench.manager.linkState(of: Devices.heart).phase == .disconnected)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a connect that is cancelled takes its attempt back`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .seconds(50)
        try await withBench(devices: [Devices.silent], settings: settings) { bench in
            let belt = bench.peripheral(Devices.heart)
            #expect(await bench.cancel(at: "Connect") { try await belt.connect(timeout: .seconds(50)) })
            await bench.simulator.waitForCalls(of: "Disconnect")
            await belt.settle()
            try await bench.waitUntilIdle()
            #expect(await belt.info?.link.phase == .disconnected)
        }
    }

    @Test func `a connect that is cancelled between two attempts ends at once`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .milliseconds(1)
        var configuration = BluetoothManager.Configuration.impatient
        configuration.retryGaps = RetryGaps(all: .seconds(50) ... .seconds(50))
        try await withBench(devices: [Devices.silent], settings: settings, configuration: configuration) { bench in
            let belt = bench.peripheral(Devices.heart)
            let states = await belt.linkStates()
            // Unstructured because the test cancels it, and awaits it in place.
            let task = Task { try await belt.connect(timeout: .seconds(100)) }
            _ = try await first(of: states) { $0.attempt == 2 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await bench.manager.linkState(of: Devices.heart).phase == .disconnected)
            try await bench.waitUntilIdle(observers: 1)
        }
    }

    @Test func `a task that is cancelled already calls nothing`() async throws {
        try await withBench { bench in
            // Unstructured because the test cancels it, and awaits it in place.
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await bench.manager.connect(to: Devices.heart)
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await bench.simulator.count(of: "StartDiscovery") == 0)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `those who want one link at the same time share one attempt`() async throws {
        try await withBench { bench in
            let belt = bench.peripheral(Devices.heart)
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await belt.connect().already } }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(outcomes.count { !$0 } == 1)
            #expect(await bench.simulator.count(of: "Connect") == 1)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `when the one who makes the link gives up, one of the others goes on`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .seconds(50)
        try await withBench(devices: [Devices.silent], settings: settings) { bench in
            let belt = bench.peripheral(Devices.heart)
            // Unstructured because the test cancels it, and awaits it in place.
            let maker = Task { try await belt.connect(timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "Connect")
            // Unstructured because the test cancels it, and awaits it in place.
            let others = (0..<2).map { _ in Task { try await belt.connect(timeout: .seconds(50)) } }
            // Sleep: nothing tells when another task has begun to wait; the suite bounds it.
            while await bench.manager.load.waits < 3 { try await bench.bus.loop.sleep(for: .milliseconds(2)) }
            maker.cancel()
            await #expect(throws: CancellationError.self) { try await maker.value }
            await bench.simulator.waitForCalls(of: "Connect", count: 2)
            // One attempt is under way, the other still waits its turn.
            #expect(await bench.manager.load.waits == 2)
            for other in others { other.cancel() }
            for other in others { await #expect(throws: CancellationError.self) { try await other.value } }
            await belt.settle()
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a link that breaks before its services are known is made again`() async throws {
        var settings = SimulatorSettings()
        settings.resolveDelay = .seconds(3)
        try await withBench(settings: settings) { bench in
            let belt = bench.peripheral(Devices.heart)
            let states = await belt.linkStates()
            async let outcome = belt.connect(timeout: .seconds(50))
            _ = try await first(of: states) { $0.phase == .connected }
            await bench.simulator.dropLink(DemoDevices.heartAddress)
            let made = try await outcome
            #expect(!made.already)
            #expect(await bench.simulator.count(of: "Connect") == 2)
        }
    }

    @Test func `services that do not come are a timeout, and the link is ended`() async throws {
        var settings = SimulatorSettings()
        settings.resolveDelay = .seconds(50)
        try await withBench(settings: settings) { bench in
            let belt = bench.peripheral(Devices.heart)
            #expect(await cause { try await belt.connect(timeout: .seconds(3)) } == Cause(.timedOut, .discover))
            await bench.simulator.waitForCalls(of: "Disconnect")
            try await bench.waitUntilIdle()
            #expect(await !bench.simulator.isConnected(DemoDevices.heartAddress))
        }
    }

    @Test func `a connect that is cancelled while services are found ends its link`() async throws {
        var settings = SimulatorSettings()
        settings.resolveDelay = .seconds(50)
        try await withBench(settings: settings) { bench in
            let belt = bench.peripheral(Devices.heart)
            let states = await belt.linkStates()
            // Unstructured because the test cancels it, and awaits it in place.
            let task = Task { try await belt.connect(timeout: .seconds(50)) }
            _ = try await first(of: states) { $0.phase == .connected }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await bench.simulator.waitForCalls(of: "Disconnect")
            try await bench.waitUntilIdle(observers: 1)
        }
    }

    @Test func `a device that BlueZ forgets meanwhile is found and connected anew`() async throws {
        var settings = SimulatorSettings()
        settings.resolveDelay = .seconds(3)
        try await withBench(settings: settings) { bench in
            let client = try await SimulatorClient.connect(to: bench.bus)
            let belt = bench.peripheral(Devices.heart)
            let states = await belt.linkStates()
            async let outcome = belt.connect(timeout: .seconds(50))
            _ = try await first(of: states) { $0.phase == .connected }
            let path = try #require(ObjectPath("/org/bluez/hci0/dev_C0_5A_00_00_00_02"))
            let adapter = try #require(ObjectPath("/org/bluez/hci0"))
            try await client.call(adapter, "org.bluez.Adapter1", "RemoveDevice", .path(path))
            let made = try await outcome
            #expect(!made.already)
            #expect(await bench.simulator.count(of: "StartDiscovery") == 2)
        }
    }

    @Test func `an adapter that is switched off ends a search and an attempt`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .seconds(50)
        try await withBench(devices: [Devices.silent], settings: settings) { bench in
            async let searched = cause { try await bench.manager.connect(to: Devices.unknown, timeout: .seconds(50)) }
            async let tried = cause { try await bench.manager.connect(to: Devices.heart, timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "Connect")
            await bench.simulator.setPowered(false)
            #expect(await searched == Cause(.adapterOff, .adapter))
            #expect(await tried == Cause(.adapterOff, .adapter))
            try await bench.waitUntilIdle()
            #expect(await bench.manager.state == .off)
        }
    }

    @Test func `an adapter that is unplugged ends an attempt`() async throws {
        var settings = SimulatorSettings()
        settings.connectTimeout = .seconds(50)
        try await withBench(devices: [Devices.silent], settings: settings) { bench in
            async let tried = cause { try await bench.manager.connect(to: Devices.heart, timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "Connect")
            await bench.simulator.removeAdapter()
            #expect(await tried == Cause(.adapterMissing, .adapter))
        }
    }

    @Test func `a link of another program is known and its owner told`() async throws {
        try await withBench { bench in
            let client = try await SimulatorClient.connect(to: bench.bus)
            _ = try await bench.manager.scan { $0.address == Devices.heart ? .stop : .skip }
            let states = await bench.peripheral(Devices.heart).linkStates()
            let path = try #require(ObjectPath("/org/bluez/hci0/dev_C0_5A_00_00_00_02"))
            try await client.call(path, "org.bluez.Device1", "Connect")
            let state = try await first(of: states) { $0.phase == .resolved }
            #expect(state?.owner == .other)
            let outcome = try await bench.peripheral(Devices.heart).connect()
            #expect(outcome.already)
        }
    }

    @Test func `a device that is forgotten is gone, link and all`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            let wasKnown = try await belt.forget()
            #expect(wasKnown)
            #expect(await belt.info == nil)
            let isKnown = try await belt.forget()
            #expect(!isKnown)
            try await bench.waitUntilIdle()
            #expect(await bench.manager.keptLinks == 0)
        }
    }
}
