import BleCore
import BlueZSimulator
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct NotificationTests {
    private static let heart = DemoDevices.heartAddress

    @Test func `values come in order, and the subscription ends with its reader`() async throws {
        try await withBench { bench in
            do {
                let rates = try await bench.peripheral(Devices.heart).notifications(for: Devices.rate)
                for beat: UInt8 in 1...5 { await bench.simulator.notify(Self.heart, "2a37", [0, beat]) }
                var values: [[UInt8]] = []
                for await rate in rates.prefix(5) {
                    values.append(rate.value)
                    #expect(rate.source.characteristic == 0x2A37 && !rate.isIndication)
                }
                #expect(values == [[0, 1], [0, 2], [0, 3], [0, 4], [0, 5]])
            }
            await bench.simulator.waitForCalls(of: "StopNotify")
            try await bench.waitUntilIdle()
        }
    }

    @Test func `observers of one characteristic share a subscription until the last has gone`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            do {
                let others = try await withThrowingTaskGroup(of: BoundedSequence<GattNotification>.self) { group in
                    for _ in 0..<4 { group.addTask { try await belt.notifications(for: Devices.rate) } }
                    var others: [BoundedSequence<GattNotification>] = []
                    for try await rates in group { others.append(rates) }
                    return others
                }
                #expect(await bench.simulator.count(of: "StartNotify") == 1)
                await bench.simulator.notify(Self.heart, "2a37", [0, 9])
                for rates in others {
                    let value = try await first(of: rates) { _ in true }?.value
                    #expect(value == [0, 9])
                }
                #expect(await bench.simulator.count(of: "StopNotify") == 0)
            }
            await bench.simulator.waitForCalls(of: "StopNotify")
            try await bench.waitUntilIdle()
            #expect(await bench.simulator.count(of: "StopNotify") == 1)
        }
    }

    @Test func `a reader that is cancelled ends its sequence`() async throws {
        try await withBench { bench in
            let rates = try await bench.peripheral(Devices.heart).notifications(for: Devices.rate)
            // Unstructured because the test cancels it, and awaits it in place.
            let reader = Task { for await _ in rates {} }
            reader.cancel()
            await reader.value
            await bench.simulator.waitForCalls(of: "StopNotify")
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a subscription that is cancelled while it starts leaves no session behind`() async throws {
        var settings = SimulatorSettings()
        settings.attDelay = .milliseconds(200)
        try await withBench(settings: settings) { bench in
            let belt = try await bench.linked(Devices.heart)
            let wasCancelled = await bench.cancel(at: "StartNotify") {
                try await belt.notifications(for: Devices.rate)
            }
            #expect(wasCancelled)
            await bench.simulator.waitForCalls(of: "StopNotify")
            try await bench.waitUntilIdle()
            #expect(await !bench.simulator.isSubscribed(Self.heart, "2a37"))
        }
    }

    @Test func `a subscription asked for while a given-up one still starts stands`() async throws {
        var settings = SimulatorSettings()
        settings.attDelay = .milliseconds(200)
        try await withBench(settings: settings) { bench in
            let belt = try await bench.linked(Devices.heart)
            _ = await bench.cancel(at: "StartNotify") { try await belt.notifications(for: Devices.rate) }
            let rates = try await belt.notifications(for: Devices.rate)
            await bench.simulator.notify(Self.heart, "2a37", [0, 7])
            let value = try await first(of: rates) { _ in true }?.value
            #expect(value == [0, 7])
        }
    }

    @Test func `a subscription outlasts a broken link and goes on with the next one`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            let states = await belt.linkStates()
            let rates = try await belt.notifications(for: Devices.rate)
            await bench.simulator.dropLink(Self.heart)
            _ = try await first(of: states) { $0.phase == .disconnected && $0.reason != nil }
            try await belt.connect()
            await bench.simulator.notify(Self.heart, "2a37", [0, 8])
            let value = try await first(of: rates) { _ in true }?.value
            #expect(value == [0, 8])
        }
    }

    @Test func `a subscription is told lost with bluetoothd and restored with the next link`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            let rates = try await belt.notifications(for: Devices.rate)
            let events = await belt.events()
            await bench.simulator.leaveBus()
            try await bench.simulator.returnToBus()
            _ = try await first(of: events) { if case .subscription(_, _, false) = $0 { true } else { false } }
            try await bench.manager.ready(within: .seconds(50))
            try await belt.connect()
            _ = try await first(of: events) { if case .subscription(_, _, true) = $0 { true } else { false } }
            await bench.simulator.notify(Self.heart, "2a37", [0, 6])
            let value = try await first(of: rates) { _ in true }?.value
            #expect(value == [0, 6])
        }
    }

    @Test func `a subscription goes on when its adapter comes back under another number`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            let rates = try await belt.notifications(for: Devices.rate)
            let events = await belt.events()
            await bench.simulator.perform([.world(.unplug(adapter: 0))])
            _ = try await first(of: events) { if case .subscription(_, _, false) = $0 { true } else { false } }
            await bench.simulator.perform([.world(.plug(adapter: 0, number: 1))])
            try await bench.manager.ready(within: .seconds(50))
            try await belt.connect()
            _ = try await first(of: events) { if case .subscription(_, _, true) = $0 { true } else { false } }
            await bench.simulator.notify(Self.heart, "2a37", [0, 5], adapter: 1)
            let value = try await first(of: rates) { _ in true }?.value
            #expect(value == [0, 5])
        }
    }

    @Test func `a read is no notification, at an offset or not`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            let levels = try await belt.notifications(for: Devices.level)
            _ = try await belt.read(Devices.level)
            _ = try await belt.read(Devices.level, offset: 1)
            await bench.simulator.notify(Self.heart, "2a19", [33])
            let value = try await first(of: levels) { _ in true }?.value
            #expect(value == [33])
        }
    }

    @Test func `what does not notify cannot be subscribed to`() async throws {
        try await withBench { bench in
            let belt = bench.peripheral(Devices.heart)
            let cause = await cause { try await belt.notifications(for: Devices.location) }
            #expect(cause == Cause(.notSupported, .operate))
            try await bench.waitUntilIdle()
        }
    }

    @Test func `indications come as such`() async throws {
        try await withBench(devices: [DemoDevices.thermometer]) { bench in
            let selector = AttributeSelector(service: 0x1809, characteristic: 0x2A1C)
            let values = try await bench.peripheral(Devices.thermometer).notifications(for: selector)
            let value = try await first(of: values) { _ in true }
            #expect(value?.isIndication == true)
        }
    }
}
