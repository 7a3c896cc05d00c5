import BleCore
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ValueTests {
    @Test func `a read that a pulled adapter leaves without an answer keeps the device from nobody`() async throws {
        var settings = SimulatorSettings()
        settings.attDelay = .seconds(50)
        try await withBench(settings: settings) { bench in
            let belt = try await bench.linked(Devices.heart)
            async let lost = cause { try await belt.read(Devices.location) }
            await bench.simulator.waitForCalls(of: "ReadValue")
            await bench.simulator.perform([.world(.unplug(adapter: 0))])
            #expect(await lost == Cause(.linkLost, .operate))
            // No answer will ever come.
            try await bench.waitUntilIdle()
        }
    }

    @Test func `services come in the order of their handles, without those that bluetoothd keeps`() async throws {
        try await withBench { bench in
            let services = try await bench.peripheral(Devices.heart).discover()
            #expect(services.map(\.uuid) == [0x1801, 0x180D, 0x180F, 0x180A])
            let rate = try #require(services[1].characteristics.first)
            #expect(rate.uuid == 0x2A37)
            #expect(rate.properties == .notify)
            #expect(rate.descriptors.map(\.uuid) == [0x2902])
            let handles = services.flatMap { $0.characteristics.map(\.handle) }
            #expect(handles == handles.sorted())
        }
    }

    @Test func `a read makes the link by itself`() async throws {
        try await withBench { bench in
            let belt = bench.peripheral(Devices.heart)
            let value = try await belt.read(Devices.location)
            #expect(value == [1])
            #expect(
                try await belt.read(AttributeSelector(service: nil, characteristic: 0x2A24), offset: 2)
                    == Array("lt 1".utf8)
            )
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a value that is read again, and from elsewhere, is read as if it were the first time`() async throws {
        try await withBench { bench in
            let belt = bench.peripheral(Devices.heart)
            let model = AttributeSelector(service: nil, characteristic: 0x2A24)
            let whole = try await belt.read(model)
            for offset in [0, 2, 0, 3, 2, 0] {
                #expect(try await belt.read(model, offset: offset) == Array(whole.dropFirst(offset)))
                #expect(try await belt.read(Devices.location) == [1])
            }
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a descriptor is read`() async throws {
        try await withBench(devices: [DemoDevices.thermometer]) { bench in
            let name = AttributeSelector(service: 0x181A, characteristic: 0x2A6E, descriptor: 0x2901)
            let value = try await bench.peripheral(Devices.thermometer).read(name)
            #expect(value == Array("Room temperature".utf8))
        }
    }

    @Test(arguments: [
        (AttributeSelector(service: 0x1234, characteristic: 0x2A38), Cause(.noService([0x1234]), .discover)),
        (AttributeSelector(service: 0x180D, characteristic: 0x2A19), Cause(.noCharacteristic([0x2A19]), .discover)),
        (AttributeSelector(handle: 0xFFFF), Cause(.noCharacteristic([]), .discover)),
        (
            AttributeSelector(service: 0x180D, characteristic: 0x2A38, descriptor: 0x2901),
            Cause(.noDescriptor([0x2901]), .discover)
        ),
        (Devices.control, Cause(.notSupported, .operate)),
    ])
    func `what cannot be read says why`(selector: AttributeSelector, expected: Cause) async throws {
        try await withBench { bench in
            #expect(await cause { try await bench.peripheral(Devices.heart).read(selector) } == expected)
            try await bench.waitUntilIdle()
        }
    }

    @Test(arguments: [-1, 513, .max])
    func `an offset beyond every value is refused before anything is sent`(offset: Int) async throws {
        try await withBench { bench in
            let belt = bench.peripheral(Devices.heart)
            #expect(await cause { try await belt.read(Devices.location, offset: offset) } == Cause(.att(7), .operate))
            let written = await cause { try await belt.write([1], to: Devices.control, offset: offset) }
            #expect(written == Cause(.att(7), .operate))
            #expect(await bench.simulator.count(of: "StartDiscovery") == 0)
        }
    }

    @Test func `a write is acknowledged, refused by the device, or without an answer`() async throws {
        try await withBench(devices: [Devices.belt, DemoDevices.framer]) { bench in
            let belt = bench.peripheral(Devices.heart)
            let outcome = try await belt.write([1], to: Devices.control)
            #expect(outcome.bytes == 1 && outcome.packets == 1 && outcome.isConfirmed)
            let refused = try await #require(throws: BleFailure.self) { try await belt.write([9], to: Devices.control) }
            #expect(refused.kind == .att(0x80))
            #expect(refused.applied == .no)
            let command = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1)
            let framer = bench.peripheral(Devices.framer)
            let sent = try await framer.write([1, 2], to: command, mode: .command)
            #expect(!sent.isConfirmed)
            #expect(
                await cause { try await belt.write([1], to: Devices.control, mode: .command) }
                    == Cause(.notSupported, .operate)
            )
        }
    }

    @Test func `a long value is cut into packets that arrive in order`() async throws {
        try await withBench(devices: [DemoDevices.framer]) { bench in
            let framer = bench.peripheral(Devices.framer)
            let command = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1)
            let value = [UInt8](0..<50)
            let outcome = try await framer.write(
                value,
                to: command,
                mode: .command,
                lengths: MTUPeripheralCommandLength(),
                gap: .milliseconds(1)
            )
            #expect(outcome.packets == 3)
            let sent = await bench.simulator.calls(of: "WriteValue").map(\.arguments.first)
            #expect(sent == [.bytes([UInt8](0..<20)), .bytes([UInt8](20..<40)), .bytes([UInt8](40..<50))])
            let tooLong = await cause { try await framer.write(value, to: command, mode: .command) }
            #expect(tooLong == Cause(.valueTooLong(limit: 20), .operate))
        }
    }

    /// A device that takes long to answer each request.
    private static var slow: SimulatorSettings {
        var settings = SimulatorSettings()
        settings.attDelay = .seconds(50)
        return settings
    }

    @Test func `a link that breaks under a read or a write ends it`() async throws {
        try await withBench(settings: Self.slow) { bench in
            let belt = try await bench.linked(Devices.heart)
            async let read = cause { try await belt.read(Devices.location, timeout: .seconds(50)) }
            async let write = failure { try await belt.write([1], to: Devices.control, timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "ReadValue")
            await bench.simulator.waitForCalls(of: "WriteValue")
            await bench.simulator.dropLink(DemoDevices.heartAddress)
            #expect(await read == Cause(.linkLost, .operate))
            let written = await write
            #expect(written?.kind == .linkLost)
            #expect(written?.applied == .maybe)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `a read that is cancelled ends at once and its call settles with the link`() async throws {
        try await withBench(settings: Self.slow) { bench in
            let belt = try await bench.linked(Devices.heart)
            #expect(
                await bench.cancel(at: "ReadValue") { try await belt.read(Devices.location, timeout: .seconds(50)) }
            )
            #expect(await bench.manager.load.calls == 1)
            #expect(await bench.manager.load.waits == 0)
            async let settled: Void = belt.settle()
            await bench.simulator.dropLink(DemoDevices.heartAddress)
            await settled
            try await bench.waitUntilIdle()
        }
    }

    @Test func `calls that never settle cost the link, and three in a row the trust in bluetoothd`() async throws {
        var configuration = BluetoothManager.Configuration.impatient
        configuration.settleLimit = .milliseconds(50)
        var settings = Self.slow
        settings.disconnectDelay = .milliseconds(1)
        try await withBench(settings: settings, configuration: configuration) { bench in
            let belt = try await bench.linked(Devices.heart)
            let cause = await cause { try await belt.read(Devices.location, timeout: .milliseconds(50)) }
            #expect(cause == Cause(.timedOut, .operate))
            await belt.settle()
            await bench.simulator.waitForCalls(of: "Disconnect")
            try await bench.waitUntilIdle()
            #expect(await bench.manager.state == .ready)
        }
    }

    @Test func `an adapter that is switched off ends a read`() async throws {
        try await withBench(settings: Self.slow) { bench in
            let belt = try await bench.linked(Devices.heart)
            async let read = cause { try await belt.read(Devices.location, timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "ReadValue")
            await bench.simulator.setPowered(false)
            #expect(await read == Cause(.linkLost, .operate))
            let next = await cause { try await belt.read(Devices.location) }
            #expect(next == Cause(.adapterOff, .adapter))
            try await bench.waitUntilIdle()
        }
    }

    @Test func `when bluetoothd is back a read makes the link anew`() async throws {
        try await withBench { bench in
            let belt = try await bench.linked(Devices.heart)
            let events = await bench.manager.eventSequence()
            await bench.simulator.leaveBus()
            _ = try await first(of: events) { if case .state(.absent) = $0 { true } else { false } }
            try await bench.simulator.returnToBus()
            try await bench.manager.ready(within: .seconds(50))
            let value = try await belt.read(Devices.location)
            #expect(value == [1])
        }
    }

    @Test func `the death of bluetoothd under a call is a lost bus, at the device perhaps done`() async throws {
        try await withBench(settings: Self.slow) { bench in
            let belt = try await bench.linked(Devices.heart)
            async let write = failure { try await belt.write([1], to: Devices.control, timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "WriteValue")
            await bench.simulator.leaveBus()
            let written = await write
            #expect(written?.kind == .busLost)
            #expect(written?.applied == .maybe)
            try await bench.waitUntilIdle()
        }
    }

    @Test func `the death of the bus ends a read, and the manager goes on looking for it`() async throws {
        try await withBench(settings: Self.slow) { bench in
            let belt = try await bench.linked(Devices.heart)
            async let read = cause { try await belt.read(Devices.location, timeout: .seconds(50)) }
            await bench.simulator.waitForCalls(of: "ReadValue")
            try await bench.bus.kill()
            #expect(await read == Cause(.busLost, .operate))
            #expect(await cause { try await belt.read(Devices.location) } == Cause(.bluetoothUnavailable, .adapter))
            #expect(await bench.manager.state == .absent)
            try await bench.waitUntilIdle()
        }
    }
}
