import TestSupport
import Testing

extension AgentLane4 {
    /// Two agents with one client id.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct ClientIDTests {
        @Test(arguments: ["5", "3.1.1"])
        func `B67 with one id twice the gaps grow, the log names the cause, and links stay`(version: String)
            async throws
        {
            var setup = AgentSetup()
            setup.version = version
            setup.keys = ["mqtt.clientId": "same", "mqtt.reconnectMinMs": "100", "mqtt.reconnectMaxMs": "1500"]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .heart)
                var other = setup
                other.gateway = "other"
                let second = try await startAgent(other, gateway.world, gateway.broker, gateway.caller)
                try await within("the name of the cause") {
                    try await gateway.agent.waitForLog("Another client probably uses the same client id")
                    try await gateway.agent.waitForLog("Broker lost", count: 4)
                }
                let gaps = gateway.agent.lines(with: "Broker lost").compactMap { line in
                    line.firstMatch(of: /waitMs=(\d+)/).flatMap { Int($0.output.1) }
                }
                #expect(try #require(gaps.last) > 2 * (try #require(gaps.first)), "\(gaps)")
                let cause = gateway.agent.lines(with: "same client id")
                #expect(cause.allSatisfy { $0.contains("error agent:") && $0.contains("client=same") })
                // Bluetooth was left alone by all of this.
                #expect(await gateway.world.isConnected(.heart))
                #expect(await gateway.world.count(of: "Disconnect") == 0)
                try await second.agent.kill()
            }
        }

        @Test func `B67 without a configured id it is made of prefix and gateway`() async throws {
            let broker = try ScriptedBroker([BrokerBehaviour()])
            try await withAgentWorld { world in
                var agents: [AgentProgram] = []
                for (gateway, prefix) in [("one", "edge"), ("two", "site/hall")] {
                    var setup = AgentSetup()
                    setup.gateway = gateway
                    setup.keys = ["prefix": prefix]
                    let text = setup.configuration(port: broker.port)
                    agents.append(try await AgentProgram.start(configuration: text, bus: world.busAddress))
                }
                for id in ["edge-one", "site-hall-two"] {
                    _ = try await within("a connection of \(id)") {
                        try await broker.packets.wait { packet in
                            packet.type == BrokerPacket.connect
                                && String(decoding: packet.body, as: UTF8.self).contains(id)
                        }
                    }
                }
                for agent in agents { agent.send(9) }
            }
        }
    }
}
