import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// Commands by name and the states that come of them, over MQTT and Bluetooth.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct ProfileAgentTests {
        private static let profile = """
            profile: awkward
            title: Awkward
            sources:
              - characteristic: {service: fff0, uuid: fff5, atConnect: true}
                length: 1
                fields: [{name: level, type: u8, display: {component: number}}]
            commands:
              - {name: level, write: {service: fff0, uuid: fff5}, frame: "{value}",
                 args: [{name: value, type: u8, max: 100}], sets: level, idempotent: true}
              - {name: look, read: {service: fff0, uuid: fff6}, parse: [{name: six, type: u8}], readOnly: true}
            """

        private func setup() -> AgentSetup {
            var setup = AgentSetup()
            setup.keys = ["profiles.directory": "\"@/awkward.yaml\"", "values.minIntervalMs": "0"]
            setup.files = ["awkward.yaml": Self.profile]
            setup.aliases = [("thing", .awkward)]
            setup.profile = "awkward"
            return setup
        }

        @Test func `a value that is set shows in the state once the device has it, and never before`() async throws {
            try await withAgent(setup()) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                _ = try await gateway.hear(on: "dev/thing/state") { $0["level"] == 0 }
                var mark = gateway.caller.mark
                try await gateway.publish("42".utf8, to: "dev/thing/set/level")
                let result = try await gateway.hear("the result", from: mark) {
                    $0.topic.hasPrefix(gateway.topic("res/set/"))
                }
                #expect(result.json["status"] == "ok" && result.json["verb"] == "run" && result.json["client"] == "set")
                let state = try await gateway.hear(on: "dev/thing/state", from: mark)
                #expect(state.json["level"] == 42 && state.message.retain && state.json.keys == ["level"])
                #expect(await gateway.world.writes().map(\.bytes) == [[42]])
                mark = gateway.caller.mark
                for (payload, code) in [("101", "bad-request"), ("red", "bad-request"), ("", nil)] {
                    try await gateway.publish(payload.utf8, to: "dev/thing/set/level")
                    guard let code else { continue }
                    let refused = try await gateway.hear("the refusal", from: mark) {
                        $0.topic.hasPrefix(gateway.topic("res/set/"))
                    }
                    #expect(refused.json["error"]["code"].text == code && refused.json["applied"] == "no")
                    mark = gateway.caller.mark
                }
                try await gateway.settle()
                #expect(gateway.caller.all(from: mark, gateway.topic("dev/thing/state")).isEmpty)
                #expect(await gateway.world.writes().count == 1)
            }
        }

        @Test func `run takes arguments, and tells what is wrong with them and which commands there are`() async throws
        {
            try await withAgent(setup()) { gateway in
                let run = { (fields: String) in try await gateway.send("run", fields, on: .awkward) }
                let done = try await run(#""name":"level","args":{"value":7}"#)
                #expect(done["status"] == "ok" && done["confirmed"] == "response" && done["result"]["bytes"] == 1)
                _ = try await gateway.hear(on: "dev/thing/state") { $0["level"] == 7 }
                let read = try await run(#""name":"look""#)
                #expect(read["confirmed"] == "read" && read["result"]["parsed"]["six"] == 6)
                #expect(read["result"]["value"]["hex"] == "06")
                for (fields, code, word) in [
                    (#""name":"level""#, "bad-request", "value: is missing"),
                    (#""name":"level","args":{"value":7,"x":1}"#, "bad-request", "unknown"),
                    (#""name":"level","args":{"value":[1]}"#, "bad-request", "args.value"),
                    (#""name":"other""#, "unknown-command", "level, look"), (#""name":"A b""#, "bad-request", "name"),
                ] {
                    let refused = try await run(fields)
                    #expect(refused["error"]["code"].text == code && refused["status"] == "rejected")
                    #expect(refused["error"]["detail"].text?.contains(word) == true, "\(refused)")
                }
                let none = try await gateway.send("run", #""name":"level""#, on: .battery)
                #expect(none["error"]["code"] == "unknown-command")
                let info = try await gateway.send("info")
                #expect("\(info["result"]["profiles"])".contains("awkward"))
            }
        }

        @Test func `a sequence and a group may run commands by name`() async throws {
            var setup = setup()
            setup.keys["groups.both"] = "[thing]"
            try await withAgent(setup) { gateway in
                let steps = #""steps":[{"verb":"run","name":"level","args":{"value":3}},{"verb":"run","name":"look"}]"#
                let sequence = try await gateway.send("sequence", steps, on: .awkward)
                #expect(sequence["status"] == "ok")
                let id = gateway.makeID()
                let command = #"{"id":"\#(id)","verb":"run","name":"level","args":{"value":4}}"#
                try await gateway.publish(command.utf8, to: "group/both/cmd/test")
                #expect(try await gateway.result(id).json["status"] == "ok")
                #expect(await gateway.world.writes().map(\.bytes) == [[3], [4]])
            }
        }

        @Test func `what a device notifies and what it is asked for again and again reaches the state`() async throws {
            var setup = setup()
            setup.files = [
                "awkward.yaml": """
                profile: awkward
                title: Awkward
                link: {policy: keep}
                sources:
                  - characteristic: {service: fff0, uuid: fff6, notify: true}
                    fields: [{name: spin, type: u8}]
                  - characteristic: {service: fff0, uuid: fff5, everyMs: 1000}
                    length: 1
                    fields: [{name: level, type: u8}]
                """
            ]
            try await withAgent(setup) { gateway in
                await gateway.world.waitForCalls(of: "StartNotify")
                _ = try await gateway.hear(on: "dev/thing/state") { $0["level"] == 0 }
                for spin: UInt8 in [9, 10] {
                    let mark = gateway.caller.mark
                    await gateway.world.notify(.awkward, "fff6", [spin])
                    let state = try await gateway.hear(on: "dev/thing/state", from: mark)
                    #expect(state.json["spin"].number == Double(spin) && state.json["level"] == 0)
                }
                // Behind the profile's back: only the next question can find it.
                let mark = gateway.caller.mark
                let write = #""service":"fff0","characteristic":"fff5","value":{"hex":"2a"}"#
                #expect(try await gateway.send("write", write, on: .awkward)["status"] == "ok")
                let state = try await gateway.hear(on: "dev/thing/state", from: mark)
                #expect(state.json["level"] == 42 && state.json["spin"] == 10)
                // A lost link is made again, and the subscription with it.
                let lost = gateway.caller.mark
                await gateway.world.dropLink(.awkward)
                _ = try await gateway.hear(on: "dev/thing/event", from: lost) { $0["event"] == "subscription-restored" }
                let again = gateway.caller.mark
                await gateway.world.notify(.awkward, "fff6", [11])
                _ = try await gateway.hear(on: "dev/thing/state", from: again) { $0["spin"] == 11 }
            }
        }

        @Test func `SIGHUP takes up other profiles, and one that is wrong is told with its line`() async throws {
            try await withAgent(setup()) { gateway in
                try gateway.agent.replace("awkward.yaml", Self.profile.replacing("name: look", with: "name: peek"))
                gateway.agent.send(1)
                try await gateway.agent.waitForLog("Profiles are read again")
                try await within("the other profile") {
                    while try await gateway.send("run", #""name":"peek""#, on: .awkward)["status"] != "ok" {}
                }
                try gateway.agent.replace(
                    "awkward.yaml",
                    Self.profile.replacing("type: u8, max", with: "type: u7, max")
                )
                gateway.agent.send(1)
                try await gateway.agent.waitForLog("awkward.yaml:9")
            }
        }

        @Test func `the state of a beacon goes with forget, and comes back when it is heard`() async throws {
            var setup = AgentSetup()
            setup.world.devices = TestDevice.demo
            setup.aliases = [("tag", .ruuvi)]
            setup.profile = "ruuvi-5"
            try await withAgent(setup) { gateway in
                let state = try await gateway.hear(on: "dev/tag/state")
                #expect(state.json["temperature"].number != nil && state.json["battery_mv"].number != nil)
                let mark = gateway.caller.mark
                #expect(try await gateway.send("forget", on: .ruuvi)["status"] == "ok")
                let topic = gateway.topic("dev/tag/state")
                _ = try await gateway.hear("the emptied state", from: mark) {
                    $0.topic == topic && $0.message.payload.isEmpty
                }
                _ = try await gateway.hear("the state again", from: mark) {
                    $0.topic == topic && !$0.message.payload.isEmpty
                }
            }
        }
    }
}
