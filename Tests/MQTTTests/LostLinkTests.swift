import EventLoop
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LostLinkTests {
    @Test func `what waits while there is no link goes out on the next one, the newest state alone, the birth first`()
        async throws
    {
        let broker = try ScriptedBroker([BrokerBehaviour()])
        var configuration = MQTTConfiguration(broker.port)
        configuration.reconnect.first = .seconds(5)
        configuration.reconnect.longest = .seconds(5)
        try await withClient(configuration) { test async throws in
            try await test.connected()
            broker.reset()
            _ = try await test.failure()
            var states = (0..<3).map { MQTTPublication(topic: "state", payload: [UInt8($0)], retain: true) }
            for index in states.indices { states[index].replaces = true }
            let result = MQTTPublication(topic: "result", payload: [])
            let scan = MQTTPublication(topic: "scan", payload: [], qos: .atMostOnce, delivery: .expendable)
            var late = MQTTPublication(topic: "late", payload: [], delivery: .ordered)
            late.expirySeconds = 0
            var birth = MQTTPublication(topic: "birth", payload: [])
            birth.first = true
            let outcomes = Log<MQTTOutcome>()
            let refused = await test.client.publishAll([states[0], states[1], result, states[2], scan, late, birth]) {
                outcomes.append($0)
            }
            #expect(refused == 1)
            #expect(outcomes.all == [.dropped(.replaced), .dropped(.replaced)])
            let all = try await outcomes.first(6)
            #expect(all.count { $0.isAcknowledged } == 3)
            #expect(all.count { $0 == .dropped(.expired) } == 1)
            let published = broker.packets.all.filter { $0.type == BrokerPacket.publish }
            #expect(published.compactMap(\.topic) == ["birth", "result", "state"])
            #expect(published.last?.body.last == 2)
            let counters = await test.client.counters
            #expect(counters.replaced == 2 && counters.expired == 1 && counters.droppedExpendable == 1)
            #expect(counters.droppedRequired == 0)
        }
    }

    @Test func `unacknowledged messages are sent again first and in order, acknowledged ones never`() async throws {
        var deaf = BrokerBehaviour()
        deaf.puback = nil
        let broker = try ScriptedBroker([deaf, BrokerBehaviour()])
        var configuration = MQTTConfiguration(broker.port)
        configuration.outgoing.unacknowledged = 3
        try await withClient(configuration) { test async throws in
            try await test.connected()
            let outcomes = Log<MQTTOutcome>()
            let publications = (0..<5).map { MQTTPublication(topic: "t/\($0)", payload: []) }
            #expect(await test.client.publishAll(publications) { outcomes.append($0) } == 0)
            try await broker.packets.wait(3) { $0.type == BrokerPacket.publish }
            // The window is full, and the broker has said nothing.
            #expect(await test.client.counters.unacknowledged == 3)
            broker.send(BrokerPacket.puback(1))
            try await broker.packets.wait(4) { $0.type == BrokerPacket.publish }
            #expect(outcomes.all == [.acknowledged])
            broker.reset()
            #expect(try await outcomes.first(5).allSatisfy { $0.isAcknowledged })
            let topics = broker.packets.all.filter { $0.connection == 1 }.compactMap(\.topic)
            #expect(topics == ["t/1", "t/2", "t/3", "t/4"])
            #expect(await test.client.counters.published == 5)
        }
    }

    @Test func `a message that the broker hangs up on is given up in the end, and no other with it`() async throws {
        var behaviour = BrokerBehaviour()
        behaviour.hangsUpOn = "poison"
        let broker = try ScriptedBroker([behaviour])
        var configuration = MQTTConfiguration(broker.port, version: .v311)
        configuration.reconnect.longest = .milliseconds(20)
        try await withClient(configuration) { test async throws in
            try await test.connected()
            let outcomes = Log<MQTTOutcome>()
            let topics = ["a", "poison", "b", "c"]
            let publications = topics.map { MQTTPublication(topic: $0, payload: []) }
            #expect(await test.client.publishAll(publications) { outcomes.append($0) } == 0)
            let all = try await outcomes.first(4)
            #expect(all.count { $0 == .dropped(.breaksLinks) } == 1)
            #expect(all.count { $0.isAcknowledged } == 3)
            // The first break may be put down to the message before it, when its acknowledgement was lost with the link.
            let tries = broker.packets.all.count { $0.topic == "poison" }
            #expect((10...11).contains(tries))
        }
    }

    @Test func `closing while CONNACK is awaited waits for it and says goodbye`() async throws {
        var behaviour = BrokerBehaviour(.silence)
        behaviour.suback = nil
        let broker = try ScriptedBroker([behaviour])
        var configuration = MQTTConfiguration(broker.port, version: .v311)
        configuration.will = MQTTWill(topic: "will", payload: [])
        try await withClient(configuration) { test async throws in
            try await broker.packets.wait { $0.type == BrokerPacket.connect }
            async let closed: Void = test.client.close(timeout: .seconds(20))
            broker.send([0x20, 2, 0, 0])
            await closed
            try await broker.packets.wait { $0.type == BrokerPacket.disconnect }
            #expect(test.events.all.last == .closed)
        }
    }

    @Test func `a frozen broker is noticed by the keepalive`() async throws {
        try await withBroker { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.keepaliveSeconds = 5
            try await withClient(configuration) { test async throws in
                try await test.connected()
                broker.freeze()
                #expect(try await test.failure() == .keepaliveMissed)
                broker.thaw()
                try await test.connected(2)
            }
        }
    }

    @Test func `an idle link lives through several keepalives and hardly wakes the loop`() async throws {
        try await withBroker { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.keepaliveSeconds = 5
            try await withClient(configuration) { test async throws in
                try await test.connected()
                let turns = await test.client.countTurns(for: .seconds(12))
                #expect(test.events.all.allSatisfy { $0.failure == nil })
                #expect(turns < 40)
                try await broker.waitForLog("Received PINGREQ", count: 2)
            }
        }
    }

    @Test(arguments: [MQTTVersionPolicy.v5, .v311])
    func `B67 two clients with one id: the gaps grow and the likely cause is named`(
        _ version: MQTTVersionPolicy
    ) async throws {
        try await withBroker { broker in
            var configuration = MQTTConfiguration(broker.port, version: version)
            configuration.reconnect.jitter = 0
            configuration.reconnect.first = .milliseconds(10)
            configuration.reconnect.longest = .seconds(5)
            try await withClient(configuration) { first in
                try await first.connected()
                try await withClient(configuration) { second in
                    _ = try await first.events.wait(4) { $0.isClash != nil }
                    _ = try await second.events.wait(3) { $0.isClash != nil }
                    for client in [first, second] {
                        let lost = client.events.all.filter { $0.isClash != nil }
                        let gaps = lost.compactMap(\.retryIn)
                        #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $1 == $0 * 2 })
                        #expect(lost.dropFirst().allSatisfy { $0.isClash == true })
                    }
                }
            }
        }
    }

    @Test func `B67 a broker that says the session was taken over names the cause at once`() async throws {
        var behaviour = BrokerBehaviour()
        behaviour.afterConnack = [[0xE0, 1, 0x8E]]
        let broker = try ScriptedBroker([behaviour])
        try await withClient(MQTTConfiguration(broker.port, version: .v5)) { test async throws in
            let event = try await test.events.wait { $0.isClash != nil }
            #expect(event.isClash == true)
            #expect(event.failure == .disconnectedByBroker(code: 0x8E, text: "Session taken over"))
        }
    }
}

extension MQTTEvent {
    /// Whether a lost link is put down to another client with the same id; nil for other events.
    var isClash: Bool? {
        if case .disconnected(_, _, _, let clash) = self { clash } else { nil }
    }
}

extension BrokerPacket {
    static func puback(_ id: UInt8) -> [UInt8] { [0x40, 2, 0, id] }
}

extension MQTTClient {
    /// Counts the turns of the loop.
    func countTurns(for duration: Duration) async -> Int {
        var turns = 0
        let hook = loop.addHook {
            turns += 1
            return false
        }
        await withCheckedContinuation { continuation in
            loop.schedule(after: duration) { continuation.resume() }
        }
        loop.removeHook(hook)
        return turns
    }
}
