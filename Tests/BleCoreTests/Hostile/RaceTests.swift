import BleCore
import DBus
import EventLoop
import PaceSupport
import TestSupport
import Testing

/// One operation, raced by everything that may end it.
@Suite(.timeLimit(.minutes(10)))
struct RaceTests {
    private enum Event: String, CaseIterable {
        case reply, timeout, disconnection, removal, cancellation
    }

    /// What the test hears of a round: the call on the bus, and how the operation ended.
    private enum News {
        case call(DBusMessage)
        case end(String)
    }

    /// The device with a link whose services are known, under a name that tells the rounds apart.
    private static func linked(_ name: String) -> Messages.Interfaces {
        let properties: Messages.Properties = [
            ("Name", .string(name)), ("Connected", .bool(true)), ("ServicesResolved", .bool(true)),
        ]
        return [(Messages.deviceInterface, properties)]
    }
    private static let rounds = Rounds.of(10_000)

    @Test func `an operation that everything races ends once, in all orders`() async throws {
        let (calls, arrived) = AsyncStream.makeStream(of: News.self)
        let tree = Messages.objects([
            Messages.adapterObject, (Messages.device, Self.linked("start")), Messages.serviceObject,
            Messages.characteristicObject(),
        ])
        try await withPrivateBus { bus in
            let peer = try await FakeBluez.start(on: bus) { call in
                switch call.member {
                case "GetManagedObjects": return try call.answer(tree)
                case "ReadValue":
                    arrived.yield(.call(call))
                    return nil
                default: return try call.reply()
                }
            }
            try await withManager(on: bus) { manager in
                try await manager.ready(within: .seconds(50))
                try await race(manager, peer, bus, calls, arrived)
            }
        }
    }

    private func race(
        _ manager: BluetoothManager,
        _ peer: FakeBluez,
        _ bus: PrivateBus,
        _ calls: AsyncStream<News>,
        _ arrived: AsyncStream<News>.Continuation
    ) async throws {
        var incoming = calls.makeAsyncIterator()
        var random = SeededRandom(seed: 2_026)
        var ends: [String: [String: Int]] = [:]
        for round in 0..<Self.rounds {
            let order = Event.allCases.shuffled(using: &random)
            let scope = await manager.scope(.seconds(50))
            // Unstructured because what may end it happens meanwhile; awaited in place.
            let task = Task(executorPreference: bus.loop) {
                let end = await Self.end(of: manager, scope)
                arrived.yield(.end(end))
            }
            let first = await incoming.next()
            guard case .call(let call)? = first else {
                await task.value
                let load = await manager.load
                Issue.record("round \(round) ended without a call: \(String(describing: first)), \(load)")
                return
            }
            for event in order {
                try await happen(event, call, scope, peer, bus)
                for _ in 0..<Int.random(in: 0...2, using: &random) { await Task.yield() }
            }
            guard case .end(let end)? = await incoming.next() else {
                Issue.record("round \(round) called twice")
                return
            }
            await task.value
            bus.loop.execute { scope.finish() }
            let name = order.map(\.rawValue).joined(separator: " ")
            ends[name, default: [:]][end, default: 0] += 1
            try await restore(manager, peer, "round \(round)")
        }
        if Rounds.areAll { #expect(ends.count == 120) }
        #expect(ends.values.reduce(0) { $0 + $1.values.reduce(0, +) } == Self.rounds)
        let kinds = Set(ends.values.flatMap(\.keys))
        if Rounds.areAll {
            #expect(kinds == ["value", "timedOut", "linkLost", "deviceRemoved", "CancellationError()"])
        }
        for (order, counts) in ends.sorted(by: { $0.key < $1.key }) {
            let text = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            print("raced \(order): \(text.joined(separator: ", "))")
        }
    }

    /// How a read ends.
    ///
    /// A second end would resume its continuation again, which traps.
    private static func end(of manager: BluetoothManager, _ scope: OperationScope) async -> String {
        do {
            let value = try await manager.read(Devices.rate, of: Devices.heart, scope)
            return value == [7] ? "value" : "\(value)"
        } catch let failure as BleFailure {
            return "\(failure.kind)"
        } catch {
            return "\(error)"
        }
    }

    private func happen(
        _ event: Event,
        _ call: DBusMessage,
        _ scope: OperationScope,
        _ peer: FakeBluez,
        _ bus: PrivateBus
    ) async throws {
        switch event {
        case .reply: try await peer.send(try call.answer(.bytes([7])))
        case .disconnection:
            let gone: Messages.Properties = [("ServicesResolved", .bool(false)), ("Connected", .bool(false))]
            try await peer.send(try Messages.changed(Messages.device, Messages.deviceInterface, gone))
        case .removal: try await peer.send(try Messages.removed(Messages.device, Messages.deviceInterface))
        case .timeout: bus.loop.execute { scope.expire() }
        case .cancellation: bus.loop.execute { scope.cancel() }
        }
    }

    /// Brings the device back, and waits until nothing of the round is left.
    ///
    /// The name comes behind all that was sent: with it nothing is still on its way.
    private func restore(_ manager: BluetoothManager, _ peer: FakeBluez, _ name: String) async throws {
        for (path, content) in [
            (Messages.device, Self.linked("back")), Messages.serviceObject, Messages.characteristicObject(),
        ] { try await peer.send(try Messages.added(path, content)) }
        let named: Messages.Properties = [("Name", .string(name))]
        try await peer.send(try Messages.changed(Messages.device, Messages.deviceInterface, named))
        let deadline = ContinuousClock.now + .seconds(50)
        while true {
            let isBack = await manager.knownServices(of: Devices.heart)?.first?.characteristics.isEmpty == false
            let load = await manager.load
            let isNew = await manager.device(Devices.heart)?.advertisement.name == name
            if isBack, isNew, load.waits == 0, load.calls == 0 { return }
            guard ContinuousClock.now < deadline else {
                Issue.record("left behind: \(load), back: \(isBack)")
                return
            }
            await Task.yield()
        }
    }
}
