import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// What the agent itself publishes under the discovery prefix, and when.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct AnnouncingAgentTests {
        private static let gatewayTopic = "home/device/gw/gateway/config"

        private func setup(_ more: [String: String] = [:]) -> AgentSetup {
            var setup = AgentSetup()
            setup.keys = [
                "homeAssistant.enabled": "true", "homeAssistant.discoveryPrefix": "home",
                "homeAssistant.birthTopic": "home/birth",
            ]
            setup.keys.merge(more) { $1 }
            setup.hears = ["edge/v1/#", "home/#"]
            return setup
        }

        private func say(_ text: String, _ gateway: Gateway, retain: Bool = false) async throws {
            var publication = MQTTPublication(topic: "home/birth", payload: Array(text.utf8))
            publication.retain = retain
            try await gateway.caller.publish(publication)
        }

        @discardableResult
        private func hearGateway(_ gateway: Gateway, from mark: Int = 0) async throws -> Received {
            try await gateway.hear("the gateway's announcement", from: mark) {
                $0.topic == Self.gatewayTopic && !$0.message.payload.isEmpty
            }
        }

        @Test func `B73: after a birth message all is announced once more, then the values; a burst is one run`()
            async throws
        {
            try await withAgent(setup()) { gateway in
                let first = try await hearGateway(gateway)
                #expect(first.message.retain && first.json["o"]["name"] == "edge-agent")
                var mark = gateway.caller.mark
                // What is none, and the end of a server, bring nothing.
                for text in ["offline", "rubbish", "", "Online"] { try await say(text, gateway) }
                for _ in 0..<5 { try await say("online", gateway) }
                let again = try await hearGateway(gateway, from: mark)
                #expect(again.message.payload == first.message.payload && again.message.retain)
                _ = try await gateway.hear(on: "bluetooth", from: again.number)
                #expect(gateway.caller.all(from: mark, Self.gatewayTopic).count == 1)
                // A second server, later, is told too.
                mark = gateway.caller.mark
                try await say("online", gateway)
                try await hearGateway(gateway, from: mark)
            }
        }

        @Test func `B73: a broker that has lost everything is told everything once more`() async throws {
            var setup = setup()
            setup.broker.isPersistent = false
            try await withAgent(setup) { gateway in
                try await hearGateway(gateway)
                let mark = gateway.caller.mark
                try await gateway.broker.kill()
                try await gateway.broker.start()
                try await hearGateway(gateway, from: mark)
            }
        }

        @Test func `B75: what is switched off is taken back once, and nothing else is touched`() async throws {
            try await withStateFolder { state in
                let setup = setup(["stateDir": "\"\(state)\""])
                try await withAgent(setup) { gateway in
                    try await hearGateway(gateway)
                    var foreign = MQTTPublication(topic: "home/sensor/stranger/config", payload: Array("{}".utf8))
                    foreign.retain = true
                    try await gateway.caller.publish(foreign)
                    #expect(try await gateway.stop() == 0)
                    var mark = gateway.caller.mark
                    var off = setup
                    off.keys["homeAssistant.enabled"] = "false"
                    let first = try await startAgent(off, gateway.world, gateway.broker, gateway.caller)
                    _ = try await first.hear("the emptied topic", from: mark) {
                        $0.topic == Self.gatewayTopic && $0.message.payload.isEmpty && $0.message.retain
                    }
                    #expect(try await first.stop() == 0)
                    mark = gateway.caller.mark
                    let second = try await first.restarted()
                    try await second.settle()
                    #expect(gateway.caller.all(from: mark, "home/").isEmpty)
                }
            }
        }

        @Test func `nothing is announced unless that is asked for`() async throws {
            var setup = setup()
            setup.keys = [:]
            setup.hears = ["edge/v1/#", "homeassistant/#"]
            try await withAgent(setup) { gateway in
                try await gateway.settle()
                #expect(gateway.caller.all("homeassistant/").isEmpty)
                #expect(!gateway.agent.log.contains("homeassistant/status"))
            }
        }
    }
}
