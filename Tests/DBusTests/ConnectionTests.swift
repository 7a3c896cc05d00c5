import DBus
import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    /// A peer that answers `Echo` with its arguments and `Fail` with an error, and keeps other calls unanswered.
    private func answerer(on bus: PrivateBus, held: Log<DBusMessage> = Log()) async throws -> DBusConnection {
        let peer = try await bus.connect()
        await peer.setHandler(
            { [weak peer] message in
                guard message.kind == .methodCall else { return }
                peer?.assumeIsolated { peer in
                    do {
                        switch message.member {
                        case "Echo": try peer.send(Self.echo(message))
                        case "Fail": try peer.send(message.errorReply("a.b.Refused", "not today"))
                        default: held.append(message)
                        }
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            },
            onDisconnect: {}
        )
        return peer
    }

    private static func echo(_ call: DBusMessage) throws(DBusFailure) -> DBusMessage {
        var reader = call.reader()
        return try call.reply().append { (writer) throws(DBusFailure) in
            while !reader.atEnd { try writer.append(try reader.value()) }
        }
    }

    private static func call(_ peer: DBusConnection, _ member: String, _ values: DBusValue...) throws -> DBusMessage {
        let message = try DBusMessage.call(peer.uniqueName, .root, "a.b", member)
        return try message.append { (writer) throws(DBusFailure) in
            for value in values { try writer.append(value) }
        }
    }

    @Test(arguments: 0..<5)
    func `a call brings back over the bus what went in`(seed: Int) async throws {
        try await withPrivateBus { bus in
            let peer = try await answerer(on: bus)
            let client = try await bus.connect()
            var random = RandomValue(seed: UInt64(seed + 100))
            for _ in 0..<50 {
                let value = random.value()
                var reader = try await client.call(try Self.call(peer, "Echo", value)).reader()
                #expect(try reader.value() == value)
            }
            #expect(await client.callsOut == 0)
        }
    }

    @Test func `an error reply is thrown with its name and text`() async throws {
        try await withPrivateBus { bus in
            let peer = try await answerer(on: bus)
            let client = try await bus.connect()
            await #expect(throws: DBusFailure.error(name: "a.b.Refused", message: "not today")) {
                _ = try await client.call(try Self.call(peer, "Fail"))
            }
            let nobody = try DBusMessage.call("no.body", .root, "a.b", "C")
            let failure = await #expect(throws: DBusFailure.self) { _ = try await client.call(nobody) }
            guard case .error("org.freedesktop.DBus.Error.ServiceUnknown", _)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test func `a cancelled caller goes on at once, and its call is over with the reply`() async throws {
        try await withPrivateBus { bus in
            let held = Log<DBusMessage>()
            let peer = try await answerer(on: bus, held: held)
            let client = try await bus.connect()
            try await withThrowingTaskGroup(of: Void.self) { group in
                let message = try Self.call(peer, "Hold")
                group.addTask { _ = try await client.call(message) }
                _ = try await held.first(1)
                group.cancelAll()
                await #expect(throws: CancellationError.self) { try await group.next() }
            }
            #expect(await client.callsOut == 1)
            let late = try held.all[0].reply()
            try await peer.send(late)
            // The answer to this call comes behind the late one.
            _ = try await client.call(try Self.call(peer, "Echo"))
            #expect(await client.callsOut == 0)
        }
    }

    @Test func `a task that is cancelled before sends nothing`() async throws {
        try await withPrivateBus { bus in
            let held = Log<DBusMessage>()
            let peer = try await answerer(on: bus, held: held)
            let client = try await bus.connect()
            let message = try Self.call(peer, "Hold")
            await withTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask {
                    await #expect(throws: CancellationError.self) { _ = try await client.call(message) }
                }
            }
            _ = try await client.call(try Self.call(peer, "Echo"))
            #expect(held.all.isEmpty)
        }
    }

    @Test func `when the bus dies every caller hears of it, once, and nothing is sent any more`() async throws {
        try await withPrivateBus { bus in
            let held = Log<DBusMessage>()
            let ends = Log<Bool>()
            let peer = try await answerer(on: bus, held: held)
            let client = try await bus.connect()
            await client.setHandler({ _ in }, onDisconnect: { ends.append(true) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    let message = try Self.call(peer, "Hold")
                    group.addTask {
                        await #expect(throws: DBusFailure.disconnected) { _ = try await client.call(message) }
                    }
                }
                _ = try await held.first(20)
                try await bus.kill()
                try await group.waitForAll()
            }
            _ = try await ends.first(1)
            let message = try Self.call(peer, "Echo")
            await #expect(throws: DBusFailure.disconnected) { _ = try await client.call(message) }
            await #expect(throws: DBusFailure.disconnected) { try await client.send(message) }
            await client.close()
            #expect(ends.all.count == 1)
            #expect(await client.callsOut == 0)
        }
    }

    @Test func `who asks for the end after the end is told at once`() async throws {
        try await withPrivateBus { bus in
            let client = try await bus.connect()
            await client.close()
            let ends = Log<Bool>()
            await client.setHandler({ _ in }, onDisconnect: { ends.append(true) })
            #expect(ends.all == [true])
        }
    }

    @Test func `a name has one owner at a time`() async throws {
        try await withPrivateBus { bus in
            let first = try await bus.connect()
            let second = try await bus.connect()
            #expect(try await first.owner(of: "a.b") == nil)
            #expect(try await first.requestName("a.b"))
            #expect(try await first.requestName("a.b"))
            #expect(try await !second.requestName("a.b"))
            #expect(try await second.owner(of: "a.b") == first.uniqueName)
            try await first.releaseName("a.b")
            #expect(try await second.requestName("a.b"))
            await #expect(throws: DBusFailure.self) { _ = try await first.requestName("no name") }
            await #expect(throws: DBusFailure.self) { _ = try await first.owner(of: "a\0b") }
        }
    }

    @Test func `a connection that nobody holds any more leaves the bus`() async throws {
        try await withPrivateBus { bus in
            let gone = Log<String>()
            let watcher = try await bus.connect()
            await watcher.setHandler(
                { message in
                    var reader = message.reader()
                    do throws(DBusFailure) { gone.append(try reader.string()) } catch { return }
                },
                onDisconnect: {}
            )
            try await watcher.addMatch(MatchRule(sender: BusNames.bus, member: "NameOwnerChanged"))
            let name = try await bus.connect().uniqueName
            // Its coming and its going.
            try await gone.wait(2) { $0 == name }
            #expect(try await watcher.owner(of: name) == nil)
        }
    }

    @Test func `a bus that is not there or has no address is a failure with the library's words`() async throws {
        try await withPrivateBus { bus in
            for address in ["unix:path=/nowhere/bus", "nonsense", "", "unix:path=/a\0b"] {
                let failure = await #expect(throws: DBusFailure.self) {
                    _ = try await DBusConnection.open(BusAddress(address), on: bus.loop, worker: bus.worker)
                }
                switch failure {
                case .connect(let name, let message)?: #expect(name.contains(".") && !message.isEmpty)
                case .invalid?: #expect(address.contains("\0"))
                default: Issue.record("\(String(describing: failure))")
                }
            }
        }
    }
}
