import BlueZSimulator
import Glibc
import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// What becomes of commands of each kind when the agent dies and another one starts.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RestartTests {
        private static let write = #""service":"fff0","characteristic":"fff5","value":{"hex":"2a"}"#
        private static let read = #""service":"fff0","characteristic":"fff3""#
        private static let sequence =
            #""steps":[{"verb":"read",\#(read)},{"verb":"write",\#(write)},{"verb":"read",\#(read)}]"#

        private static func setup(_ state: String, attDelay: Duration) -> AgentSetup {
            var setup = AgentSetup.lasting(state)
            setup.world.devices = [.awkward, .twin, .meter]
            setup.world.attDelay = attDelay
            setup.aliases = [("one", .awkward), ("two", .twin)]
            setup.keys["groups.both"] = "[one, two]"
            return setup
        }

        /// Runs a body, kills the agent, and runs another body with its next start.
        private func withRestart<Value>(
            _ setup: (String) -> AgentSetup,
            then change: (inout AgentSetup) -> Void = { _ in },
            before: (Gateway) async throws -> Value,
            after: (Gateway, Value) async throws -> Void
        ) async throws {
            try await withStateFolder { state in
                try await withAgent(setup(state)) { first in
                    let value = try await before(first)
                    _ = try await first.stop(SIGKILL)
                    var setup = first.setup
                    change(&setup)
                    let second = try await startAgent(setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    try await after(second, value)
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        /// Keeps a device at work, so that what follows waits.
        private func occupy(_ device: TestDevice, _ gateway: Gateway, calls: Int = 1) async throws {
            try await gateway.start("read", Self.read, on: device)
            await gateway.world.waitForCalls(of: "ReadValue", count: calls)
        }

        /// Waits until a device's n-th job is in the queue, and so in the journal.
        private func accepted(_ count: Int, of device: TestDevice, _ gateway: Gateway) async throws {
            try await gateway.hear(on: "dev/\(gateway.name(of: device))/job", count: count) {
                $0["status"] == "accepted"
            }
        }

        // MARK: Sequences and groups

        @Test func `a sequence of which a write may be out is unknown as a whole`() async throws {
            try await withRestart({ Self.setup($0, attDelay: .milliseconds(1500)) }) { gateway in
                let id = try await gateway.start("sequence", Self.sequence, on: .awkward)
                await gateway.world.waitForCalls(of: "WriteValue")
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["status"] == "unknown" && result["applied"] == "maybe" && result["dev"] == "one")
                #expect(result["error"]["code"] == "outcome-unknown")
                try await gateway.settle()
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `a sequence that has only read so far is done from its beginning`() async throws {
            try await withRestart({ Self.setup($0, attDelay: .milliseconds(1500)) }) { gateway in
                let id = try await gateway.start("sequence", Self.sequence, on: .awkward)
                await gateway.world.waitForCalls(of: "ReadValue")
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["status"] == "ok" && result["result"]["steps"].list.count == 3)
                #expect(await gateway.world.count(of: "WriteValue") == 1)
                #expect(await gateway.world.count(of: "ReadValue") == 3)
            }
        }

        @Test func `a sequence that only reads is not taken up, and its repetition runs`() async throws {
            let steps = #""steps":[{"verb":"read",\#(Self.read)},{"verb":"read",\#(Self.read)}]"#
            try await withRestart({ Self.setup($0, attDelay: .milliseconds(1500)) }) { gateway in
                let id = try await gateway.start("sequence", steps, on: .awkward)
                await gateway.world.waitForCalls(of: "ReadValue")
                return id
            } after: { gateway, id in
                try await gateway.settle()
                #expect(gateway.results(id).isEmpty)
                // The device may be at work on the first one still.
                _ = try await gateway.send("read", Self.read + #","retry":{}"#, on: .awkward)
                try await gateway.send(again: id, "sequence", steps, on: .awkward)
                let result = try await gateway.result(id).json
                #expect(result["status"] == "ok" && result["replayed"] == .missing)
            }
        }

        @Test func `a group's command that is out at one member is unknown, and begun at none again`() async throws {
            try await withRestart({ Self.setup($0, attDelay: .seconds(2)) }) { gateway in
                try await occupy(.twin, gateway)
                let id = gateway.makeID()
                try await gateway.publish(
                    "{\"id\":\"\(id)\",\"verb\":\"write\",\(Self.write)}".utf8,
                    to: "group/both/cmd/test"
                )
                await gateway.world.waitForCalls(of: "WriteValue")
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["status"] == "unknown" && result["applied"] == "maybe" && result["group"] == "both")
                #expect(result["error"]["code"] == "outcome-unknown")
                try await gateway.settle()
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `a group's command that has begun at no member runs`() async throws {
            try await withRestart({ Self.setup($0, attDelay: .milliseconds(1500)) }) { gateway in
                try await occupy(.awkward, gateway)
                try await occupy(.twin, gateway, calls: 2)
                let id = gateway.makeID()
                try await gateway.publish(
                    "{\"id\":\"\(id)\",\"verb\":\"write\",\(Self.write)}".utf8,
                    to: "group/both/cmd/test"
                )
                try await accepted(2, of: .awkward, gateway)
                try await accepted(2, of: .twin, gateway)
                #expect(await gateway.world.count(of: "WriteValue") == 0)
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["status"] == "ok" && result["result"]["members"].list.count == 2)
                #expect(await gateway.world.count(of: "WriteValue") == 2)
            }
        }

        // MARK: Names and answers

        @Test func `commands of nobody, with and without an id, run once and are answered`() async throws {
            try await withRestart({ Self.setup($0, attDelay: .milliseconds(1500)) }) { gateway in
                try await occupy(.awkward, gateway)
                let command = #""verb":"write",\#(Self.write)}"#
                // The same id twice is two commands: nobody is compared with nobody.
                for body in ["{\"id\":\"x\",\(command)", "{\"id\":\"x\",\(command)", "{\(command)"] {
                    try await gateway.publish(body.utf8, to: "dev/one/cmd")
                }
                try await accepted(4, of: .awkward, gateway)
                let last = try await gateway.hear(on: "dev/one/job", count: 4) { $0["status"] == "accepted" }
                return last.json["id"].text ?? ""
            } after: { gateway, made in
                #expect(!made.isEmpty && made != "x")
                let topic = gateway.topic("res/anonymous/x")
                _ = try await gateway.hear("both answers", count: 2) { $0.topic == topic }
                #expect(try await gateway.result(made, client: "anonymous").json["status"] == "ok")
                #expect(
                    gateway.caller.all(topic).allSatisfy {
                        $0.json["status"] == "ok" && $0.json["replayed"] == .missing
                    }
                )
                #expect(await gateway.world.count(of: "WriteValue") == 3)
            }
        }

        @Test func `all who asked before the agent died have the one answer after it, with their own data`()
            async throws
        {
            let payload = #"{"id":"shared","client":"test","verb":"write",\#(Self.write)}"#
            try await withRestart({ Self.setup($0, attDelay: .seconds(2)) }) { gateway in
                try await occupy(.awkward, gateway)
                for (topic, data) in [("reply/a", "first"), ("reply/b", "second"), ("reply/b", "third")] {
                    try await gateway.start(payload, to: "dev/one/cmd", responseTopic: topic, correlation: data)
                }
                try await gateway.agent.waitForLog("Command repeated while it runs", count: 2)
                // The journal takes requests in order: what was asked for before this one is kept.
                _ = try await gateway.send("connect", on: .meter)
            } after: { gateway, _ in
                let answers = ["first", "second", "third"].map { Array($0.utf8) }
                let heard = try await gateway.hear("three answers", count: 3) {
                    $0.topic.hasPrefix("reply/") && $0.json["status"] == "ok"
                }
                let all = gateway.caller.all("reply/").filter { $0.json["status"] == "ok" }
                #expect(
                    all.map(\.message.correlationData) == answers
                        && all.map(\.topic) == ["reply/a", "reply/b", "reply/b"]
                )
                #expect(Set(all.map(\.text)) == [heard.text])
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `a command whose id is its correlation data keeps both over a restart`() async throws {
            let payload = #"{"client":"test","verb":"write",\#(Self.write)}"#
            try await withRestart({ Self.setup($0, attDelay: .milliseconds(1500)) }) { gateway in
                try await occupy(.awkward, gateway)
                try await gateway.start(payload, to: "dev/one/cmd", responseTopic: "reply/x", correlation: "no id: ü")
                try await accepted(2, of: .awkward, gateway)
            } after: { gateway, _ in
                let result = try await gateway.hear("the answer") { $0.topic == "reply/x" && $0.json["status"] == "ok" }
                #expect(result.message.correlationData == Array("no id: ü".utf8))
                #expect(result.json["id"].text?.count == 64 && result.properties["status"] == "ok")
                try await gateway.start(payload, to: "dev/one/cmd", responseTopic: "reply/x", correlation: "no id: ü")
                let repeated = try await gateway.hear("its repetition", from: result.number + 1) {
                    $0.topic == "reply/x"
                }
                #expect(repeated.text == result.text.dropLast() + #","replayed":true}"#)
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        // MARK: Verbs that send no value

        @Test(arguments: [
            ("connect", "", "Connect"), ("discover", #""refresh":true"#, "RemoveDevice"),
            ("subscribe", #""service":"ffd0","characteristic":"ffd1""#, "StartNotify"),
        ])
        func `what may be done twice is done again`(verb: String, fields: String, call: String) async throws {
            try await withRestart { state in
                var setup = Self.setup(state, attDelay: .milliseconds(1500))
                setup.world.devices = [.meter(connectDelay: .milliseconds(1500))]
                setup.aliases = []
                setup.keys["groups.both"] = nil
                return setup
            } before: { gateway in
                // What BlueZ does not know it need not forget.
                if verb == "discover" { _ = try await gateway.send("connect", on: .meter) }
                let id = try await gateway.start(verb, fields, on: .meter)
                await gateway.world.waitForCalls(of: call)
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["status"] == "ok" && result["verb"].text == verb)
                if verb == "subscribe" {
                    await gateway.world.notify(.meter, "ffd1", [7])
                    #expect(try await gateway.hear(on: gateway.values("ffd1")).json["value"]["hex"] == "07")
                }
                try await gateway.send(again: id, verb, fields.isEmpty ? #""priority":"low""# : fields, on: .meter)
                let again = try await gateway.result(id, number: 2).json
                #expect(fields.isEmpty ? again["error"]["code"] == "duplicate-conflict" : again["replayed"] == true)
            }
        }

        @Test func `a lasting scan whose start was not answered is started`() async throws {
            let scenario = try ScenarioFiles.read("unanswered-once")
            let fields = #""session":"hall","emit":"all""#
            try await withRestart { state in
                var setup = AgentSetup.lasting(state)
                setup.world.scenario = scenario
                return setup
            } before: { gateway in
                let id = try await gateway.start("scan.start", fields)
                await gateway.world.waitForCalls(of: "StartDiscovery")
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["status"] == "ok" && result["result"]["session"] == "hall")
                try await gateway.hear(on: "scan/hall")
                try await gateway.send(again: id, "scan.start", fields)
                #expect(try await gateway.result(id, number: 2).json["replayed"] == true)
            }
        }

        // MARK: Another configuration

        @Test func `a policy that came between denies what was accepted under another one`() async throws {
            try await withRestart {
                Self.setup($0, attDelay: .milliseconds(1500))
            } then: {
                $0.keys["policy"] = "[{allow: read-only}, {allow: any, devices: two}]"
            } before: { gateway in
                try await occupy(.awkward, gateway)
                let id = try await gateway.start("write", Self.write, on: .awkward)
                try await accepted(2, of: .awkward, gateway)
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["error"]["code"] == "denied" && result["applied"] == "no")
                // It is the answer from now on.
                try await gateway.send(again: id, "write", Self.write, on: .awkward)
                #expect(try await gateway.result(id, number: 2).json["error"]["code"] == "denied")
                #expect(await gateway.world.count(of: "WriteValue") == 0)
            }
        }

        @Test func `an alias that is gone ends what was accepted for it`() async throws {
            try await withRestart {
                Self.setup($0, attDelay: .milliseconds(1500))
            } then: {
                $0.aliases = [("three", .awkward), ("two", .twin)]
                $0.keys["groups.both"] = "[three, two]"
            } before: { gateway in
                try await occupy(.awkward, gateway)
                let id = gateway.makeID()
                try await gateway.publish(
                    "{\"id\":\"\(id)\",\"verb\":\"write\",\(Self.write)}".utf8,
                    to: "dev/one/cmd/test"
                )
                try await accepted(2, of: .awkward, gateway)
                return id
            } after: { gateway, id in
                let result = try await gateway.result(id).json
                #expect(result["error"]["code"] == "unknown-device" && result["applied"] == "no")
                #expect(await gateway.world.count(of: "WriteValue") == 0)
            }
        }
    }
}

extension TestDevice {
    /// Another one like the awkward one.
    static let twin: TestDevice = {
        var model = awkward.model
        model.address = "C0:5A:00:00:00:25"
        model.advertisement.name = "Twin"
        return TestDevice(model)
    }()

    /// The meter, whose link takes some time.
    static func meter(connectDelay: Duration) -> TestDevice {
        var model = meter.model
        model.connectDelay = connectDelay
        return TestDevice(model)
    }
}
