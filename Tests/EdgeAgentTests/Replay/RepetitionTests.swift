import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// The same command again: it is answered again and does not run again.
    @Suite(.timeLimit(.minutes(10)))
    struct RepetitionTests {
        private static let write = #""verb":"write",\#(JobWorld.three),\#(JobWorld.value)"#
        private static let place = "dev/\(TestDevice.thing.hex)/cmd"
        private static let slow = "{member: WriteValue, nth: 1, steps: [{carryOut: {lateMs: 1500}}]}"

        /// Sends a command again and waits for the answer to that.
        private func again(
            _ gateway: Gateway,
            _ payload: String,
            to rest: String,
            client: String = "test",
            id: String = "r1"
        ) async throws -> Received {
            let mark = gateway.caller.mark
            try await gateway.publish(payload.utf8, to: rest)
            let topic = gateway.topic("res/\(client)/\(id)")
            return try await gateway.hear("the answer on \(topic)", from: mark) { $0.topic == topic }
        }

        // MARK: After the end

        @Test func `a command that has ended is answered with the same bytes and the word that it is a replay`()
            async throws
        {
            try await withAgent(try JobWorld.setup()) { gateway in
                try await gateway.publish(#"{"id":"r1",\#(Self.write)}"#.utf8, to: "\(Self.place)/test")
                let first = try await gateway.result("r1")
                #expect(first.json["replayed"] == .missing)
                // The same JSON in other words, with other times and another wish for steps.
                let same = [
                    #"{"id":"r1",\#(Self.write)}"#, #"{ \#(Self.write) , "id" : "r1" }"#,
                    #"{"id":"r1",\#(Self.write),"ack":true,"ttlMs":5000}"#,
                    #"{"id":"r1",\#(Self.write),"client":"test","sentAt":"2026-10-01T10:00:00Z"}"#,
                    #"{"id":"r1",\#(Self.write),"expires":"2099-01-01T00:00:00Z"}"#,
                ]
                for payload in same {
                    let answer = try await again(gateway, payload, to: "\(Self.place)/test")
                    #expect(answer.text != first.text, "\(payload)")
                    #expect(answer.text.contains(#""replayed":true"#), "\(answer.text)")
                    let stripped = answer.text.replacing(#","replayed":true"#, with: "")
                    #expect(stripped == first.text, "\(payload)")
                    #expect(answer.properties["status"] == "ok")
                }
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `a number and its text are one id, and the first one's form comes back`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                try await gateway.publish(#"{"id":7,\#(Self.write)}"#.utf8, to: "\(Self.place)/test")
                #expect(try await gateway.result("7").json["id"] == 7)
                let answer = try await again(gateway, #"{"id":"7",\#(Self.write)}"#, to: "\(Self.place)/test", id: "7")
                #expect(answer.json["replayed"] == true && answer.json["id"] == 7)
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `an expired repetition of a command that ran is answered as that was`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                try await gateway.publish(#"{"id":"r1",\#(Self.write)}"#.utf8, to: "\(Self.place)/test")
                #expect(try await gateway.result("r1").json["status"] == "ok")
                let late = #"{"id":"r1",\#(Self.write),"expires":"2020-01-01T00:00:00Z"}"#
                let answer = try await again(gateway, late, to: "\(Self.place)/test").json
                #expect(answer["status"] == "ok" && answer["replayed"] == true, "\(answer)")
                // One that never ran is expired, and stays so.
                let never = #"{"id":"r2",\#(Self.write),"expires":"2020-01-01T00:00:00Z"}"#
                let expired = try await again(gateway, never, to: "\(Self.place)/test", id: "r2").json
                #expect(expired["status"] == "expired" && expired["replayed"] == .missing, "\(expired)")
                let more = try await again(gateway, never, to: "\(Self.place)/test", id: "r2").json
                #expect(more["status"] == "expired" && more["replayed"] == true, "\(more)")
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `a failure is repeated as it was, and so is the answer to a read and to a gateway's command`()
            async throws
        {
            try await withAgent(try JobWorld.setup()) { gateway in
                let commands = [
                    (Self.place, #""verb":"read",\#(JobWorld.two)"#), (Self.place, #""verb":"read",\#(JobWorld.one)"#),
                    ("cmd", #""verb":"scan","durationMs":50"#), ("cmd", #""verb":"ping""#),
                ]
                for (number, (rest, command)) in commands.enumerated() {
                    let payload = #"{"id":"f\#(number)",\#(command)}"#
                    try await gateway.publish(payload.utf8, to: "\(rest)/test")
                    let first = try await gateway.result("f\(number)").json
                    let answer = try await again(gateway, payload, to: "\(rest)/test", id: "f\(number)").json
                    #expect(answer["replayed"] == true && answer["seq"] == first["seq"], "\(answer)")
                    #expect(answer["status"] == first["status"], "\(answer)")
                }
                #expect(await gateway.world.count(of: "ReadValue") == 2)
                #expect(await gateway.world.count(of: "StartDiscovery") == 1)
            }
        }

        // MARK: While it runs

        @Test func `a command that is repeated while it runs has one answer for each response topic`() async throws {
            try await withAgent(try JobWorld.setup(faults: [Self.slow])) { gateway in
                let payload = #"{"id":"r1",\#(Self.write)}"#
                let rest = "\(Self.place)/test"
                try await gateway.start(payload, to: rest, responseTopic: "reply/a", correlation: "one")
                await gateway.world.waitForCalls(of: "WriteValue")
                try await gateway.start(payload, to: rest, responseTopic: "reply/b", correlation: "two")
                try await gateway.start(payload, to: rest, responseTopic: "reply/b", correlation: "two")
                try await gateway.publish(payload.utf8, to: rest)
                #expect(try await gateway.send("ping")["status"] == "ok")
                #expect(gateway.finals(of: "r1").isEmpty)
                _ = try await gateway.result("r1")
                try await gateway.settle()
                let answers = gateway.finals(of: "r1")
                #expect(answers.map(\.topic) == ["reply/a", "reply/b", gateway.topic("res/test/r1")])
                let data = answers.map { $0.message.correlationData.map { String(decoding: $0, as: UTF8.self) } }
                #expect(data == ["one", "two", nil])
                #expect(Set(answers.map(\.text)).count == 1 && answers[0].json["replayed"] == .missing)
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test(arguments: [true, false])
        func `another command under the same id is refused, and the first is not disturbed`(isRunning: Bool)
            async throws
        {
            try await withAgent(try JobWorld.setup(faults: isRunning ? [Self.slow] : [])) { gateway in
                let rest = "\(Self.place)/test"
                try await gateway.start(#"{"id":"r1",\#(Self.write)}"#, to: rest, responseTopic: "reply/first")
                await gateway.world.waitForCalls(of: "WriteValue")
                if !isRunning { _ = try await gateway.hear("the first result") { $0.topic == "reply/first" } }
                let others = [
                    (
                        rest, #"{"id":"r1","verb":"write",\#(JobWorld.three),"value":{"hex":"03"}}"#,
                        "duplicate-conflict"
                    ),
                    (rest, #"{"id":"r1",\#(Self.write),"timeoutMs":5000}"#, "duplicate-conflict"),
                    (rest, #"{"id":"r1","verb":"read",\#(JobWorld.one)}"#, "duplicate-conflict"),
                    ("cmd/test", #"{"id":"r1","verb":"ping"}"#, "duplicate-conflict"),
                    ("dev/c05a00000099/cmd/test", #"{"id":"r1",\#(Self.write)}"#, "duplicate-conflict"),
                    (rest, #"{"id":"r1","verb":"fly"}"#, "unknown-verb"),
                    (rest, #"{"id":"r1"}"#, "bad-request"),
                    (rest, #"{"id":"r1","client":"else",\#(Self.write)}"#, "conflicting-envelope"),
                ]
                for (rest, payload, code) in others {
                    let answer = try await again(gateway, payload, to: rest).json
                    #expect(answer["status"] == "rejected" && answer["error"]["code"].text == code, "\(answer)")
                    #expect(answer["replayed"] == .missing && answer["error"]["retryable"] == false, "\(answer)")
                }
                let first = try await gateway.hear("the first result") { $0.topic == "reply/first" }
                #expect(first.json["status"] == "ok", "\(first.text)")
                #expect(gateway.caller.all("reply/first").count == 1)
                let same = try await again(gateway, #"{"id":"r1",\#(Self.write)}"#, to: rest).json
                #expect(
                    same["status"] == "ok" && same["replayed"] == true && same["seq"] == first.json["seq"],
                    "\(same)"
                )
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        // MARK: Whose command it is

        @Test func `the level of a topic and a label of the same name are two callers`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                try await gateway.publish(#"{"id":"r1",\#(Self.write)}"#.utf8, to: "\(Self.place)/test")
                #expect(try await gateway.result("r1").json["status"] == "ok")
                let label = #"{"id":"r1","client":"test",\#(Self.write)}"#
                let other = try await again(gateway, label, to: Self.place).json
                #expect(other["status"] == "ok" && other["replayed"] == .missing, "\(other)")
                #expect(await gateway.world.count(of: "WriteValue") == 2)
                let answer = try await again(gateway, label, to: Self.place).json
                #expect(answer["replayed"] == true, "\(answer)")
                let third = try await again(gateway, #"{"id":"r1",\#(Self.write)}"#, to: "\(Self.place)/b", client: "b")
                #expect(third.json["replayed"] == .missing)
                #expect(await gateway.world.count(of: "WriteValue") == 3)
            }
        }

        @Test func `commands without a caller, or without an id, run each time`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                for _ in 0..<2 {
                    let answer = try await again(
                        gateway,
                        #"{"id":"r1",\#(Self.write)}"#,
                        to: Self.place,
                        client: "anonymous"
                    )
                    #expect(answer.json["status"] == "ok" && answer.json["replayed"] == .missing)
                }
                let mark = gateway.caller.mark
                for _ in 0..<2 { try await gateway.publish("{\(Self.write)}".utf8, to: "\(Self.place)/test") }
                let topic = gateway.topic("res/test/")
                _ = try await gateway.hear("both", from: mark, count: 2) { $0.topic.hasPrefix(topic) }
                #expect(await gateway.world.count(of: "WriteValue") == 4)
            }
        }
    }
}
