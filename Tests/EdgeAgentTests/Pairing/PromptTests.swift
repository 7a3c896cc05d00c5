import TestSupport
import Testing

extension AgentLane2 {
    /// Prompts of pairings, and their answers over MQTT.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct PromptTests {
        struct Row: Sendable, CustomTestStringConvertible {
            let kind: String
            /// What the prompt has besides what all have.
            let shown: Set<String>
            let answer: String
            let wrong: [String]
            var testDescription: String { kind }
        }

        static let rows = [
            Row(kind: "confirm", shown: ["passkey"], answer: #""accept":true"#, wrong: [#""passkey":42"#]),
            Row(
                kind: "passkey",
                shown: [],
                answer: #""passkey":"000042""#,
                wrong: [#""accept":true"#, #""pin":"42""#]
            ),
            Row(kind: "passkey", shown: [], answer: #""accept":true,"passkey":42"#, wrong: []),
            Row(kind: "pin", shown: [], answer: #""pin":"4711-code""#, wrong: [#""passkey":42"#]),
        ]

        @Test(arguments: rows) func `a prompt is published, and takes the answer that it wants`(_ row: Row) async throws
        {
            let device = TestDevice.lock(row.kind)
            try await withAgent(AgentSetup(beside: device)) { gateway in
                let id = try await gateway.start("pair", on: device)
                let prompt = try await gateway.prompt()
                let common: Set = ["prompt", "state", "kind", "expires", "dev", "address", "gw", "boot", "seq", "ts"]
                #expect(prompt.keys == common.union(row.shown))
                #expect(prompt["kind"].text == row.kind && prompt["dev"].text == device.hex)
                if row.shown.contains("passkey") { #expect(prompt["passkey"] == "000042") }
                for wrong in row.wrong {
                    let refused = try await gateway.answer(prompt, wrong, on: device)
                    expectError(refused, "bad-request", status: "rejected", stage: "agent")
                    #expect(refused["applied"] == "no")
                }
                let answered = try await gateway.answer(prompt, row.answer, on: device)
                #expect(answered["status"] == "ok" && answered["confirmed"] == "local")
                #expect(answered["result"] == .object([:]))
                let paired = try await gateway.result(id).json
                #expect(paired["status"] == "ok" && paired["confirmed"] == "response")
                #expect(paired["result"] == .object(["already": false, "bonded": true]))
                let end = try await gateway.prompt("answered")
                #expect(end["prompt"] == prompt["prompt"] && end.keys == common.subtracting(["expires"]))
                let late = try await gateway.answer(prompt, row.answer, on: device)
                expectError(late, "bad-request", status: "rejected", stage: "agent")
                #expect(try await gateway.retained().keys.contains(gateway.topic("pair")) == false)
            }
        }

        @Test func `a number that is shown is typed in at the device`() async throws {
            let device = TestDevice.lock("display")
            try await withAgent(AgentSetup(beside: device)) { gateway in
                let id = try await gateway.start("pair", on: device)
                let prompt = try await gateway.prompt()
                #expect(prompt["kind"] == "display" && prompt["passkey"] == "000042" && prompt["entered"] == 0)
                let refused = try await gateway.answer(prompt, #""accept":true"#, on: device)
                expectError(refused, "bad-request", status: "rejected", stage: "agent")
                await gateway.world.type(42, at: device)
                #expect(try await gateway.result(id).json["result"]["bonded"] == true)
                _ = try await gateway.prompt("cancelled")
            }
        }

        @Test func `an answer for another device or of another name is for no prompt`() async throws {
            let device = TestDevice.lock("confirm")
            var setup = AgentSetup(beside: device)
            setup.world.devices?.append(.battery)
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("pair", on: device)
                let prompt = try await gateway.prompt()
                let other = try await gateway.answer(prompt, #""accept":true"#, on: .battery)
                expectError(other, "bad-request", status: "rejected", stage: "agent")
                let unknown = try await gateway.send("pair.answer", #""prompt":"0","accept":true"#, on: device)
                expectError(unknown, "bad-request", status: "rejected", stage: "agent")
                _ = try await gateway.answer(prompt, #""accept":false"#, on: device)
                let refused = try await gateway.result(id).json
                expectError(refused, "pairing-rejected")
                #expect(refused["applied"] == "no")
                #expect(try await gateway.prompt("rejected")["prompt"] == prompt["prompt"])
                // The device is free again.
                #expect(try await gateway.send("read", Gateway.level, on: device)["status"] == "ok")
            }
        }

        @Test func `a prompt that nobody answers ends by itself, and the pairing with it`() async throws {
            let device = TestDevice.lock("confirm")
            var setup = AgentSetup(beside: device)
            setup.keys = ["bluetooth.pairing.promptMs": "1000"]
            try await withAgent(setup) { gateway in
                let result = try await gateway.send("pair", on: device)
                expectError(result, "pairing-rejected")
                #expect(try await gateway.prompt("expired")["kind"] == "confirm")
            }
        }

        @Test func `a prompt is answered while the queue of its device is full and the job that waits for it runs`()
            async throws
        {
            let device = TestDevice.lock("passkey")
            var setup = AgentSetup(beside: device)
            setup.keys = ["limits.maxQueuedPerDevice": "1", "limits.maxQueuedTotal": "1"]
            try await withAgent(setup) { gateway in
                let pair = try await gateway.start("pair", on: device)
                let prompt = try await gateway.prompt()
                let read = try await gateway.start("read", Self.level, on: device)
                let full = try await gateway.send("read", Self.level, on: device)
                #expect(full["error"]["code"] == "queue-full")
                #expect(try await gateway.answer(prompt, #""passkey":42"#, on: device)["status"] == "ok")
                #expect(try await gateway.result(pair).json["status"] == "ok")
                #expect(try await gateway.result(read).json["status"] == "ok")
            }
        }

        private static let level = Gateway.level

        @Test func `an answer that is sent again is the same answer, and answers nothing twice`() async throws {
            let device = TestDevice.lock("passkey")
            try await withAgent(AgentSetup(beside: device)) { gateway in
                let pair = try await gateway.start("pair", on: device)
                let name = try await gateway.prompt()["prompt"].text ?? ""
                let command = "{\"id\":\"a1\",\"verb\":\"pair.answer\",\"prompt\":\"\(name)\",\"passkey\":"
                let topic = "dev/\(device.hex)/cmd/test"
                for _ in 0..<2 { try await gateway.publish((command + "42}").utf8, to: topic) }
                let place = gateway.topic("res/test/a1")
                let again = try await gateway.hear("the second answer", count: 2) { $0.topic == place }
                #expect(again.json["status"] == "ok" && again.json["replayed"] == true)
                #expect(try await gateway.result(pair).json["status"] == "ok")
                try await gateway.publish((command + "43}").utf8, to: topic)
                let other = try await gateway.hear("the third answer", count: 3) { $0.topic == place }
                #expect(other.json["error"]["code"] == "duplicate-conflict")
            }
        }

        @Test func `a code stands in no log, no retained or observed message, and not on the disk`() async throws {
            let directory = try makeTemporaryDirectory()
            defer { removeTemporaryDirectory(directory) }
            let device = TestDevice.lock("pin")
            var setup = AgentSetup(beside: device)
            setup.keys = ["stateDir": directory, "durability": "power", "audit.values": "true"]
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("pair", on: device)
                let prompt = try await gateway.prompt()
                let long = try await gateway.answer(prompt, #""pin":"4711-code-4711-code""#, on: device)
                expectError(long, "bad-request", status: "rejected", stage: "agent")
                #expect(long["error"]["detail"].text?.contains("pin: expected a text of 1 to 16 bytes") == true)
                #expect(try await gateway.answer(prompt, #""passkey":470011"#, on: device)["status"] == "rejected")
                #expect(try await gateway.answer(prompt, #""pin":"4711-code""#, on: device)["status"] == "ok")
                #expect(try await gateway.result(id).json["status"] == "ok")
                _ = try await gateway.send("jobs")
                let heard = gateway.caller.all().filter { !$0.topic.contains("/cmd") }
                #expect(heard.allSatisfy { !$0.text.contains("4711-code") && !$0.text.contains("470011") })
                #expect(try await gateway.stop() == 0)
                #expect(!gateway.agent.log.contains("4711-code") && !gateway.agent.log.contains("470011"))
                #expect(gateway.agent.lines(with: "verb=pair.answer").count >= 1)
                #expect(try directoryContains(directory, "\"pair\""))
                #expect(try !directoryContains(directory, "4711-code"))
                #expect(try !directoryContains(directory, "470011"))
            }
        }
    }
}
