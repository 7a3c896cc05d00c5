import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// The password stays where it is.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct PasswordTests {
        private static let needle = "S3cr3t-needle"

        @Test func `B81: the password stands in no log, topic, command line or environment`() async throws {
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

        @Test func `B81: a password that the broker refuses is not told either`() async throws {
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

        @Test(arguments: ["error", "warning", "notice", "info", "debug"])
        func `B81: at no level a secret is told, whatever happens`(level: String) async throws {
            let device = TestDevice.lock("pin")
            let (pin, key) = ("4711-code", "5ec2e7be11defaced00dbabe5ec2e7be")
            var setup = AgentSetup()
            setup.world.devices = [device]
            setup.broker.users = ["agent": Self.needle]
            setup.user = ("agent", Self.needle)
            let port = try freePort()
            setup.keys = [
                "logLevel": level, "mqtt.username": "agent", "mqtt.passwordFile": "@/password",
                "bluetooth.identityKeysFile": "@/keys", "metrics.listen": "\"127.0.0.1:\(port)\"",
            ]
            setup.files = ["password": Self.needle + "\n", "keys": "c0:5a:00:00:00:77 \(key)\n"]
            let secrets = [Self.needle, pin, key, key.uppercased()]
            try await withAgentWorld(setup.world) { world in
                try await withBroker(setup.broker) { broker in
                    try await withCaller(port: broker.port, version: .v5, user: setup.user) { caller in
                        try await caller.listen(to: setup.hears)
                        let gateway = try await startAgent(setup, world, broker, caller)
                        try await gateway.hear("ready", on: "bluetooth")
                        let pairing = try await gateway.start("pair", on: device)
                        let prompt = try await gateway.hear("open", on: "pair").json["prompt"].text ?? ""
                        // What the caller says itself is its own; what comes back is looked at below.
                        _ = try await gateway.send(
                            "pair.answer",
                            "\"prompt\":\"\(prompt)\",\"pin\":\"\(pin)\"",
                            on: device
                        )
                        #expect(try await gateway.result(pairing).json["status"] == "ok")
                        for text in ["{\"verb\":\"info\"}", "{\"verb\":\"config.get\"}", "nonsense"] {
                            try await gateway.publish(text.utf8, to: "cmd/test")
                        }
                        try await gateway.settle()
                        let url = "http://127.0.0.1:\(port)/metrics"
                        let figures = try await ChildProcess.run("/usr/bin/curl", ["-sS", "-m", "5", url])
                        let mark = caller.mark
                        try await broker.kill()
                        try await broker.start()
                        try await caller.subscribed(connection: 2)
                        try await gateway.hear("online", on: "status", from: mark)
                        try await gateway.settle()
                        // A crash, by the signal of a failed assertion.
                        gateway.agent.send(6)
                        #expect(try await gateway.ended() == 128 + 6)
                        for secret in secrets {
                            #expect(!gateway.agent.log.contains(secret) && !gateway.agent.output.contains(secret))
                            #expect(!figures.contains(secret))
                            let told = caller.all().filter { !$0.topic.contains("/cmd") }
                            #expect(!told.isEmpty && told.allSatisfy { !$0.text.contains(secret) })
                        }
                    }
                }
            }
        }

        @Test(arguments: ["mqtt://agent:S3cr3t-needle@h", "S3cr3t-needle", "mqtt://agent:S3cr3t-needle@h:x"])
        func `B81: a password in the wrong place is refused and not repeated`(url: String) async throws {
            let commands = [
                ["run", "--broker", url], ["check-config", "--broker=\(url)"], ["ctl", "gateways", "--broker", url],
                ["run", "--password", url], ["ctl", "jobs", "--pw=\(url)"], ["ctl", "jobs", "--password", url],
            ]
            for arguments in commands {
                let child = try await ChildProcess.spawn(try AgentProgram.path(), arguments, environment: [:])
                let status = try await child.exitStatus()
                #expect(status == 64 || status == 78, "\(arguments)")
                #expect(!(child.output + child.errors).contains(Self.needle), "\(child.errors)")
            }
        }
    }
}
