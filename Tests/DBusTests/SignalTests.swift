import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SignalTests {
    private static func signal(_ member: String, _ values: [DBusValue]) throws -> DBusMessage {
        try DBusMessage.signal(.root, "a.b", member).append { (writer) throws(DBusFailure) in
            for value in values { try writer.append(value) }
        }
    }

    /// A client that keeps the first argument of each signal that is a number.
    private func listener(on bus: PrivateBus, _ numbers: Log<UInt32>) async throws -> DBusConnection {
        let client = try await bus.connect()
        await client.setHandler(
            { message in
                guard message.isSignal("a.b", "Number") else { return }
                var reader = message.reader()
                do throws(DBusFailure) { numbers.append(try reader.uint32()) } catch { return }
            },
            onDisconnect: {}
        )
        try await client.addMatch(MatchRule(interface: "a.b"))
        return client
    }

    @Test func `a flood arrives whole and in order while calls are answered`() async throws {
        try await withPrivateBus { bus in
            let total = 20_000
            let counter = FloodCounter()
            let client = try await bus.connect()
            await client.setHandler(
                { message in
                    var reader = message.reader()
                    do throws(DBusFailure) { counter.take(try reader.uint32()) } catch { return }
                },
                onDisconnect: {}
            )
            try await client.addMatch(MatchRule(interface: "a.b"))
            let peer = try await bus.connect()
            for number in 0..<total {
                try await peer.send(try Self.signal("Number", [.uint32(UInt32(number))]))
                // An answer amid the flood is not kept back by it.
                if number == total / 2 { #expect(try await client.owner(of: BusNames.bus) == BusNames.bus) }
            }
            try await counter.waitFor(total)
            #expect(counter.inOrder)
        }
    }

    @Test func `B87: signals of other signatures than expected pass by without harm`() async throws {
        try await withPrivateBus { bus in
            let numbers = Log<UInt32>()
            let client = try await listener(on: bus, numbers)
            let peer = try await bus.connect()
            var nested = DBusValue.byte(1)
            for _ in 0..<30 { nested = .structure([.variant(nested)]) }
            let bodies: [[DBusValue]] = [
                [], [.string("text")], [.int32(-1)], [.bytes([])], [.variant(.uint32(1))], [nested],
                [.array(of: "u", [])], [.structure([.uint32(1)])], [.properties([("a", .uint32(1))])],
            ]
            for body in bodies { try await peer.send(try Self.signal("Number", body)) }
            try await peer.send(try Self.signal("Number", [.uint32(7), .string("more")]))
            _ = try await numbers.first(1)
            #expect(numbers.all == [7])
            #expect(try await client.owner(of: BusNames.bus) == BusNames.bus)
        }
    }

    @Test func `a rule that is taken back delivers nothing more`() async throws {
        try await withPrivateBus { bus in
            let numbers = Log<UInt32>()
            let client = try await listener(on: bus, numbers)
            let peer = try await bus.connect()
            try await peer.send(try Self.signal("Number", [.uint32(1)]))
            _ = try await numbers.first(1)
            try await client.removeMatch(MatchRule(interface: "a.b"))
            try await peer.send(try Self.signal("Number", [.uint32(2)]))
            // The answer says that the bus has handled the signal.
            _ = try await peer.owner(of: BusNames.bus)
            try await client.addMatch(MatchRule(interface: "a.b"))
            try await peer.send(try Self.signal("Number", [.uint32(3)]))
            _ = try await numbers.first(2)
            #expect(numbers.all == [1, 3])
        }
    }

    @Test func `a signal to one connection reaches no other`() async throws {
        try await withPrivateBus { bus in
            let (first, second) = (Log<UInt32>(), Log<UInt32>())
            let one = try await listener(on: bus, first)
            let other = try await listener(on: bus, second)
            let peer = try await bus.connect()
            let signal = try Self.signal("Number", [.uint32(1)])
            try signal.setDestination(one.uniqueName)
            try await peer.send(signal)
            try await peer.send(try Self.signal("Number", [.uint32(2)]))
            _ = try await second.first(1)
            _ = try await first.first(2)
            #expect(first.all == [1, 2])
            #expect(second.all == [2])
            #expect(other.uniqueName != one.uniqueName)
        }
    }

    @Test func `a reply is taken up before the signals behind it`() async throws {
        try await withPrivateBus { bus in
            let order = Log<String>()
            let client = try await bus.connect()
            let peer = try await bus.connect()
            await peer.setHandler(
                { [weak peer] message in
                    peer?.assumeIsolated { peer in
                        do {
                            try peer.send(try Self.signal("Before", []))
                            try peer.send(message.reply())
                            try peer.send(try Self.signal("After", []))
                        } catch {
                            Issue.record("\(error)")
                        }
                    }
                },
                onDisconnect: {}
            )
            await client.setHandler({ order.append($0.member ?? "") }, onDisconnect: {})
            try await client.addMatch(MatchRule(interface: "a.b"))
            let call = try DBusMessage.call(peer.uniqueName, .root, "a.b", "Ask")
            await client.call(call) { _ in order.append("reply") }
            #expect(try await order.first(3) == ["Before", "reply", "After"])
        }
    }
}

/// Counts what arrives and whether it came in order, at little cost.
private final class FloodCounter: Sendable {
    private let state = Locked((next: UInt32(0), inOrder: true))
    private let waiters = Waiters()

    var inOrder: Bool { state.withLock { $0.inOrder } }

    func take(_ number: UInt32) {
        state.withLock { state in
            if number != state.next { state.inOrder = false }
            state.next += 1
        }
        if number % 1000 == 999 { waiters.check() }
    }

    func waitFor(_ count: Int) async throws {
        _ = try await waiters.wait { self.state.withLock { Int($0.next) >= count ? true : nil } }
    }
}
