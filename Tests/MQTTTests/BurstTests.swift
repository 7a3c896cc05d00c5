import EventLoop
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct BurstTests {
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

    @Test func `a burst over TLS leaves others on the loop their turn`() async throws {
        let files = try await Certificates()
        var options = BrokerOptions()
        options.certificate = try await files.issueForLoopback()
        try await withBroker(options) { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.tls = MQTTTLS(caFile: files.authority)
            configuration.outgoing.messages = 20_000
            try await withClient(configuration) { test in
                try await test.subscribe(MQTTSubscription("burst"))
                let payload = [UInt8](repeating: 0x20, count: 1000)
                let publications = (0..<10_000).map { _ in MQTTPublication(topic: "burst", payload: payload) }
                let outcomes = Log<MQTTOutcome>()
                let start = ContinuousClock.now
                #expect(await test.client.publishAll(publications) { outcomes.append($0) } == 0)
                let longest = try await Echo().longestRoundTrip(on: test.loop, for: .milliseconds(500))
                _ = try await test.messages.first(10_000)
                _ = try await outcomes.first(10_000)
                // However slow the machine: not behind the burst, but within it.
                let whole = ContinuousClock.now - start
                #expect(longest * 2 < whole, "\(longest) of \(whole)")
                let counters = await test.client.counters
                #expect(counters.acknowledged == 10_000 && counters.received == 10_000)
            }
        }
    }

    private func exchange(_ test: TestClient, _ peer: TestClient, round: Int) async throws {
        func payload(_ number: Int) -> [UInt8] {
            Array("\(round * 1000 + number)".utf8) + [UInt8](repeating: 0x20, count: 1000)
        }
        let outcomes = Log<MQTTOutcome>()
        for (client, topic) in [(test, "to/peer"), (peer, "to/agent")] {
            // All at once: the bound of the queue and the window are what stands between.
            let publications = (0..<1000).map { MQTTPublication(topic: topic, payload: payload($0)) }
            let refused = await client.client.publishAll(publications) { outcomes.append($0) }
            #expect(refused == 0)
        }
        for client in [test, peer] {
            let messages = try await client.messages.first((round + 1) * 1000)[(round * 1000)...]
            #expect(messages.map(\.payload) == (0..<1000).map(payload))
        }
        // A message may be back before its acknowledgement.
        #expect(try await outcomes.first(2000).allSatisfy { $0.isAcknowledged })
    }

    @Test func `every required message is acknowledged once when the broker dies within a burst`() async throws {
        var options = BrokerOptions()
        options.isPersistent = true
        try await withBroker(options) { broker in
            try await withClient(MQTTConfiguration(broker.port)) { test in
                try await test.connected()
                let outcomes = Log<MQTTOutcome>()
                let publications = (0..<12_000).map { MQTTPublication(topic: "burst", payload: Array(String($0).utf8)) }
                #expect(await test.client.publishAll(publications) { outcomes.append($0) } == 0)
                _ = try await outcomes.first(500)
                try await broker.kill()
                #expect(outcomes.all.count < 12_000)
                try await broker.start()
                let all = try await outcomes.first(12_000)
                #expect(all.allSatisfy { $0.isAcknowledged })
                let last = try await test.deliver(MQTTPublication(topic: "burst", payload: Array("end".utf8)))
                #expect(last.isAcknowledged)
                #expect(outcomes.all.count == 12_000)
                let counters = await test.client.counters
                #expect(counters.published == 12_001 && counters.acknowledged == 12_001 && counters.connects == 2)
            }
        }
    }

    @Test func `how far messages wait is none, some or past half, and none again when the broker goes on`()
        async throws
    {
        try await withBroker { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.outgoing.messages = 60
            broker.freeze()
            try await withClient(configuration) { test in
                let publications = (0..<80).map { MQTTPublication(topic: "burst", payload: Array(String($0).utf8)) }
                // Without a link nothing is gained by waiting.
                _ = await test.client.publishAll(Array(publications[..<35]))
                #expect(await test.client.backlog == .none)
                broker.thaw()
                try await test.connected()
                while await test.client.counters.acknowledged < 35 {}
                broker.freeze()
                let outcomes = Log<MQTTOutcome>()
                _ = await test.client.publishAll(Array(publications[..<20])) { outcomes.append($0) }
                while await test.client.counters.unacknowledged < 20 {}
                #expect(await test.client.backlog == .none)
                _ = await test.client.publishAll(Array(publications[20..<50])) { outcomes.append($0) }
                while await test.client.backlog == .none {}
                #expect(await test.client.backlog == .waiting)
                _ = await test.client.publishAll(Array(publications[50...])) { outcomes.append($0) }
                #expect(await test.client.backlog == .pastHalf)
                broker.thaw()
                #expect(try await outcomes.first(80).allSatisfy { $0.isAcknowledged })
                #expect(await test.client.backlog == .none)
            }
        }
    }

    @Test func `what is flushed is on its way at once, but never within a completion`() async throws {
        try await withBroker { broker in
            broker.freeze()
            try await withClient(MQTTConfiguration(broker.port)) { test in
                let publication = MQTTPublication(topic: "t", payload: [1])
                // Without a link it waits.
                #expect(await test.client.flushed(publication) == 0)
                broker.thaw()
                try await test.connected()
                while await test.client.counters.acknowledged < 1 {}
                #expect(await test.client.flushed(publication) == 1)
                while await test.client.counters.acknowledged < 2 {}
                let within = Log<Int>()
                await test.client.flush(publication, within: within)
                #expect(try await within.first(1) == [0])
                while await test.client.counters.acknowledged < 4 {}
            }
        }
    }

    @Test func `the broker of MQTT 5 says when nobody subscribes to what it has acknowledged`() async throws {
        try await withBroker { broker in
            for (version, unheard) in [(MQTTVersionPolicy.v5, MQTTOutcome.unheard), (.v311, .acknowledged)] {
                try await withClient(MQTTConfiguration(broker.port, version: version)) { test in
                    try await test.connected()
                    let publication = MQTTPublication(topic: "to/some", payload: [1])
                    #expect(try await test.deliver(publication) == unheard)
                    try await test.subscribe(MQTTSubscription("to/#"))
                    #expect(try await test.deliver(publication) == .acknowledged)
                }
            }
        }
    }

    @Test func `every required message arrives, and no acknowledged one again, though the link breaks in between`()
        async throws
    {
        let broker = try ScriptedBroker([BrokerBehaviour()])
        try await withClient(MQTTConfiguration(broker.port)) { test in
            try await test.connected()
            let acknowledged = Log<Int>()
            let count = 2000
            let refused = await test.client.countRefused(0..<count) { number in
                (
                    MQTTPublication(topic: String(number), payload: []),
                    { if $0.isAcknowledged { acknowledged.append(number) } }
                )
            }
            #expect(refused == 0)
            for (link, arrived) in [(1, 300), (2, 900), (3, 1500)] {
                try await broker.packets.wait(arrived) { $0.type == BrokerPacket.publish }
                broker.reset()
                try await test.connected(link + 1)
            }
            _ = try await acknowledged.first(count)
            #expect(acknowledged.all.count == count)
            let arrivals = broker.packets.all.filter { $0.type == BrokerPacket.publish }
            #expect(Set(arrivals.compactMap(\.topic)).count == count)
            // In order on each link, from where the one before was not confirmed.
            for link in 0...3 {
                let numbers = arrivals.filter { $0.connection == link }.compactMap { $0.topic.flatMap { Int($0) } }
                #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
            }
            // For each break no more than a window's worth came twice.
            #expect(arrivals.count <= count + 3 * 20)
        }
    }
}

extension MQTTClient {
    /// Publishes and flushes within one turn of the loop.
    ///
    /// - Returns: how many messages libmosquitto has then.
    func flushed(_ publication: MQTTPublication) -> Int {
        _ = publish(publication)
        flush()
        return counters.unacknowledged
    }

    /// Publishes a message, and another one from its completion; the log gets what ``flushed(_:)`` said there.
    func flush(_ publication: MQTTPublication, within log: Log<Int>) {
        _ = publish(publication) { [weak self] _ in
            self?.assumeIsolated { log.append($0.flushed(publication)) }
        }
    }

    /// Publishes all within one turn of the loop.
    ///
    /// - Returns: how many were refused.
    func publishAll(
        _ publications: [MQTTPublication],
        completion: (@Sendable (MQTTOutcome) -> Void)? = nil
    ) -> Int {
        publications.count { publish($0, completion: completion) != nil }
    }

    /// Publishes one message a number within one turn of the loop.
    ///
    /// - Returns: how many were refused.
    func countRefused(
        _ numbers: Range<Int>,
        _ make: @Sendable (Int) -> (MQTTPublication, @Sendable (MQTTOutcome) -> Void)
    ) -> Int {
        numbers.count { number in
            let (publication, completion) = make(number)
            return publish(publication, completion: completion) != nil
        }
    }
}
