import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// The agent asks its policy before anything else happens.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct PolicyAgentTests {
        private static let write = Gateway.level + #","value":{"hex":"00"}"#

        /// An agent with the alias `door` for the battery, and rules as YAML in one line.
        private func setup(_ rules: String) -> AgentSetup {
            var setup = AgentSetup()
            setup.aliases = [("door", .battery)]
            setup.keys["policy"] = rules
            return setup
        }

        /// Sends a command as a caller, or as nobody, and waits for the answer that goes to `client`.
        private func send(
            _ body: String,
            to rest: String,
            as caller: String?,
            client: String? = nil,
            _ gateway: Gateway
        ) async throws -> Json {
            let id = gateway.makeID()
            let topic = caller.map { "\(rest)/\($0)" } ?? rest
            try await gateway.publish("{\"id\":\"\(id)\",\(body)}".utf8, to: topic)
            return try await gateway.result(id, client: client ?? caller ?? "anonymous").json
        }

        /// The same for all gateways.
        private func sendToAll(_ body: String, as caller: String, _ gateway: Gateway) async throws -> Json {
            let id = gateway.makeID()
            let payload = Array("{\"id\":\"\(id)\",\"jitterMs\":1,\(body)}".utf8)
            try await gateway.caller.publish(MQTTPublication(topic: "edge/v1/all/cmd/\(caller)", payload: payload))
            return try await gateway.result(id, client: caller).json
        }

        @Test func `what the policy denies does nothing, and its caller learns no rule`() async throws {
            let rules = "[{allow: read, devices: door}, {deny: any, callers: guest}, {allow: any, callers: test}]"
            try await withAgent(setup(rules)) { gateway in
                let denied = try await send(#""verb":"write",\#(Self.write)"#, to: "dev/door/cmd", as: "guest", gateway)
                #expect(denied["status"] == "rejected" && denied["applied"] == "no" && denied["dev"] == "door")
                #expect(denied["error"]["code"] == "denied" && denied["error"]["retryable"] == false)
                #expect(denied["error"]["detail"] == "the policy does not allow write here for this caller")
                let reading = try await send(#""verb":"rssi""#, to: "dev/door/cmd", as: "guest", gateway)
                #expect(reading["error"]["code"] == "denied" && reading["applied"] == .missing)
                let power = try await send(#""verb":"adapter.power","on":false"#, to: "cmd", as: "guest", gateway)
                #expect(power["error"]["code"] == "denied")
                #expect(await gateway.world.count(of: "Connect") == 0)
                #expect(await gateway.world.count(of: "Set") == 0)
                #expect(gateway.caller.all(gateway.topic("dev/door/link")).isEmpty)
                let allowed = try await send(
                    #""verb":"read",\#(Gateway.level)"#,
                    to: "dev/door/cmd",
                    as: "guest",
                    gateway
                )
                #expect(allowed["status"] == "ok")
                #expect(try await gateway.send("write", Self.write, on: .battery)["error"]["code"] != "denied")
                // The result goes out first.
                try await gateway.agent.waitForLog("audit: Command denied")
                let line = try #require(gateway.agent.lines(with: "audit: Command denied").first)
                #expect(line.contains(" caller=guest device=door ") && line.contains(" verb=write "))
                #expect(line.contains(#" reason="rule 2 (line "#))
                #expect(gateway.agent.lines(with: "Command refused").first?.contains("denies write for guest") == true)
            }
        }

        @Test func `a step that is denied denies its sequence, and a member its group's command`() async throws {
            var setup = setup("[{deny: write, devices: door}, {allow: any, callers: test}]")
            setup.aliases.append(("pulse", .heart))
            setup.keys["groups.both"] = "[pulse, door]"
            try await withAgent(setup) { gateway in
                let steps = #"[{"verb":"read",\#(Gateway.level)},{"verb":"write",\#(Self.write)}]"#
                let sequence = try await gateway.send("sequence", #""steps":\#(steps)"#, on: .battery)
                #expect(sequence["error"]["code"] == "denied" && sequence["applied"] == "no")
                #expect(sequence["result"] == .missing)
                let group = try await send(#""verb":"write",\#(Self.write)"#, to: "group/both/cmd", as: "test", gateway)
                #expect(group["error"]["code"] == "denied" && group["result"] == .missing)
                #expect(await gateway.world.count(of: "Connect") == 0)
                try await gateway.agent.waitForLog(" step=1 verb=write ")
                try await gateway.agent.waitForLog(" group=both ")
                let lines = gateway.agent.lines(with: "audit: Command denied")
                #expect(
                    lines.contains { $0.contains(" verb=sequence ") } && lines.contains { $0.contains(" group=both ") }
                )
                #expect(lines.contains { $0.contains(" step=1 verb=write ") })
                // What nobody denies goes through, for each of them.
                let reading = try await send(
                    #""verb":"read",\#(Gateway.level)"#,
                    to: "group/both/cmd",
                    as: "test",
                    gateway
                )
                #expect(reading["result"]["members"].list.count == 2)
            }
        }

        @Test func `a name in the body is no identity`() async throws {
            try await withAgent(setup("[{allow: any, callers: test}, {allow: ping}]")) { gateway in
                let label = #""client":"test","verb":"read",\#(Gateway.level)"#
                let claimed = try await send(label, to: "dev/door/cmd", as: nil, client: "test", gateway)
                #expect(claimed["error"]["code"] == "denied")
                #expect(await gateway.world.count(of: "Connect") == 0)
                try await gateway.agent.waitForLog("audit: Command denied")
                #expect(
                    gateway.agent.lines(with: "audit: Command denied").allSatisfy { $0.contains(" unverified=test ") }
                )
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                #expect(try await send(#""verb":"ping""#, to: "cmd", as: nil, gateway)["status"] == "ok")
            }
        }

        @Test func `a characteristic may be allowed by its UUID, and is not by its handle`() async throws {
            try await withAgent(setup("[{allow: read, characteristics: 2a19}]")) { gateway in
                let byUUID = try await gateway.send("read", Gateway.level, on: .battery)
                #expect(byUUID["status"] == "ok")
                for attribute in [#""handle":3"#, #""service":"180f","characteristic":"2a1a""#] {
                    #expect(try await gateway.send("read", attribute, on: .battery)["error"]["code"] == "denied")
                }
                // One that is not what the UUID says is not read either.
                let wrong = try await gateway.send("read", #""handle":9999,"characteristic":"2a19""#, on: .battery)
                #expect(wrong["error"]["code"] == "no-characteristic")
            }
        }

        @Test func `all gateways do what a rule for all allows, and nothing else`() async throws {
            let rules =
                "[{deny: adapter.power, callers: guest}, {allow: [adapter.power, ping], all: true}, {allow: any}]"
            try await withAgent(setup(rules)) { gateway in
                let power = #""verb":"adapter.power","on":true"#
                let switched = try await sendToAll(power, as: "test", gateway)
                #expect(switched["result"]["already"] == true)
                #expect(try await sendToAll(power, as: "guest", gateway)["error"]["code"] == "denied")
                #expect(try await sendToAll(#""verb":"ping""#, as: "guest", gateway)["status"] == "ok")
                #expect(try await sendToAll(#""verb":"devices""#, as: "test", gateway)["error"]["code"] == "denied")
                #expect(try await gateway.send("devices")["status"] == "ok")
            }
        }

        @Test func `a device that a filter finds is asked about before it is connected to`() async throws {
            try await withAgent(setup("[{deny: any, devices: door}, {allow: any}]")) { gateway in
                let name = #""match":{"addresses":["door"]}"#
                let answer = try await gateway.send("connect", name)
                #expect(answer["error"]["code"] == "denied" && answer["dev"] == "door")
                #expect(await gateway.world.count(of: "Connect") == 0)
                let other = try await gateway.send("connect", #""match":{"namePrefix":"Sim Heart"}"#)
                #expect(other["status"] == "ok")
            }
        }

        @Test func `info says whether there is a policy, and none of it`() async throws {
            try await withAgent(setup("[{allow: any, callers: [test, S3cr3t-needle]}]")) { gateway in
                let info = try await gateway.send("info")
                #expect(info["result"]["policy"] == true)
                let retained = try await gateway.hear(on: "info")
                #expect(retained.json["policy"] == true)
                #expect(gateway.caller.all().allSatisfy { !$0.text.contains("S3cr3t") })
            }
            try await withAgent(isReady: false) { gateway in
                let info = try await gateway.send("info")
                #expect(info["result"]["policy"] == false)
            }
        }
    }
}
