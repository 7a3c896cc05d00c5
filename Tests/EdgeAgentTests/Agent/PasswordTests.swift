import TestSupport
import Testing

extension AgentLane2 {
    /// The password stays where it is.
    @Suite(.serialized, .timeLimit(.minutes(1)))
    struct PasswordTests {
        private static let needle = "S3cr3t-needle"

        @Test func `the password stands in no log, topic, command line or environment`() async throws {
            var setup = AgentSetup()
            setup.broker.users = ["agent": Self.needle]
            setup.user = ("agent", Self.needle)
            setup.keys = ["mqtt.username": "agent", "mqtt.passwordFile": "@/password"]
            setup.files = ["password": Self.needle + "\n"]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("info")
                _ = try await gateway.send("read", Gateway.level, on: .battery)
                try await gateway.publish(#"{"id":"x","verb":"config.get"}"#.utf8, to: "cmd/test")
                try await gateway.settle()
                try await gateway.broker.kill()
                try await gateway.agent.waitForLog("Broker lost")
                try await gateway.broker.start()
                try await gateway.subscribed(connection: 2)
                for file in ["cmdline", "environ"] { #expect(try !gateway.agent.proc(file).contains(Self.needle)) }
                #expect(try await gateway.stop() == 0)
                #expect(!gateway.agent.log.contains(Self.needle))
                #expect(!gateway.caller.all().isEmpty)
                #expect(
                    gateway.caller.all().allSatisfy {
                        !$0.text.contains(Self.needle) && !$0.topic.contains(Self.needle)
                    }
                )
            }
        }

        @Test func `a password that the broker refuses is not told either`() async throws {
            var options = BrokerOptions()
            options.users = ["agent": "another"]
            try await withAgentWorld { world in
                try await withBroker(options) { broker in
                    var setup = AgentSetup()
                    setup.keys = ["broker": "mqtt://agent@127.0.0.1:\(broker.port)", "mqtt.passwordFile": "@/password"]
                    let agent = try await AgentProgram.start(
                        configuration: setup.configuration(port: broker.port),
                        files: ["password": Self.needle],
                        bus: world.busAddress
                    )
                    try await within("the refusals") { try await agent.waitForLog("Broker not reached", count: 2) }
                    #expect(agent.log.contains("refused the connection"))
                    agent.send(15)
                    let status = try await within("the end") { try await agent.exitStatus() }
                    #expect(status == 0)
                    #expect(!agent.log.contains(Self.needle) && !agent.log.contains("agent@"))
                }
            }
        }
    }
}
