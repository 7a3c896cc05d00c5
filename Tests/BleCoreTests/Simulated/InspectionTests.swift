import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

/// What is told of bus, bluetoothd and adapters to whoever looks for a fault.
@Suite(.timeLimit(.minutes(10)))
struct InspectionTests {
    @Test func `a bus that is not there is told with what was said`() async throws {
        try await withPrivateBus { bus in
            let manager = BluetoothManager(
                configuration: .impatient,
                bus: BusAddress("unix:path=/nonexistent/bus"),
                loop: bus.loop,
                worker: bus.worker
            )
            // Unstructured because the test cancels it, and awaits it in place.
            let running = Task(executorPreference: bus.loop) { try await manager.run() }
            let found = try await manager.inspect(within: .seconds(50))
            #expect(!found.isConnected && !found.hasBluez && !found.isLoaded)
            #expect(found.bus == "unix:path=/nonexistent/bus")
            #expect(found.busFault?.name.isEmpty == false)
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }

    @Test func `a bus without bluetoothd, and a bluetoothd without adapters, are told as such`() async throws {
        try await withPrivateBus { bus in
            try await withManager(on: bus) { manager in
                let found = try await manager.inspect(within: .seconds(50))
                #expect(found.isConnected && !found.hasBluez && found.busFault == nil)
            }
        }
        try await withSimulator(adapters: []) { bus, _ in
            try await withManager(on: bus) { manager in
                let found = try await manager.inspect(within: .seconds(50))
                #expect(found.hasBluez && found.isLoaded && found.adapters.isEmpty)
                #expect(found.registration == .registered(.keyboardDisplay))
            }
        }
    }

    @Test func `adapters are told with what keeps them from being used`() async throws {
        var blocked = AdapterModel(index: 1, address: "00:1A:7D:DA:71:11", isPowered: false, devices: [])
        blocked.isBlocked = true
        let adapters = [blocked, AdapterModel(devices: [])]
        var configuration = BluetoothManager.Configuration.impatient
        configuration.adapters = try [#require(AdapterID("hci0"))]
        configuration.pairingCapability = nil
        try await withSimulator(adapters: adapters) { bus, _ in
            try await withManager(on: bus, configuration) { manager in
                let found = try await manager.inspect(within: .seconds(50))
                #expect(found.adapters.map(\.name.text) == ["hci0", "hci1"])
                #expect(found.adapters.map(\.isPowered) == [true, false])
                #expect(found.adapters.map(\.isUsed) == [true, false])
                #expect(found.registration == .none)
            }
        }
    }

    @Test func `a bluetoothd that refuses to tell what it has is told with what it said`() async throws {
        try await withPrivateBus { bus in
            let denied = "org.freedesktop.DBus.Error.AccessDenied"
            let answers = Locked([true])
            let bluez = try await FakeBluez.start(on: bus) { call in
                let isFirst = answers.withLock { $0.popLast() ?? false }
                if isFirst { return try call.errorReply(denied, "not you") }
                return call.member == "GetManagedObjects"
                    ? try call.answer(Messages.objects(Messages.linkedObjects)) : try call.reply()
            }
            try await withManager(on: bus) { manager in
                let found = try await manager.inspect(within: .seconds(50))
                #expect(found.hasBluez && !found.isLoaded)
                #expect(found.treeFault == BusFault(name: denied, message: "not you"))
                #expect(await manager.state == .denied)
                let cause = await cause { try await manager.connect(to: Devices.heart) }
                #expect(cause == Cause(.unauthorized, .adapter))
                // It is asked again.
                try await manager.ready(within: .seconds(50))
                #expect(bluez.calls.all.count { $0 == "GetManagedObjects" } == 2)
            }
        }
    }

    @Test func `a bluetoothd that says nothing is told after the time`() async throws {
        try await withPrivateBus { bus in
            _ = try await FakeBluez.start(on: bus) { _ in nil }
            try await withManager(on: bus) { manager in
                let found = try await manager.inspect(within: .milliseconds(300))
                #expect(!found.isLoaded && found.treeFault == nil)
            }
        }
    }

    @Test func `somebody is heard, or nobody is, or it is said why not`() async throws {
        try await withBench { bench in
            let isHeard = try await bench.manager.hearsAnybody(within: .seconds(50))
            #expect(isHeard)
            await bench.simulator.waitForCalls(of: "StopDiscovery")
        }
        try await withBench(devices: []) { bench in
            let isHeard = try await bench.manager.hearsAnybody(within: .milliseconds(50))
            #expect(!isHeard)
            let whole = await bench.manager.scope(.milliseconds(80))
            let cause = await cause { try await bench.manager.hearsAnybody(within: .seconds(50), of: whole) }
            // The whole is over: that is no answer about the radio.
            #expect(cause?.kind == .timedOut || cause?.kind == .notInRange)
            let events = await bench.manager.eventSequence()
            await bench.simulator.removeAdapter()
            // It is off before it is gone.
            _ = try await first(of: events) { if case .state(.noAdapter) = $0 { true } else { false } }
            let none = await BleCoreTests.cause { try await bench.manager.hearsAnybody(within: .seconds(50)) }
            #expect(none == Cause(.adapterMissing, .adapter))
            try await bench.waitUntilIdle(observers: 1)
        }
    }

    @Test func `a link that is tried is let go again, one that stood before stays`() async throws {
        try await withBench { bench in
            let first = try await bench.manager.tryLink(to: Devices.heart, within: .seconds(50))
            #expect(!first.already)
            #expect(await !bench.simulator.isConnected(DemoDevices.heartAddress))
            _ = try await bench.linked(Devices.heart)
            let second = try await bench.manager.tryLink(to: Devices.heart, within: .seconds(50))
            #expect(second.already)
            #expect(await bench.simulator.isConnected(DemoDevices.heartAddress))
        }
    }

    @Test(arguments: [
        ("usb:v1D6Bp0246d0542", "5.66"), ("USB:V1D6BP0246D054B", "5.75"), ("usb:v1D6Bp0246d05", nil),
        ("usb:v1D6Bp0246d05421", nil), ("usb:v1D6Bp0246dzzzz", nil), ("bluetooth:v1", nil), ("", nil),
    ])
    func `the version is in what BlueZ calls itself`(modalias: String, version: String?) {
        #expect(BluetoothInspection.version(inModalias: modalias) == version)
    }
}
