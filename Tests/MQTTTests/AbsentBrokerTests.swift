import EventLoop
import Glibc
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct AbsentBrokerTests {
    @Test func `B69 a closed port is reported, and a broker that comes later is taken`() async throws {
        try await withBroker(running: false) { broker in
            try await withClient(MQTTConfiguration(broker.port)) { test async throws in
                for attempt in 1...3 {
                    let failure = try await test.failure(attempt)
                    #expect(failure == .unreachable(code: ECONNREFUSED, text: "Connection refused"))
                }
                // Up to the longest, which moves by its jitter alone.
                let gaps = test.events.all.compactMap(\.retryIn).prefix(3)
                #expect(zip(gaps, gaps.dropFirst()).allSatisfy { $1 > $0 })
                #expect(await test.client.publish(MQTTPublication(topic: "t", payload: [])) == nil)
                try await broker.start()
                try await test.connected()
                #expect(try await test.deliver(MQTTPublication(topic: "t", payload: [])).isAcknowledged)
                #expect(await test.client.counters.failedAttempts >= 3)
            }
        }
    }

    @Test func `B69 a name that does not resolve is reported and tried again`() async throws {
        var configuration = MQTTConfiguration(1883)
        configuration.host = "does-not-exist.invalid"
        try await withClient(configuration) { test async throws in
            for attempt in 1...2 {
                let failure = try await test.failure(attempt)
                guard case .nameNotResolved("does-not-exist.invalid", let code, let text) = failure else {
                    // A resolver that does not answer at all is the other way to have no network.
                    #expect(failure == .noAnswer(after: .seconds(10)))
                    return
                }
                #expect(code != 0 && !text.isEmpty)
            }
        }
    }

    @Test func `B69 a resolver that is silent for ten seconds delays nothing else on the loop`() async throws {
        try await withBroker { broker in
            let attempts = Log<Void>()
            var configuration = MQTTConfiguration(broker.port)
            configuration.answerDeadline = .seconds(3)
            configuration.connectHook = {
                // Stands in for the resolver, which blocks its thread in just this way.
                attempts.append(())
                if attempts.all.count == 1 { sleep(10) }
            }
            try await withClient(configuration) { test async throws in
                let echo = try Echo()
                let longest = try await echo.longestRoundTrip(on: test.loop, for: .seconds(5))
                #expect(longest < .seconds(8))
                #expect(try await test.failure() == .noAnswer(after: .seconds(3)))
                // The next attempt does not wait for the stuck one.
                try await test.connected()
                #expect(try await test.deliver(MQTTPublication(topic: "t", payload: [])).isAcknowledged)
            }
        }
    }

    @Test func `an attempt that was given up never speaks to the broker later`() async throws {
        let broker = try ScriptedBroker([BrokerBehaviour()])
        let (entered, released) = (Log<Void>(), Log<Void>())
        var configuration = MQTTConfiguration(broker.port)
        configuration.answerDeadline = .seconds(2)
        configuration.connectHook = {
            entered.append(())
            if entered.all.count == 1 {
                // Sleep: stands in for a resolver that blocks.
                sleep(5)
                released.append(())
            }
        }
        try await withClient(configuration) { test async throws in
            let failure = try await test.failure()
            #expect(failure == .noAnswer(after: .seconds(2)))
            try await test.connected()
            _ = try await released.first(1)
            // What must not come would come at once.
            try await test.loop.sleep(for: .milliseconds(100))
            #expect(broker.packets.all.count { $0.type == BrokerPacket.connect } == 1)
            #expect(test.events.all.count { $0.isConnected } == 1)
        }
    }

    @Test func `a client is closed at once though its attempt is stuck`() async throws {
        let entered = Log<Int>()
        var configuration = MQTTConfiguration(1883)
        configuration.connectHook = {
            entered.append(1)
            // Sleep: stands in for a resolver that blocks.
            sleep(45)
        }
        let clock = ContinuousClock()
        let took = try await clock.measure {
            try await withClient(configuration) { test async throws in
                _ = try await entered.first(1)
            }
        }
        #expect(took < .seconds(40))
    }

    @Test func `a broker that accepts and says nothing is given up after the deadline`() async throws {
        let broker = try ScriptedBroker([BrokerBehaviour(.silence), BrokerBehaviour()])
        var configuration = MQTTConfiguration(broker.port)
        configuration.answerDeadline = .milliseconds(300)
        try await withClient(configuration) { test async throws in
            #expect(try await test.failure() == .noAnswer(after: .milliseconds(300)))
            try await test.connected()
            #expect(broker.packets.all.count { $0.type == BrokerPacket.connect } == 2)
            // The first may have been heard all the same: it is taken back, lest the will goes out.
            try await broker.packets.wait { $0.type == BrokerPacket.disconnect && $0.connection == 0 }
        }
    }

    @Test func `a TLS handshake that the broker does not answer is given up after the deadline`() async throws {
        let files = try await Certificates()
        let broker = try ScriptedBroker([BrokerBehaviour(.silence)])
        var configuration = MQTTConfiguration(broker.port)
        configuration.tls = MQTTTLS(caFile: files.authority)
        configuration.answerDeadline = .milliseconds(300)
        try await withClient(configuration) { test async throws in
            // Whether the script takes ClientHello for a long packet or for an end, there is one clear failure.
            let failure = try await test.failure()
            if case .tls = failure { return }
            #expect(failure == .noAnswer(after: .milliseconds(300)))
        }
    }

    @Test(arguments: [BrokerBehaviour(.refuse(0x84)), BrokerBehaviour(.refuseAs311(1))])
    func `a broker that refuses version 5 is spoken to in 3.1.1`(_ refusal: BrokerBehaviour) async throws {
        let broker = try ScriptedBroker([refusal, BrokerBehaviour()])
        try await withClient(MQTTConfiguration(broker.port)) { test async throws in
            let connection = try await test.connected()
            #expect(connection.version == .v311)
            guard case .fellBack(.refused(code: 0x84, _)) = test.events.all.first else {
                Issue.record("\(test.events.all)")
                return
            }
            #expect(broker.packets.all.compactMap(\.level) == [5, 4])
            // It stays so.
            broker.reset()
            #expect(try await test.connected(2).version == .v311)
        }
    }

    @Test func `a broker that twice closes right after CONNECT is spoken to in 3.1.1`() async throws {
        let broker = try ScriptedBroker([BrokerBehaviour(.close), BrokerBehaviour(.close), BrokerBehaviour()])
        try await withClient(MQTTConfiguration(broker.port)) { test async throws in
            #expect(try await test.connected().version == .v311)
            #expect(broker.packets.all.compactMap(\.level) == [5, 5, 4])
            #expect(try await test.failure() == .closedBeforeAnswer)
        }
    }

    @Test func `with version 5 alone a broker that refuses it is tried again and never in 3.1.1`() async throws {
        let broker = try ScriptedBroker([BrokerBehaviour(.refuse(0x84))])
        try await withClient(MQTTConfiguration(broker.port, version: .v5)) { test async throws in
            for attempt in 1...3 {
                guard case .refused(code: 0x84, _) = try await test.failure(attempt) else {
                    Issue.record("\(test.events.all)")
                    return
                }
            }
            #expect(broker.packets.all.compactMap(\.level).allSatisfy { $0 == 5 })
        }
    }

    @Test func `what CONNACK says is reported and kept to`() async throws {
        var behaviour = BrokerBehaviour()
        // Receive maximum 2, maximum QoS 0, no retained messages, maximum packet size 100, server keepalive 7.
        behaviour.connackProperties = [33, 0, 2, 36, 0, 37, 0, 39, 0, 0, 0, 100, 19, 0, 7]
        let broker = try ScriptedBroker([behaviour])
        try await withClient(MQTTConfiguration(broker.port, version: .v5)) { test async throws in
            let limits = try await test.connected().limits
            #expect(limits.receiveMaximum == 2)
            #expect(limits.maximumQoS == .atMostOnce)
            #expect(!limits.retainAvailable)
            #expect(limits.maximumPacketBytes == 100)
            #expect(limits.keepaliveSeconds == 7)
            let large = MQTTPublication(topic: "t", payload: [UInt8](repeating: 0, count: 100))
            #expect(try await test.deliver(large) == .dropped(.tooLarge))
            #expect(try await test.deliver(MQTTPublication(topic: "t", payload: [])) == .written)
            let packet = try await broker.packets.wait { $0.type == BrokerPacket.publish }
            #expect(packet.flags & 0x06 == 0)
        }
    }

    @Test func `a PUBACK that refuses is told to the publisher`() async throws {
        var behaviour = BrokerBehaviour()
        behaviour.puback = 0x97
        let broker = try ScriptedBroker([behaviour])
        try await withClient(MQTTConfiguration(broker.port, version: .v5)) { test async throws in
            try await test.connected()
            let outcome = try await test.deliver(MQTTPublication(topic: "t", payload: []))
            #expect(outcome == .refused(code: 0x97, text: "Quota exceeded"))
            #expect(await test.client.counters.refused == 1)
        }
    }

    @Test(arguments: ["", "a/+", "#", "a\0b", "a\u{7f}", String(repeating: "x", count: 65536)])
    func `a topic that is none is refused`(_ topic: String) async throws {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let test = TestClient(MQTTConfiguration(1883), on: loop)
        guard case .invalid = await test.client.publish(MQTTPublication(topic: topic, payload: [])) else {
            Issue.record("taken")
            return
        }
    }

    @Test func `a character that may not stand in a topic is found wherever it stands`() async throws {
        let loop = try EventLoop.startThread()
        defer { loop.stop() }
        let test = TestClient(MQTTConfiguration(1883), on: loop)
        let topic = Array("edge/v1/gateway/x")
        for place in topic.indices {
            for (character, isTaken) in [
                ("\u{1}", false), ("\u{1f}", false), ("\u{7f}", false), ("\u{9f}", false), ("+", false),
                (" ", true), ("~", true), ("\u{e4}", true), ("\u{20ac}", true),
            ] as [(Character, Bool)] {
                var text = topic
                text[place] = character
                let refusal = await test.client.publish(MQTTPublication(topic: String(text), payload: []))
                if case .invalid = refusal {
                    #expect(!isTaken, "\(text)")
                } else {
                    #expect(isTaken, "\(text)")
                }
            }
        }
    }
}

/// Two ends of a socket on one loop: what comes in at one goes back at once, as a D-Bus peer would answer.
struct Echo {
    private let near: Int32
    private let far: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw SystemFailure("socketpair") }
        (near, far) = (ends[0], ends[1])
    }

    /// Measures round trips through the loop, one after the other.
    ///
    /// - Parameters:
    ///   - loop: where both ends are watched.
    ///   - duration: how long.
    /// - Returns: the longest.
    /// - Throws: `CancellationError`.
    func longestRoundTrip(on loop: EventLoop, for duration: Duration) async throws -> Duration {
        let done = Log<Duration>()
        loop.execute { [near, far] in
            let end = ContinuousClock.now + duration
            var (sent, longest) = (ContinuousClock.now, Duration.zero)
            var byte: UInt8 = 0
            do {
                try loop.watch(far, for: .readable) { _ in
                    var byte: UInt8 = 0
                    if read(far, &byte, 1) == 1 { _ = write(far, &byte, 1) }
                }
                try loop.watch(near, for: .readable) { _ in
                    var byte: UInt8 = 0
                    guard read(near, &byte, 1) == 1 else { return }
                    longest = max(longest, .now - sent)
                    guard ContinuousClock.now < end else {
                        loop.unwatch(near)
                        loop.unwatch(far)
                        done.append(longest)
                        return
                    }
                    // A short breath, so that the timers take part.
                    loop.schedule(after: .milliseconds(5)) {
                        sent = .now
                        _ = write(near, &byte, 1)
                    }
                }
                _ = write(near, &byte, 1)
            } catch {
                done.append(.seconds(1000))
            }
        }
        let longest = try await done.first(1)[0]
        close(near)
        close(far)
        return longest
    }
}
