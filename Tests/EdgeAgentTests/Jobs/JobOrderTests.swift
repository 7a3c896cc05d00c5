import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// Jobs of one device stand in a queue, devices side by side.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct JobOrderTests {
        @Test func `jobs of one device run one at a time in order, each with its steps`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .milliseconds(20)
            try await withAgent(setup) { gateway in
                var ids: [String] = []
                for _ in 0..<5 { ids.append(try await gateway.start("read", Gateway.level, on: .battery)) }
                for id in ids { #expect(try await gateway.result(id).json["status"] == "ok") }
                let topic = gateway.topic(.battery, "job")
                _ = try await gateway.hear("the last step", count: 5) { $0.topic == topic && $0.json["final"] == true }
                let steps = gateway.caller.all(topic)
                #expect(steps.allSatisfy { !$0.message.retain && $0.message.qos == .atLeastOnce })
                let sequence = steps.map { step in "\(step.json["id"].text ?? "?") \(step.json["status"].text ?? "?")" }
                for id in ids {
                    #expect(
                        sequence.filter { $0.hasPrefix("\(id) ") }
                            == ["accepted", "started", "ok"].map { "\(id) \($0)" }
                    )
                }
                // One at a time: a job starts only when the one before has ended.
                let starts = sequence.filter { !$0.hasSuffix("accepted") }
                #expect(starts == ids.flatMap { ["\($0) started", "\($0) ok"] })
                let accepted = steps.filter { $0.json["status"] == "accepted" }
                let places = ids.map { id in accepted.first { $0.json["id"].text == id }?.json["place"].number }
                #expect(places.first == 0 && places.allSatisfy { ($0 ?? -1) >= 0 })
                let numbers = steps.compactMap(\.json["seq"].number)
                #expect(numbers == (1...steps.count).map { Double($0) })
                let calls = await gateway.world.count(of: "ReadValue")
                #expect(calls == 5)
            }
        }

        @Test func `a device that does not answer delays only its own queue`() async throws {
            var setup = AgentSetup()
            setup.world.devices = [.slow, .battery, .heart, .deaf]
            try await withAgent(setup) { gateway in
                var stuck: [String] = []
                for device in [TestDevice.slow, .deaf] {
                    for _ in 0..<3 {
                        stuck.append(try await gateway.start("connect", #""timeoutMs":1000,"ttlMs":900"#, on: device))
                    }
                }
                for device in [TestDevice.battery, .heart] {
                    #expect(try await gateway.send("read", Gateway.level, on: device)["status"] == "ok")
                }
                #expect(gateway.caller.all(gateway.topic("res/")).count == 2)
                for id in stuck {
                    let answer = try await gateway.result(id).json
                    #expect(["timeout", "expired"].contains(answer["status"].text), "\(answer)")
                }
            }
        }

        @Test func `an alias and an address reach the same queue`() async throws {
            var setup = AgentSetup()
            setup.aliases = [("cell", .battery)]
            setup.world.attDelay = .milliseconds(50)
            try await withAgent(setup) { gateway in
                let level = Gateway.level
                try await gateway.publish(#"{"id":"x1","verb":"read",\#(level)}"#.utf8, to: "dev/cell/cmd/test")
                let address = "dev/\(TestDevice.battery.hex)/cmd/test"
                try await gateway.publish(#"{"id":"x2","verb":"read",\#(level)}"#.utf8, to: address)
                for id in ["x1", "x2"] {
                    let answer = try await gateway.result(id).json
                    #expect(answer["dev"] == "cell" && answer["address"].text == TestDevice.battery.hex)
                }
                let topic = gateway.topic("dev/cell/job")
                _ = try await gateway.hear("the last step", count: 2) { $0.topic == topic && $0.json["final"] == true }
                let starts = gateway.caller.all(topic).filter { $0.json["status"] != "accepted" }
                #expect(starts.map(\.json["id"]) == ["x1", "x1", "x2", "x2"])
                #expect(gateway.caller.all(gateway.topic("dev/\(TestDevice.battery.hex)"), suffix: "job").isEmpty)
            }
        }

        @Test func `commands of the gateway do not wait for devices`() async throws {
            var setup = AgentSetup()
            setup.world.devices = [.slow]
            try await withAgent(setup) { gateway in
                _ = try await gateway.start("connect", on: .slow)
                _ = try await gateway.start("scan", #""durationMs":20000"#)
                #expect(try await gateway.send("ping")["status"] == "ok")
                #expect(try await gateway.send("devices")["status"] == "ok")
                #expect(try await gateway.send("scan", #""durationMs":50"#)["status"] == "ok")
            }
        }
    }
}
