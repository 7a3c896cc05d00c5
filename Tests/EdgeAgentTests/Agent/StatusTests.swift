import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// The retained status: birth, will, goodbye, and strangers who write it.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct StatusTests {
        @Test func `the broker publishes lost for an agent that was killed, with the boot that status named`()
            async throws
        {
            var setup = AgentSetup()
            setup.version = "3.1.1"
            try await withAgent(setup, isReady: false) { gateway in
                let online = try await gateway.hear("online", on: "status")
                try await gateway.agent.kill()
                let lost = try await gateway.hear("lost", on: "status")
                #expect(lost.message.retain && lost.json.keys == ["state", "boot", "since"])
                #expect(lost.json["boot"] == online.json["boot"])
            }
        }

        @Test func `on MQTT 5 an agent that is back within ten seconds was never lost`() async throws {
            try await withAgent(isReady: false) { gateway in
                try await gateway.hear("online", on: "status")
                try await gateway.agent.kill()
                let second = try await startAgent(gateway.setup, gateway.world, gateway.broker, gateway.caller)
                try await second.subscribed()
                #expect(try await second.send("ping")["status"] == "ok")
                let states = gateway.caller.all(gateway.topic("status")).compactMap(\.json["state"].text)
                #expect(states.count >= 2 && states.allSatisfy { $0 == "online" })
            }
        }

        @Test func `B63 a status that somebody overwrites is put right, at most once in five seconds`() async throws {
            try await withAgent(isReady: false) { gateway in
                try await gateway.hear("online", on: "status")
                var mark = gateway.caller.mark
                let begin = ContinuousClock.now
                try await gateway.publish(#"{"state":"offline"}"#.utf8, to: "status") { $0.retain = true }
                let first = try await gateway.hear("online", on: "status", from: mark)
                #expect(first.json["boot"].text != nil && first.message.retain)
                mark = gateway.caller.mark
                // Rubbish, an empty payload and an old message are none of the agent's own words either.
                for payload in ["rubbish", "", #"{"state":"lost"}"#] {
                    try await gateway.publish(payload.utf8, to: "status") { $0.retain = true }
                }
                try await gateway.settle()
                let early = gateway.caller.all(from: mark, gateway.topic("status"))
                // On a slow machine the five seconds may be over by now.
                if ContinuousClock.now - begin < .seconds(5) {
                    #expect(early.allSatisfy { $0.json["state"] != "online" })
                }
                try await gateway.hear("online", on: "status", from: mark)
                #expect(ContinuousClock.now - begin >= .seconds(5))
                #expect(try await gateway.retained()[gateway.topic("status")]?["state"] == "online")
                try await gateway.settle()
                #expect(
                    gateway.caller.all(from: mark, gateway.topic("status")).count { $0.json["state"] == "online" } == 1
                )
            }
        }

        @Test func `B63 a will of an old session that comes after online does not stay`() async throws {
            var old = AgentSetup()
            old.version = "3.1.1"
            old.keys = ["mqtt.clientId": "old"]
            try await withAgent(old, isReady: false) { gateway in
                try await gateway.hear("online", on: "status")
                var new = old
                new.keys = ["mqtt.clientId": "new"]
                let second = try await startAgent(new, gateway.world, gateway.broker, gateway.caller)
                try await second.subscribed()
                let mark = gateway.caller.mark
                try await gateway.agent.kill()
                let lost = try await gateway.hear("lost", on: "status", from: mark)
                let online = try await gateway.hear("online", on: "status", from: lost.number)
                #expect(online.json["boot"] != lost.json["boot"])
                #expect(try await gateway.retained()[gateway.topic("status")]?["state"] == "online")
            }
        }

        @Test(arguments: ["5", "3.1.1"])
        func `B63 a half-open link of the same client is taken over and the status ends as online`(version: String)
            async throws
        {
            var setup = AgentSetup()
            setup.version = version
            try await withAgent(setup, isReady: false) { gateway in
                let first = try await gateway.hear("online", on: "status")
                // No FIN: the process stands still and the broker does not know.
                gateway.agent.send(19)
                let second = try await startAgent(setup, gateway.world, gateway.broker, gateway.caller)
                try await second.subscribed()
                #expect(try await second.send("ping")["status"] == "ok")
                let online = try await second.hear(on: "status") { json in
                    json["state"] == "online" && json["boot"] != first.json["boot"]
                }
                let kept = try await second.retained()[second.topic("status")]
                #expect(kept?["state"] == "online" && kept?["boot"] == online.json["boot"])
                try await gateway.agent.kill()
            }
        }

        @Test func `retained states are published again to a broker that has lost them`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("connect", on: .heart)
                let before = try await gateway.retained()
                #expect(before.count >= 6)
                try await gateway.broker.kill()
                try await gateway.broker.start()
                try await gateway.caller.subscribed(connection: 2)
                try await gateway.subscribed(connection: 2)
                // The answer comes after all that was published with the connection.
                try await gateway.settle()
                let after = try await gateway.retained()
                #expect(Set(after.keys) == Set(before.keys))
                #expect(after[gateway.topic(.heart, "link")]?["state"] == "resolved")
                #expect(after[gateway.topic("status")]?["boot"] == before[gateway.topic("status")]?["boot"])
                #expect(await gateway.world.isConnected(.heart))
            }
        }
    }
}
