import BleCore
import BlueZSimulator
import DBus
import EventLoop
import TestSupport
import Testing

/// Typed tasks and commands: what is sent, which packets are the answer, and how it ends.
@Suite(.timeLimit(.minutes(10)))
struct TaskTests {
    private static let write = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1)
    private static let notify = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE2)

    /// A device that notifies only what the test tells it to, and takes writes.
    private static var silentFramer: DeviceModel {
        var device = DemoDevices.framer
        device.services = [
            ServiceModel(
                "ffe0",
                [
                    CharacteristicModel("ffe1", [.writeCommand, .write, .read], value: .fixed([1, 2])),
                    CharacteristicModel("ffe2", [.notify]), CharacteristicModel("ffe3", [.read], value: .fixed([9])),
                ]
            )
        ]
        return device
    }

    private func command(_ change: (inout PeripheralOperationCommand) -> Void = { _ in }) -> PeripheralOperationCommand
    {
        var command = PeripheralOperationCommand([1, 2, 3], write: Self.write, notify: Self.notify)
        command.timeout = .seconds(50)
        change(&command)
        return command
    }

    /// Performs a command and lets the device answer with packets once it is out.
    private func exchange(
        _ bench: Bench,
        _ command: PeripheralOperationCommand,
        _ packets: [[UInt8]]
    ) async throws -> ResponsePackets {
        let written = await bench.simulator.count(of: "WriteValue")
        let task = BlueToothTaskModel(Devices.framer, timeout: .seconds(50), command: command) { $0 }
        async let answer = bench.manager.perform(task)
        await bench.simulator.waitForCalls(of: "WriteValue", count: written + 1)
        for packet in packets { await bench.simulator.notify(DemoDevices.framerAddress, "ffe2", packet) }
        return try await answer
    }

    private func withFramer(_ body: (Bench) async throws -> Void) async throws {
        try await withBench(devices: [Self.silentFramer], body)
    }

    @Test func `packets are gathered until the command's check has enough of them`() async throws {
        try await withFramer { bench in
            let whole = command {
                $0.filterData = { packet, answer in answer.isEmpty && packet.first != 0x7E ? nil : packet }
                $0.checkResponse = { $0.joined.count >= 4 ? .success : .goOn }
            }
            let answer = try await exchange(bench, whole, [[0, 0], [0x7E, 1], [2], [3, 4], [5]])
            #expect(answer == ResponsePackets([[0x7E, 1], [2], [3, 4]]))
            // The session lingers for the next command.
            let again = try await exchange(bench, whole, [[0x7E, 1, 2, 3]])
            #expect(again.count == 1)
            #expect(await bench.simulator.count(of: "StartNotify") == 1)
        }
    }

    @Test func `silence ends an answer that has begun where the command says so`() async throws {
        try await withFramer { bench in
            let quiet = command {
                $0.completesAfterSilence = .milliseconds(50)
                $0.checkResponse = { _ in .goOn }
            }
            let answer = try await exchange(bench, quiet, [[1], [2]])
            #expect(answer == ResponsePackets([[1], [2]]))
        }
    }

    @Test func `an answer that is refused, too long, or does not come is a failure of its own kind`() async throws {
        try await withFramer { bench in
            let rejecting = command { $0.checkResponse = { _ in .failure("the device says no") } }
            let rejected = await failure { try await exchange(bench, rejecting, [[1]]) }
            #expect(rejected?.kind == .responseRejected)
            #expect(rejected?.detail == "the device says no")
            let short = command {
                $0.maxResponseBytes = 3
                $0.checkResponse = { _ in .goOn }
            }
            let long = await failure { try await exchange(bench, short, [[1, 2], [3, 4]]) }
            #expect(long?.kind == .responseTooLong)
            let hasty = command {
                $0.timeout = .milliseconds(100)
                $0.checkResponse = { _ in .goOn }
            }
            let silent = await failure { try await exchange(bench, hasty, [[1, 2]]) }
            #expect(silent?.kind == .timedOut)
            for failure in [rejected, long, silent] {
                #expect(failure?.stage == .operate)
                #expect(failure?.applied == .maybe)
            }
        }
    }

    @Test func `a link that ends under an answer ends the command`() async throws {
        try await withFramer { bench in
            let endless = command { $0.checkResponse = { _ in .goOn } }
            let task = BlueToothTaskModel(Devices.framer, timeout: .seconds(50), command: endless) { $0 }
            async let lost = failure { try await bench.manager.perform(task) }
            await bench.simulator.waitForCalls(of: "WriteValue")
            await bench.simulator.dropLink(DemoDevices.framerAddress)
            let found = await lost
            #expect(found?.kind == .linkLost)
            #expect(found?.applied == .maybe)
            async let removed = failure { try await bench.manager.perform(task) }
            await bench.simulator.waitForCalls(of: "WriteValue", count: 2)
            await bench.simulator.removeDevice(DemoDevices.framerAddress)
            let gone = await removed
            #expect(gone?.kind == .deviceRemoved || gone?.kind == .linkLost)
            #expect(gone?.applied == .maybe)
        }
    }

    @Test func `a long connection goes to its holder, and is nobody's without one`() async throws {
        try await withFramer { bench in
            let values = Log<[UInt8]>()
            let holder = BluetoothManager.ConnectionHolder("test") { values.append($0.value) }
            for command in [
                command { $0.isLongConnection = true }, command { $0.checkResponse = { _ in .longConnection } },
            ] {
                let scope = await bench.manager.scope(.seconds(50))
                let written = await bench.simulator.count(of: "WriteValue")
                async let held = bench.manager.perform(command, on: Devices.framer, holder: holder, scope)
                await bench.simulator.waitForCalls(of: "WriteValue", count: written + 1)
                let earlier = values.all.count { $0 == [2] }
                await bench.simulator.notify(DemoDevices.framerAddress, "ffe2", [1])
                let id = try await held.connection
                #expect(id?.characteristic == 0xFFE2)
                await bench.simulator.notify(DemoDevices.framerAddress, "ffe2", [2])
                try await values.wait(earlier + 1) { $0 == [2] }
                let ended = try await bench.manager.unsubscribe(
                    Self.notify,
                    of: Devices.framer,
                    holder: "test",
                    scope
                )
                #expect(ended)
            }
            let nobody = command { $0.checkResponse = { _ in .longConnection } }
            let failure = await failure { try await exchange(bench, nobody, [[1]]) }
            #expect(failure?.kind == .notSupported)
            #expect(failure?.applied == .yes)
        }
    }

    @Test func `a long connection whose command cannot be sent is let go`() async throws {
        try await withFramer { bench in
            let holder = BluetoothManager.ConnectionHolder("test") { _ in }
            let reliable = command {
                $0.isLongConnection = true
                $0.mode = .reliable
            }
            let scope = await bench.manager.scope(.seconds(50))
            let cause = await cause {
                try await bench.manager.perform(reliable, on: Devices.framer, holder: holder, scope)
            }
            #expect(cause == Cause(.notSupported, .operate))
            #expect(await bench.simulator.count(of: "WriteValue") == 0)
            #expect(await bench.manager.subscriptions(of: Devices.framer).isEmpty)
        }
    }

    /// Counts what it accompanies.
    private final class Companion: BlueToothTaskPlugin {
        let log = Log<String>()
        func taskWillStart(for address: DeviceAddress) { log.append("start") }
        func taskDidEnd(for address: DeviceAddress, error: (any Error)?) { log.append(error == nil ? "end" : "error") }
    }

    @Test func `a task is accompanied, observed and made into something else`() async throws {
        struct Wrong: Error, Equatable {}
        try await withFramer { bench in
            let other = AttributeSelector(service: 0xFFE0, characteristic: 0xFFE3)
            let companion = Companion()
            let ends = Log<String>()
            let reading = BlueToothTaskModel(Devices.framer, reading: other) { $0 }
                .onEnd { ends.append("\($0)") }
                .with(companion)
            let text = reading.map { "\($0.count) bytes" }
            let value = try await bench.manager.perform(text)
            #expect(value == "1 bytes")
            #expect(ends.all.isEmpty)
            await bench.manager.perform(BlueToothAnyTaskModel(reading))
            #expect(ends.all.count == 1)
            let failing = reading.map { _ -> Int in throw Wrong() }
            await #expect(throws: Wrong.self) { try await bench.manager.perform(failing) }
            #expect(companion.log.all == ["start", "end", "start", "end", "start", "error"])
        }
    }

    @Test func `a command may be made from a value that is read first`() async throws {
        try await withFramer { bench in
            let silent = BlueToothTaskModel(
                Devices.framer,
                timeout: .seconds(50),
                reading: Self.write,
                command: { PeripheralOperationCommand($0 + [3], write: Self.write) },
                parse: { $0.count }
            )
            let count = try await bench.manager.perform(silent)
            #expect(count == 0)
            let write = try #require(await bench.simulator.calls(of: "WriteValue").last)
            #expect(write.arguments.first == .bytes([1, 2, 3]))
        }
    }

    @Test func `a task that names an adapter that is not there is told so before anything is done`() async throws {
        try await withFramer { bench in
            let scope = await bench.manager.scope(.seconds(50))
            scope.adapter = AdapterName("hci7")
            let ends = Log<BleFailure.Kind?>()
            let task = BlueToothTaskModel(Devices.framer, reading: Self.write) { $0 }
                .onEnd { end in
                    if case .failure(let error) = end { ends.append((error as? BleFailure)?.kind) }
                }
            await bench.manager.perform(BlueToothAnyTaskModel(task), in: scope)
            #expect(ends.all == [.adapterMissing])
            #expect(await bench.simulator.count(of: "Connect") == 0)
        }
    }

    @Test func `a task whose caller is cancelled is told so to its observers`() async throws {
        var settings = SimulatorSettings()
        settings.attDelay = .seconds(50)
        try await withBench(devices: [Self.silentFramer], settings: settings) { bench in
            let ends = Log<Bool>()
            let task = BlueToothTaskModel(Devices.framer, timeout: .seconds(100), reading: Self.write) { $0 }
                .onEnd { end in
                    if case .failure(let error) = end { ends.append(error is CancellationError) }
                }
            // Unstructured because the test cancels it, and awaits it in place.
            let running = Task { await bench.manager.perform(BlueToothAnyTaskModel(task)) }
            await bench.simulator.waitForCalls(of: "ReadValue")
            running.cancel()
            await running.value
            #expect(ends.all == [true])
        }
    }
}
