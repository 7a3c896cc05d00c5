import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ClientSettingsTests {
    @Test func `other settings of the link end it in order, and what was queued goes out on the next`() async throws {
        try await withBroker { broker in
            var settings = MQTTConfiguration(broker.port)
            settings.will = MQTTWill(topic: "will", payload: [1])
            try await withClient(settings) { test async throws in
                try await test.connected()
                try await test.subscribe(MQTTSubscription("will"))
                settings.keepaliveSeconds = 47
                try await test.client.take(settings)
                let publication = MQTTPublication(topic: "a", payload: [1])
                #expect(try await test.deliver(publication).isAcknowledged)
                try await test.connected(2)
                try await broker.waitForLog("k47")
                #expect(test.events.all.count { $0 == .renewed } == 1)
                #expect(test.events.all.allSatisfy { $0.failure == nil })
                // The same again concerns nothing.
                try await test.client.take(settings)
                #expect(try await test.deliver(publication).isAcknowledged)
                #expect(test.events.all.count { $0 == .renewed } == 1)
                #expect(test.messages.all.isEmpty)
            }
        }
    }

    @Test func `a client that waits for its next attempt takes other settings with it at once`() async throws {
        let port = try freePort()
        var settings = MQTTConfiguration(port)
        settings.reconnect.first = .seconds(3000)
        settings.reconnect.longest = .seconds(3000)
        try await withClient(settings) { test async throws in
            _ = try await test.failure()
            settings.reconnect.first = .milliseconds(20)
            settings.reconnect.longest = .milliseconds(40)
            try await test.client.take(settings)
            _ = try await test.failure(4)
        }
    }

    @Test func `settings that cannot work change nothing`() async throws {
        try await withBroker { broker in
            var settings = MQTTConfiguration(broker.port)
            try await withClient(settings) { test async throws in
                try await test.connected()
                settings.keepaliveSeconds = 1
                do {
                    try await test.client.take(settings)
                    Issue.record("a keepalive of 1 s was taken")
                } catch let failure as MQTTFailure {
                    #expect(failure == .configuration(field: "keepalive", problem: "is not in 5…65535 s"))
                }
                #expect(try await test.deliver(MQTTPublication(topic: "a", payload: [])).isAcknowledged)
                #expect(!test.events.all.contains(.renewed))
            }
        }
    }
}
