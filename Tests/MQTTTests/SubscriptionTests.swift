import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SubscriptionTests {
    /// Version and whether the broker keeps sessions over its restart.
    @Test(arguments: [MQTTVersionPolicy.v5, .v311], [true, false])
    func `B65 subscriptions work after the broker was killed, with and without a kept session`(
        _ version: MQTTVersionPolicy,
        _ isPersistent: Bool
    ) async throws {
        var options = BrokerOptions()
        options.isPersistent = isPersistent
        try await withBroker(options) { broker in
            var configuration = MQTTConfiguration(broker.port, version: version)
            configuration.cleanSession311 = false
            try await withClient(configuration) { test in
                try await test.connected()
                for filter in ["a/#", "b/+"] { try await test.subscribe(MQTTSubscription(filter)) }
                // A clean stop writes the session; a kill forgets it.
                if isPersistent { try await broker.stop() } else { try await broker.kill() }
                try await broker.start()
                let connection = try await test.connected(2)
                #expect(connection.sessionPresent == isPersistent)
                #expect(!connection.isFirst)
                for filter in ["a/#", "b/+"] {
                    let event = try await test.events.wait(2) { $0.outcome(for: filter) != nil }
                    #expect(event.outcome(for: filter) == .granted(.atLeastOnce))
                }
                #expect(try await test.deliver(MQTTPublication(topic: "a/b/c", payload: [1])).isAcknowledged)
                #expect(try await test.deliver(MQTTPublication(topic: "b/1", payload: [2])).isAcknowledged)
                let messages = try await test.messages.first(2)
                #expect(messages.map(\.topic) == ["a/b/c", "b/1"])
                // Subscribed twice, each would come twice; the last one would follow.
                #expect(try await test.deliver(MQTTPublication(topic: "b/end", payload: [])).isAcknowledged)
                try await test.messages.wait { $0.topic == "b/end" }
                #expect(test.messages.all.count == 3)
            }
        }
    }

    @Test func `B65 a clean session of 3.1.1 is subscribed anew after a reconnect`() async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port, version: .v311)) { test in
                try await test.subscribe(MQTTSubscription("a"))
                try await broker.kill()
                try await broker.start()
                #expect(try await test.connected(2).sessionPresent == false)
                _ = try await test.events.wait(2) { $0.outcome(for: "a") == .granted(.atLeastOnce) }
                _ = try await test.deliver(MQTTPublication(topic: "a", payload: [7]))
                #expect(try await test.messages.first(1)[0].payload == [7])
            }
        }
    }

    @Test func `B65 what was sent while the client was away comes with the kept session`() async throws {
        try await withBroker { broker in
            let configuration = MQTTConfiguration(broker.port, version: .v5)
            try await withClient(configuration) { try await $0.subscribe(MQTTSubscription("a")) }
            try await ChildProcess.run(
                "/usr/bin/mosquitto_pub",
                ["-h", "127.0.0.1", "-p", String(broker.port), "-q", "1", "-t", "a", "-m", "late"]
            )
            try await withClient(configuration) { test in
                let connection = try await test.connected()
                #expect(connection.sessionPresent)
                let message = try await test.messages.first(1)[0]
                #expect(text(message) == "late")
            }
        }
    }

    @Test(arguments: [(MQTTVersionPolicy.v5, UInt8(0x87), "Not authorized"), (.v311, 0x80, "refused")])
    func `B65 a refused SUBACK is reported for its filter`(
        _ version: MQTTVersionPolicy,
        _ code: UInt8,
        _ reason: String
    ) async throws {
        var behaviour = BrokerBehaviour()
        behaviour.suback = code
        let broker = try ScriptedBroker([behaviour])
        try await withClient(MQTTConfiguration(broker.port, version: version)) { test in
            try await test.connected()
            let outcome = try await test.subscribe(MQTTSubscription("denied/#"))
            #expect(outcome == .refused(code: code, text: reason))
            // The link stays.
            #expect(try await test.deliver(MQTTPublication(topic: "t", payload: [])).isAcknowledged)
        }
    }

    @Test func `B65 mosquitto's dynamic security refuses a subscription and the client says which`() async throws {
        try await withSecuredBroker { broker in
            var configuration = MQTTConfiguration(broker.port)
            configuration.username = "agent"
            configuration.password = MQTTSecret(Array("secret".utf8))
            try await withClient(configuration) { test in
                try await test.connected()
                #expect(try await test.subscribe(MQTTSubscription("allowed/#")) == .granted(.atLeastOnce))
                let outcome = try await test.subscribe(MQTTSubscription("denied/#"))
                #expect(outcome == .refused(code: 0x87, text: "Not authorized"))
            }
        }
    }

    @Test func `B65 a SUBACK that does not come is reported`() async throws {
        var behaviour = BrokerBehaviour()
        behaviour.suback = nil
        let broker = try ScriptedBroker([behaviour])
        var configuration = MQTTConfiguration(broker.port)
        configuration.answerDeadline = .seconds(2)
        try await withClient(configuration) { test in
            try await test.connected()
            #expect(try await test.subscribe(MQTTSubscription("a")) == .unanswered)
        }
    }

    @Test func `options of MQTT 5 reach the broker`() async throws {
        try await withBroker { broker in
            try await ChildProcess.run(
                "/usr/bin/mosquitto_pub",
                ["-h", "127.0.0.1", "-p", String(broker.port), "-r", "-q", "1", "-t", "kept", "-m", "old"]
            )
            try await withClient(MQTTConfiguration(broker.port, version: .v5)) { test in
                var subscription = MQTTSubscription("kept")
                subscription.noLocal = true
                subscription.retainAsPublished = true
                subscription.retainHandling = .never
                try await test.subscribe(subscription)
                _ = try await test.deliver(MQTTPublication(topic: "kept", payload: [1], retain: true))
                try await ChildProcess.run(
                    "/usr/bin/mosquitto_pub",
                    ["-h", "127.0.0.1", "-p", String(broker.port), "-r", "-q", "1", "-t", "kept", "-m", "new"]
                )
                let message = try await test.messages.first(1)[0]
                // Neither the kept one nor the client's own, and the flag as it was set.
                #expect(text(message) == "new")
                #expect(message.retain)
            }
        }
    }

    @Test func `an unsubscribed filter stays away after a reconnect`() async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port)) { test in
                try await test.subscribe(MQTTSubscription("a"))
                try await test.subscribe(MQTTSubscription("b"))
                await test.client.unsubscribe(["a"])
                try await broker.kill()
                try await broker.start()
                _ = try await test.events.wait(2) { $0.outcome(for: "b") != nil }
                _ = try await test.deliver(MQTTPublication(topic: "a", payload: []))
                _ = try await test.deliver(MQTTPublication(topic: "b", payload: []))
                #expect(try await test.messages.first(1).map(\.topic) == ["b"])
                #expect(test.events.all.count { $0.outcome(for: "a") != nil } == 1)
            }
        }
    }

    @Test(arguments: ["", "a/#/b", "a+", "a\0b", "a\u{1}"])
    func `a filter that is none is refused`(_ filter: String) async throws {
        try await withBroker { broker in
            try await withClient(MQTTConfiguration(broker.port)) { test in
                await #expect(throws: MQTTRefusal.self) { try await test.client.subscribe([MQTTSubscription(filter)]) }
            }
        }
    }
}
