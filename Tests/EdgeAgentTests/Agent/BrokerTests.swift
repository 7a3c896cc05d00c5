import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// Brokers that are absent, come back, lose what they knew, or refuse.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct BrokerTests {
        @Test(arguments: [
            (version: "5", clean: true, persistent: false), (version: "5", clean: true, persistent: true),
            (version: "3.1.1", clean: true, persistent: true), (version: "3.1.1", clean: false, persistent: true),
            (version: "3.1.1", clean: false, persistent: false),
        ])
        func `B65 commands work again after the broker was restarted, and are answered once`(
            version: String,
            clean: Bool,
            persistent: Bool
        ) async throws {
            var setup = AgentSetup()
            setup.version = version
            setup.keys = ["mqtt.cleanSession": "\(clean)"]
            setup.broker.isPersistent = persistent
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .heart)
                if persistent { try await gateway.broker.stop() } else { try await gateway.broker.kill() }
                try await gateway.agent.waitForLog("Broker lost")
                try await gateway.broker.start()
                try await gateway.caller.subscribed(connection: 2)
                try await gateway.subscribed(connection: 2)
                let keepsSession = persistent && (version == "5" || !clean)
                try await gateway.agent.waitForLog(
                    "session=\(keepsSession ? "kept" : "new")",
                    count: keepsSession ? 1 : 2
                )
                let id = try await gateway.start("read", Gateway.level, on: .battery)
                #expect(try await gateway.result(id).json["status"] == "ok")
                try await gateway.settle()
                #expect(gateway.caller.all(suffix: "/res/test/\(id)").count == 1)
                // What Bluetooth did went on.
                #expect(await gateway.world.isConnected(.heart))
                #expect(await gateway.world.count(of: "Disconnect") == 0)
            }
        }

        @Test func `results of what ran while the broker was away come with its return`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .milliseconds(1500)
            setup.broker.isPersistent = true
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .battery)
                let id = try await gateway.start("read", Gateway.level, on: .battery)
                await gateway.world.waitForCalls(of: "ReadValue")
                try await gateway.broker.kill()
                try await gateway.agent.waitForLog("Broker lost")
                try await gateway.broker.start()
                #expect(try await gateway.result(id).json["status"] == "ok")
            }
        }

        @Test func `B65 a subscription that the broker refuses is an error in the log and stands in health`()
            async throws
        {
            var behaviour = BrokerBehaviour()
            behaviour.suback = 0x87
            let broker = try ScriptedBroker([behaviour])
            try await withAgentWorld { world in
                let agent = try await AgentProgram.start(
                    configuration: AgentSetup().configuration(port: broker.port),
                    bus: world.busAddress
                )
                let part = "\"refusedSubscriptions\":[\"edge/v1/all/cmd\""
                _ = try await within("the refusals in health") {
                    try await broker.packets.wait { packet in
                        packet.topic == "edge/v1/gw/health"
                            && String(decoding: packet.body, as: UTF8.self).contains(part)
                    }
                }
                try await within("ten errors") {
                    try await agent.waitForLog("error agent: Broker refuses a subscription", count: 11)
                }
                #expect(agent.lines(with: "error agent: Broker refuses").allSatisfy { $0.contains("topic=edge/v1/") })
                agent.send(9)
            }
        }

        @Test func `B69 an agent whose broker is not there stays, and works when it comes`() async throws {
            try await withAgentWorld { world in
                try await withBroker(running: false) { broker in
                    try await withCaller(port: broker.port, version: .v5) { caller in
                        var setup = AgentSetup()
                        setup.keys = ["mqtt.reconnectMinMs": "100", "mqtt.reconnectMaxMs": "200"]
                        let gateway = try await startAgent(setup, world, broker, caller)
                        try await within("attempts") {
                            try await gateway.agent.waitForLog("Broker not reached", count: 3)
                        }
                        try await broker.start()
                        try await caller.listen(prefix: "edge")
                        try await gateway.subscribed()
                        #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                        #expect(try await gateway.stop() == 0)
                    }
                }
            }
        }

        @Test func `B69 a name that does not resolve is no reason to end, and does not hold up the end`() async throws {
            try await withAgentWorld { world in
                var setup = AgentSetup()
                setup.keys = ["broker": "mqtt://broker.invalid:1883"]
                let agent = try await AgentProgram.start(
                    configuration: setup.configuration(port: 1),
                    bus: world.busAddress
                )
                try await within("an attempt") { try await agent.waitForLog("Broker not reached", count: 2) }
                #expect(agent.lines(with: "Broker not reached").allSatisfy { $0.contains("broker.invalid") })
                let begin = ContinuousClock.now
                agent.send(15)
                let status = try await within("the end") { try await agent.exitStatus() }
                #expect(status == 0)
                #expect(ContinuousClock.now - begin < .seconds(15))
            }
        }

        @Test func `B69 a file of authorities that is none is fatal and names its key`() async throws {
            try await withAgentWorld { world in
                var setup = AgentSetup()
                setup.keys = ["broker": "mqtts://127.0.0.1:1", "mqtt.caFile": "@/ca.pem"]
                setup.files = ["ca.pem": "no certificate\n"]
                let agent = try await AgentProgram.start(
                    configuration: setup.configuration(port: 1),
                    files: setup.files,
                    bus: world.busAddress
                )
                let status = try await within("the end") { try await agent.exitStatus() }
                #expect(status == 78)
                #expect(agent.log.contains("caFile"))
            }
        }

        @Test func `an agent falls back to 3_1_1 when the broker knows no other`() async throws {
            var refusing = BrokerBehaviour(.refuseAs311(1))
            refusing.suback = nil
            let broker = try ScriptedBroker([refusing, BrokerBehaviour()])
            try await withAgentWorld { world in
                var setup = AgentSetup()
                setup.version = "auto"
                let agent = try await AgentProgram.start(
                    configuration: setup.configuration(port: broker.port),
                    bus: world.busAddress
                )
                try await within("the second connection") {
                    try await agent.waitForLog("Broker connected")
                    try await broker.packets.wait { $0.topic == "edge/v1/gw/status" }
                }
                let levels = broker.packets.all.compactMap(\.level)
                #expect(levels == [5, 4])
                #expect(agent.lines(with: "3.1.1").count >= 1)
                agent.send(9)
            }
        }
    }
}
