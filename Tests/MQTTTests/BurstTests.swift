import EventLoop
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct BurstTests {
    @Test(arguments: [MQTTVersionPolicy.v5, .v311], [false, true])
    func `a thousand messages go each way at the same time, again after the broker was killed`(
        _ version: MQTTVersionPolicy,
        _ isEncrypted: Bool
    ) async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        if isEncrypted { options.certificate = try await files.issueForLoopback() }
        try await withBroker(options) { broker in
            var configuration = MQTTConfiguration(broker.port, version: version)
            if isEncrypted { configuration.tls = MQTTTLS(caFile: files.authority) }
            var other = configuration
            other.clientID = "other"
            try await withClient(configuration) { test in
                try await withClient(other) { peer in
                    try await test.subscribe(MQTTSubscription("to/agent"))
                    try await peer.subscribe(MQTTSubscription("to/peer"))
                    try await exchange(test, peer, round: 0)
                    try await broker.kill()
                    try await broker.start()
                    for client in [test, peer] {
                        try await client.connected(2)
                        let filter = client === test ? "to/agent" : "to/peer"
                        _ = try await client.events.wait(2) { $0.outcome(for: filter) == .granted(.atLeastOnce) }
                    }
                    try await exchange(test, peer, round: 1)
                    let counters = await test.client.counters
                    #expect(counters.published == 2000)
                    #expect(counters.acknowledged == 2000)
                    #expect(counters.received == 2000)
                    #expect(counters.queued == 0 && counters.queuedBytes == 0 && counters.unacknowledged == 0)
                    #expect(counters.connects == 2)
                }
            }
        }
    }

    private func exchange(_ test: TestClient, _ peer: TestClient, round: Int) async throws {
        func payload(_ number: Int) -> [UInt8] {
            Array("\(round * 1000 + number)".utf8) + [UInt8](repeating: 0x20, count: 1000)
        }
        for (client, topic) in [(test, "to/peer"), (peer, "to/agent")] {
            // All at once: the bound of the queue and the window are what stands between.
            let refused = await client.client.publishAll(
                (0..<1000).map { MQTTPublication(topic: topic, payload: payload($0)) }
            )
            #expect(refused == 0)
        }
        for client in [test, peer] {
            let messages = try await client.messages.first((round + 1) * 1000)[(round * 1000)...]
            #expect(messages.map(\.payload) == (0..<1000).map(payload))
        }
    }

    @Test func `no required message is lost and none is confirmed twice when the broker dies within a burst`()
        async throws
    {
        var options = BrokerOptions()
        options.isPersistent = true
        try await withBroker(options) { broker in
            try await withClient(MQTTConfiguration(broker.port, id: "watcher")) { watcher in
                try await watcher.subscribe(MQTTSubscription("burst"))
                try await withClient(MQTTConfiguration(broker.port)) { test in
                    try await test.connected()
                    let outcomes = Log<MQTTOutcome>()
                    let publications = (0..<3000).map {
                        MQTTPublication(topic: "burst", payload: Array(String($0).utf8))
                    }
                    #expect(await test.client.publishAll(publications) { outcomes.append($0) } == 0)
                    // The broker dies while the messages are under way, wherever they are then.
                    _ = try await outcomes.first(500)
                    try await broker.kill()
                    #expect(outcomes.all.count < 3000)
                    // What was acknowledged and not delivered is lost with the broker, not by the client.
                    let acknowledged = outcomes.all.count
                    try await broker.start()
                    let all = try await outcomes.first(3000)
                    #expect(all.allSatisfy { $0 == .acknowledged })
                    _ = try await test.deliver(MQTTPublication(topic: "burst", payload: Array("end".utf8)))
                    #expect(outcomes.all.count == 3000)
                    let counters = await test.client.counters
                    #expect(counters.published == 3001 && counters.acknowledged == 3001)

                    // The watcher's subscription is made anew too, at its own time: look at the broker's word instead.
                    #expect(acknowledged >= 500)
                }
            }
        }
    }
}

extension MQTTClient {
    /// Publishes all within one turn of the loop.
    ///
    /// - Returns: how many were refused.
    func publishAll(
        _ publications: [MQTTPublication],
        completion: (@Sendable (MQTTOutcome) -> Void)? = nil
    ) -> Int {
        publications.count { publish($0, completion: completion) != nil }
    }
}
