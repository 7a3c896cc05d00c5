import BleCore
import DBus
import EventLoop
import TestSupport
import Testing

/// Calls for a device that bluetoothd answers late, never, or with a refusal.
@Suite(.timeLimit(.minutes(10)))
struct LostReplyTests {
    private static let failed = "org.bluez.Error.Failed"
    private static let unlinked: [(ObjectPath, Messages.Interfaces)] = [
        Messages.adapterObject, Messages.deviceObject, Messages.serviceObject, Messages.characteristicObject(),
    ]
    private static let resolved: Messages.Properties = [("Connected", .bool(true)), ("ServicesResolved", .bool(true))]
    private static let gone: Messages.Properties = [("ServicesResolved", .bool(false)), ("Connected", .bool(false))]

    /// An answer to calls of one method; all others succeed.
    private func only(_ member: String, _ answer: @escaping FakeBluez.Answer) -> FakeBluez.Answer {
        { call in call.member == member ? try answer(call) : try call.reply() }
    }

    // MARK: Links

    @Test func `a link that stands without an answer to Connect is one, and a late answer changes nothing`()
        async throws
    {
        try await withPeer(objects: Self.unlinked, answer: only("Connect") { _ in nil }) { manager, bluez in
            async let outcome = manager.peripheral(Devices.heart).connect(timeout: .seconds(50))
            let call = try await bluez.call("Connect")
            try await bluez.tell(Self.resolved)
            #expect(try await !outcome.already)
            #expect(await manager.linkState(of: Devices.heart).owner == .`self`)
            // Its answer is overdue, and keeps the device from nobody.
            await manager.settle(Devices.heart)
            #expect(await manager.load.calls == 1)
            let states = await manager.peripheral(Devices.heart).linkStates()
            try await bluez.send(try call.errorReply(Self.failed, "late"))
            try await bluez.tell(Self.gone)
            _ = try await first(of: states) { $0.phase == .disconnected }
            #expect(await manager.load.calls == 0)
        }
    }

    @Test func `a link without services ends with the operation's time, and BlueZ is told`() async throws {
        try await withPeer(objects: Self.unlinked, answer: { try $0.reply() }) { manager, bluez in
            async let cause = cause {
                try await manager.peripheral(Devices.heart).connect(timeout: .milliseconds(500))
            }
            _ = try await bluez.call("Connect")
            try await bluez.tell([("Connected", .bool(true))])
            #expect(await cause == Cause(.timedOut, .discover))
            _ = try await bluez.call("Disconnect")
        }
    }

    @Test func `a Disconnect that is refused leaves the link as it is`() async throws {
        let refusal = only("Disconnect") { try $0.errorReply(Self.failed, "busy with it") }
        try await withPeer(answer: refusal) { manager, _ in
            let belt = manager.peripheral(Devices.heart)
            let failure = await failure { try await belt.disconnect() }
            #expect(failure.map { Cause($0.kind, $0.stage) } == Cause(.bus, .operate))
            #expect(failure?.applied == .maybe)
            #expect(failure?.dbus?.message == "busy with it")
            #expect(await belt.info?.link.phase == .resolved)
        }
    }

    @Test func `a device that BlueZ cannot forget is still there`() async throws {
        let answers = [
            (Self.failed, BleFailure.Kind.bus, BleFailure.Applied.maybe),
            ("org.bluez.Error.DoesNotExist", .deviceRemoved, .maybe),
            ("org.freedesktop.DBus.Error.AccessDenied", .unauthorized, .no),
        ]
        for (name, kind, applied) in answers {
            let answer = only("RemoveDevice") { try $0.errorReply(name, "no") }
            try await withPeer(answer: answer) { manager, _ in
                let belt = manager.peripheral(Devices.heart)
                let failure = await failure { try await belt.forget() }
                #expect(failure?.kind == kind)
                #expect(failure?.applied == applied)
                #expect(await belt.info != nil)
            }
        }
    }

    // MARK: Values

    @Test func `what BlueZ did not even send because the link had gone is sent on the next one`() async throws {
        let reads = Log<Int>()
        let answer: FakeBluez.Answer = { call in
            guard call.member == "ReadValue" else { return try call.reply() }
            reads.append(1)
            return reads.all.count > 1
                ? try call.answer(.bytes([7])) : try call.errorReply("org.bluez.Error.NotConnected", "Not connected")
        }
        try await withPeer(answer: answer) { manager, bluez in
            async let value = manager.peripheral(Devices.heart).read(Devices.rate, timeout: .seconds(50))
            _ = try await bluez.call("ReadValue")
            try await bluez.tell(Self.gone)
            _ = try await bluez.call("Connect")
            try await bluez.tell(Self.resolved)
            #expect(try await value == [7])
            #expect(bluez.calls.all.suffix(3) == ["ReadValue", "Connect", "ReadValue"])
        }
    }

    @Test func `an operation that may be done twice is, as often as it is allowed`() async throws {
        let answer = only("ReadValue") { try $0.errorReply("org.bluez.Error.InProgress", "In Progress") }
        try await withPeer(answer: answer) { manager, bluez in
            let scope = await manager.scope(.seconds(50))
            scope.retry = RetryPolicy(max: 2, repeatsOperation: true)
            let gaps = Log<Int>()
            scope.onRetry = { attempt, failure, _ in
                if failure.kind == .busy { gaps.append(attempt) }
            }
            let cause = await cause { try await manager.read(Devices.rate, of: Devices.heart, scope) }
            #expect(cause == Cause(.busy, .operate))
            #expect(gaps.all == [2, 3])
            #expect(bluez.calls.all.count { $0 == "ReadValue" } == 3)
            #expect(scope.attempt == 3)
        }
    }

    @Test func `a read of what is gone, or cannot be read, calls nothing`() async throws {
        let objects = Self.linkedWritable
        try await withPeer(objects: objects, answer: { try $0.reply() }) { manager, bluez in
            let belt = manager.peripheral(Devices.heart)
            let other = AttributeSelector(service: 0x180D, characteristic: 0x2A38)
            let level = AttributeSelector(service: 0x180F, characteristic: 0x2A19)
            let descriptor = AttributeSelector(service: nil, characteristic: 0x2A37, descriptor: 0x2902)
            #expect(await cause { try await belt.read(Devices.rate) } == Cause(.notSupported, .operate))
            #expect(await cause { try await belt.read(other) } == Cause(.noCharacteristic([0x2A38]), .discover))
            #expect(await cause { try await belt.read(level) } == Cause(.noService([0x180F]), .discover))
            #expect(await cause { try await belt.read(descriptor) } == Cause(.noDescriptor([0x2902]), .discover))
            let mode = WriteMode.reliable
            let refused = await cause { try await belt.write([1], to: Devices.rate, mode: mode) }
            #expect(refused == Cause(.notSupported, .operate))
            #expect(!bluez.calls.all.contains("ReadValue"))
            #expect(!bluez.calls.all.contains("WriteValue"))
        }
    }

    /// The device, linked, with a characteristic that takes writes without response alone.
    private static var linkedWritable: [(ObjectPath, Messages.Interfaces)] {
        Messages.linkedObjects.dropLast() + [Messages.characteristicObject(flags: ["write-without-response"])]
    }

    @Test func `packets that were sent before one failed are told`() async throws {
        let writes = Log<Int>()
        let answer = only("WriteValue") { call in
            writes.append(1)
            return writes.all.count < 3 ? try call.reply() : try call.errorReply(Self.failed, "no more")
        }
        try await withPeer(objects: Self.linkedWritable, answer: answer) { manager, bluez in
            let failure = await failure {
                try await manager.peripheral(Devices.heart).write(
                    [UInt8](repeating: 1, count: 100),
                    to: Devices.rate,
                    lengths: MTUPeripheralCommandLength(),
                    gap: .milliseconds(1)
                )
            }
            #expect(failure?.kind == .bus)
            #expect(failure?.applied == .partly(bytes: 40))
            #expect(bluez.calls.all.count { $0 == "WriteValue" } == 3)
        }
    }

    @Test func `what asks before it changes something sends nothing when the answer is no`() async throws {
        struct Refused: Error {}
        try await withPeer(objects: Self.linkedWritable, answer: { try $0.reply() }) { manager, bluez in
            let scope = await manager.scope(.seconds(50))
            scope.beforeChange = { $0.permit(.failure(Refused())) }
            await #expect(throws: Refused.self) {
                try await manager.write([1], to: Devices.rate, of: Devices.heart, scope)
            }
            #expect(scope.applied == .no)
            let later = await manager.scope(.seconds(50))
            // The answer comes after a moment: the write goes out with it, not before.
            later.beforeChange = { scope in
                #expect(!bluez.calls.all.contains("WriteValue"))
                scope.loop.schedule(after: .milliseconds(20)) { scope.permit(.success(())) }
            }
            let outcome = try await manager.write([1], to: Devices.rate, of: Devices.heart, later)
            #expect(outcome.bytes == 1 && !outcome.isConfirmed)
            #expect(bluez.calls.all.count { $0 == "WriteValue" } == 1)
        }
    }

    @Test func `a device that goes under a write leaves it in doubt`() async throws {
        for (path, interface, kind) in [
            (Messages.device, Messages.deviceInterface, BleFailure.Kind.deviceRemoved),
            (Messages.adapter, Messages.adapterInterface, .adapterMissing),
        ] {
            let answer = only("WriteValue") { _ in nil }
            try await withPeer(objects: Self.linkedWritable, answer: answer) { manager, bluez in
                async let failure = failure {
                    try await manager.peripheral(Devices.heart).write([1], to: Devices.rate)
                }
                _ = try await bluez.call("WriteValue")
                if kind == .adapterMissing { try await bluez.send(try Messages.removed(path, interface)) }
                try await bluez.send(try Messages.removed(Messages.device, Messages.deviceInterface))
                let found = await failure
                #expect(found?.kind == kind)
                #expect(found?.applied == .maybe)
                #expect(await manager.load.calls == 0)
            }
        }
    }

    // MARK: Subscriptions

    @Test func `a StopNotify without an answer ends with the device`() async throws {
        try await withPeer(answer: only("StopNotify") { _ in nil }) { manager, bluez in
            let scope = await manager.scope(.seconds(50))
            let held = try await manager.subscribe(Devices.rate, of: Devices.heart, holder: "a", scope) { _ in }
            #expect(!held.already)
            let again = try await manager.subscribe(Devices.rate, of: Devices.heart, holder: "a", scope) { _ in }
            #expect(again.already)
            #expect(await manager.subscriptions(of: Devices.heart) == [held.id])
            async let ended = manager.unsubscribe(Devices.rate, of: Devices.heart, holder: "a", scope)
            _ = try await bluez.call("StopNotify")
            try await bluez.send(try Messages.removed(Messages.device, Messages.deviceInterface))
            #expect(try await ended)
            #expect(try await !manager.unsubscribe(Devices.rate, of: Devices.heart, holder: "a", scope))
            #expect(await manager.subscriptions(of: Devices.heart).isEmpty)
        }
    }

    @Test func `a subscription that is refused leaves nothing behind`() async throws {
        for (name, text, kind) in [
            ("org.bluez.Error.NotPermitted", "Notify acquired", BleFailure.Kind.busy),
            ("org.bluez.Error.NotSupported", "Operation is not supported", .notSupported),
            ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x05", .needsPairing),
        ] {
            try await withPeer(answer: only("StartNotify") { try $0.errorReply(name, text) }) { manager, bluez in
                let cause = await cause {
                    try await manager.peripheral(Devices.heart).notifications(for: Devices.rate)
                }
                #expect(cause == Cause(kind, .operate))
                #expect(await manager.load.subscriptions == 0)
                #expect(!bluez.calls.all.contains("StopNotify"))
            }
        }
    }

    @Test func `after a new link the characteristic may be another: the subscription is told lost`() async throws {
        try await withPeer(answer: { try $0.reply() }) { manager, bluez in
            let scope = await manager.scope(.seconds(50))
            let held = try await manager.subscribe(Devices.rate, of: Devices.heart, holder: "a", scope) { _ in }
            try await bluez.tell(Self.gone)
            let interface = Messages.characteristicInterface
            try await bluez.send(try Messages.removed(Messages.characteristic, interface))
            let (path, content) = Messages.characteristicObject(uuid: "2a38")
            try await bluez.send(try Messages.added(path, content))
            let events = await manager.eventSequence()
            async let linked = manager.connect(to: Devices.heart, timeout: .seconds(50))
            _ = try await bluez.call("Connect")
            try await bluez.tell(Self.resolved)
            let told = try await first(of: events) { if case .subscription = $0 { true } else { false } }
            guard case .subscription(Devices.heart, held.id, restored: false)? = told else {
                Issue.record("\(String(describing: told))")
                return
            }
            _ = try await linked
            #expect(bluez.calls.all.count { $0 == "StartNotify" } == 1)
        }
    }
}
