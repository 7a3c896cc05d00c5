import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// Every command has its one answer, and every answer can be told apart.
    @Suite(.timeLimit(.minutes(10)))
    struct AnswerCaseTests {
        /// A command with what has to come of it.
        private struct Sent {
            var rest: String
            /// As it stands in the command; nil: there is none.
            var id: Json?
            var members: String
            var code: String?

            var payload: String {
                switch id {
                case .text(let text)?: #"{"id":"\#(text)",\#(members)}"#
                case .number(let number)?: #"{"id":\#(Int(number)),\#(members)}"#
                default: "{\(members)}"
                }
            }
        }

        /// What is sent to a device, and what comes of it: a third fails, at each stage.
        private static let kinds: [(members: String, code: String?)] = [
            (#""verb":"read",\#(JobWorld.one)"#, nil),
            (#""verb":"write",\#(JobWorld.three),\#(JobWorld.value)"#, nil),
            (#""verb":"read",\#(JobWorld.two)"#, "att-error"),
            (#""verb":"write",\#(JobWorld.one),"value":{"hex":"0g"}"#, "bad-request"),
            (#""verb":"rssi""#, "not-in-range"),
            (#""verb":"read",\#(JobWorld.three)"#, nil),
            (#""verb":"read","service":"180a","characteristic":"2a29""#, "no-service"),
            (#""verb":"discover""#, nil),
            (#""verb":"read",\#(JobWorld.three),"priority":"low""#, nil),
        ]

        private static func commands() -> [Sent] {
            var commands: [Sent] = []
            for number in 0..<90 {
                let device = TestDevice.thing(number % 10)
                var (members, code) = kinds[number % kinds.count]
                var rest = "dev/\(device.hex)/cmd/test"
                // The last two devices never take a link, one answers a read late.
                if number % 10 >= 8, code != "bad-request", !members.contains("rssi") {
                    members += #","timeoutMs":600"#
                    code = "connect-timeout"
                }
                if number % 10 == 7, members.contains(#""read""#), members.contains("ffe1") {
                    members += #","timeoutMs":800"#
                    code = "timeout"
                }
                if number % 17 == 5 {
                    rest = "dev/nobody/cmd/test"
                    code = "unknown-device"
                }
                var id: Json? = number.isMultiple(of: 2) ? .text("b57-\(number)") : .number(Double(1_000_000 + number))
                if number % 30 == 29 { id = nil }
                if number % 30 == 14 {
                    id = .text(String(repeating: "x", count: 297) + String(100 + number))
                    code = "bad-request"
                }
                commands.append(Sent(rest: rest, id: id, members: members, code: code))
            }
            return commands
        }

        @Test func `B57: a hundred commands that fail at every stage have one answer each, with their ids`()
            async throws
        {
            let refusal = "{error: {name: Failed, text: le-connection-abort-by-local}}"
            let setup = try JobWorld.setup(
                devices: 10,
                faults: [
                    "{member: Connect, device: \"\(TestDevice.thing(8).address)\", steps: [\(refusal)]}",
                    "{member: Connect, device: \"\(TestDevice.thing(9).address)\", steps: [\(refusal)]}",
                    "{member: ReadValue, device: \"\(TestDevice.thing(7).address)\", uuid: ffe1, "
                        + "steps: [{carryOut: {lateMs: 1200}}]}",
                ]
            )
            try await withAgent(setup) { gateway in
                let commands = Self.commands()
                for command in commands { try await gateway.publish(command.payload.utf8, to: command.rest) }
                // Ten of them once more, at once: while the first runs, or has ended already.
                let repeated = commands.filter { command in
                    if case .text(let text)? = command.id, text.utf8.count < 64 { command.code == nil } else { false }
                }.prefix(10)
                #expect(repeated.count == 10)
                for command in repeated { try await gateway.publish(command.payload.utf8, to: command.rest) }
                func isAnswer(_ received: Received) -> Bool {
                    received.topic.hasPrefix(gateway.topic("res/")) && received.json["final"] == true
                        && received.json["replayed"] != true && received.json["verb"] != "ping"
                }
                let topic = gateway.topic("res/")
                _ = try await gateway.hear("all answers", count: commands.count) {
                    $0.topic.hasPrefix(topic) && $0.json["final"] == true && $0.json["replayed"] != true
                }
                try await gateway.settle()
                let answers = gateway.caller.all().filter(isAnswer)
                #expect(answers.count == commands.count)
                for command in commands where command.id != nil {
                    let own = answers.filter { $0.json["id"] == command.id }
                    #expect(own.count == 1, "\(command.payload): \(own.map(\.text))")
                    let answer = own.first?.json ?? .missing
                    #expect((answer["error"]["code"].text) == command.code, "\(command.payload): \(answer)")
                    #expect((answer["status"] == "ok") == (command.code == nil), "\(answer)")
                    #expect(answer["client"] == "test", "\(answer)")
                }
                let made = answers.filter { answer in !commands.contains { $0.id == answer.json["id"] } }
                #expect(made.count == 3 && Set(made.compactMap(\.json["id"].text)).count == 3)
                let failed = answers.filter { $0.json["status"] != "ok" }
                #expect((33...75).contains(failed.count))
                let stages = Set(failed.compactMap(\.json["error"]["stage"].text))
                #expect(stages == ["agent", "scan", "connect", "discover", "operate"])
            }
        }
    }
}
