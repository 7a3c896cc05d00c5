import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// Commands that are not carried out, and the one answer that each gets.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RefusalTests {
        /// What every refusal has to be.
        private func expectRefusal(
            _ answer: Received,
            _ code: String,
            status: String = "rejected",
            stage: String = "agent"
        ) {
            #expect(answer.json["status"].text == status, "\(code): \(answer.text)")
            #expect(answer.json["error"]["code"].text == code, "\(answer.text)")
            #expect(answer.json["error"]["stage"].text == stage, "\(answer.text)")
            #expect(answer.json["error"]["detail"].text?.isEmpty == false)
            #expect(answer.json["final"] == true && answer.json["timing"] == .missing)
            #expect(answer.properties == ["status": status, "code": code])
            let isRetryable = ["queue-full", "shutting-down"].contains(code)
            #expect(answer.json["error"]["retryable"] == .flag(isRetryable))
        }

        @Test func `each malformed command is refused with its own code`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.maxPayloadBytes": "2048"]
            try await withAgent(setup) { gateway in
                let battery = "dev/\(TestDevice.battery.hex)/cmd/test"
                let cases: [(topic: String, payload: String, code: String)] = [
                    ("cmd/test", #"{"id":"r1","verb":"fly"}"#, "unknown-verb"),
                    ("cmd/test", #"{"id":"r2","verb":"log.level"}"#, "bad-request"),
                    ("cmd/test", #"{"id":"r3","verb":7}"#, "bad-request"),
                    ("cmd/test", #"{"id":"r4"}"#, "bad-request"),
                    ("cmd/test", #"{"id":"r5","verb":"read"}"#, "bad-request"),
                    (battery, #"{"id":"r6","verb":"ping"}"#, "bad-request"),
                    (battery, #"{"id":"r7","verb":"read","service":"zz","characteristic":"2a19"}"#, "bad-request"),
                    (battery, #"{"id":"r8","verb":"read","service":"180f"}"#, "bad-request"),
                    (battery, #"{"id":"r9","verb":"write","handle":1,"value":{"hex":"0"}}"#, "bad-request"),
                    ("cmd/test", #"{"id":"r10","verb":"ping","client":"other"}"#, "bad-request"),
                    ("dev/nobody/cmd/test", #"{"id":"r11","verb":"connect"}"#, "unknown-device"),
                    ("dev/AABBCCDDEEFF/cmd/test", #"{"id":"r12","verb":"connect"}"#, "unknown-device"),
                    ("group/all/cmd/test", #"{"id":"r13","verb":"connect"}"#, "unknown-group"),
                    ("cmd/test", #"{"id":"r14","verb":"scan","durationMs":60001}"#, "bad-request"),
                    ("cmd/test", #"{"id":"r15","verb":"ping","ttlMs":0}"#, "bad-request"),
                ]
                for (topic, payload, _) in cases { try await gateway.publish(payload.utf8, to: topic) }
                for (index, wanted) in cases.enumerated() {
                    let answer = try await gateway.result("r\(index + 1)")
                    if wanted.payload.contains("\"client\":\"other\"") {
                        let code = answer.json["error"]["code"].text
                        #expect(code == "conflicting-envelope" || code == "bad-request")
                        continue
                    }
                    expectRefusal(answer, wanted.code)
                }
                // A device that is only talked about has no topics.
                #expect(gateway.caller.all(gateway.topic("dev/"), suffix: "/link").isEmpty)
            }
        }

        @Test func `a payload over the limit is answered without being read`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.maxPayloadBytes": "2048"]
            try await withAgent(setup) { gateway in
                let padding = String(repeating: "x", count: 3000)
                try await gateway.publish(#"{"id":"big","verb":"ping","pad":"\#(padding)"}"#.utf8, to: "cmd/test")
                let answer = try await gateway.hear("the answer") { $0.topic.hasPrefix(gateway.topic("res/test/")) }
                expectRefusal(answer, "payload-too-large")
                #expect(answer.json["id"] == nil && answer.json["client"] == "test")
                try await gateway.settle()
            }
        }

        @Test
        func `times in commands are refused while the kernel does not call the clock synchronised, if so configured`()
            async throws
        {
            var setup = AgentSetup()
            setup.keys = ["clock": "require-sync"]
            try await withAgent(setup) { gateway in
                let isSynced = try await gateway.hear(on: "health").json["clockSynced"]
                let id = try await gateway.start("ping", #""expires":"2099-01-01T00:00:00Z""#)
                let answer = try await gateway.result(id)
                if isSynced == true {
                    #expect(answer.json["status"] == "ok")
                } else {
                    #expect(
                        answer.json["error"]["code"] == "clock-unsynchronised" && answer.json["status"] == "rejected"
                    )
                    #expect(answer.json["error"]["retryable"] == true)
                }
                #expect(try await gateway.send("ping", #""ttlMs":60000"#)["status"] == "ok")
            }
        }

        @Test func `two names for one caller conflict`() async throws {
            try await withAgent { gateway in
                try await gateway.publish(#"{"id":"x","verb":"ping","client":"one"}"#.utf8, to: "cmd") {
                    $0.userProperties = [MQTTUserProperty("client", "two")]
                }
                let answer = try await gateway.hear("the answer") { $0.json["id"] == "x" }
                expectRefusal(answer, "conflicting-envelope")
            }
        }

        @Test func `a response topic outside the allow-list is denied on the default topic`() async throws {
            try await withAgent { gateway in
                for (number, topic) in [
                    "elsewhere/x", gateway.topic("status"), gateway.topic("res/other/x"), "edge/v1/all/cmd", "$SYS/x",
                ].enumerated() {
                    let payload = #"{"id":"d\#(number)","client":"test","verb":"ping"}"#
                    try await gateway.start(payload, to: "cmd", responseTopic: topic, correlation: "k")
                    let answer = try await gateway.result("d\(number)")
                    expectRefusal(answer, "response-topic-denied")
                    #expect(answer.message.correlationData == Array("k".utf8))
                }
                let own = #"{"id":"own","client":"test","verb":"ping"}"#
                try await gateway.start(own, to: "cmd", responseTopic: gateway.topic("res/test/deep/er"))
                let answer = try await gateway.hear("the answer") { $0.topic == gateway.topic("res/test/deep/er") }
                #expect(answer.json["status"] == "ok")
            }
        }

        @Test func `a retained command never runs, and copies of known ones get no second answer`() async throws {
            try await withAgent { gateway in
                let id = try await gateway.start("adapter.power", #""on":false"#) { $0.retain = true }
                let answer = try await gateway.result(id)
                expectRefusal(answer, "retained-command")
                // The same again is a copy; one without an id can be told from nothing.
                try await gateway.publish(#"{"id":"\#(id)","verb":"ping"}"#.utf8, to: "cmd/test") { $0.retain = true }
                try await gateway.publish(#"{"verb":"ping"}"#.utf8, to: "cmd/test") { $0.retain = true }
                try await gateway.settle()
                #expect(gateway.caller.all(gateway.topic("res/")).count == 2)
                #expect(await gateway.world.count(of: "Set") == 0)
            }
        }

        @Test func `a stored command that the broker replays on MQTT 3_1_1 is refused`() async throws {
            try await withAgentWorld { world in
                try await withBroker { broker in
                    try await withCaller(port: broker.port, version: .v311) { caller in
                        try await caller.listen(prefix: "edge")
                        let payload = Array(#"{"id":"old","verb":"adapter.power","on":false}"#.utf8)
                        let topic = "edge/v1/gw/cmd/test"
                        try await caller.publish(MQTTPublication(topic: topic, payload: payload, retain: true))
                        var setup = AgentSetup()
                        setup.version = "3.1.1"
                        let gateway = try await startAgent(setup, world, broker, caller)
                        try await gateway.subscribed()
                        let answer = try await gateway.result("old")
                        #expect(answer.json["error"]["code"] == "retained-command")
                        #expect(await world.count(of: "Set") == 0)
                        // A live one looks like any other there, and runs.
                        try await gateway.publish(#"{"id":"live","verb":"ping"}"#.utf8, to: "cmd/test") {
                            $0.retain = true
                        }
                        #expect(try await gateway.result("live").json["status"] == "ok")
                    }
                }
            }
        }

        @Test func `an empty payload and a topic that is no command's get no answer`() async throws {
            try await withAgent { gateway in
                try await gateway.publish([], to: "cmd/test")
                try await gateway.publish([], to: "dev/\(TestDevice.battery.hex)/cmd")
                try await gateway.publish([], to: "dev/\(TestDevice.battery.hex)/set/light")
                try await gateway.settle()
                #expect(gateway.caller.all(gateway.topic("res/")).count == 1)
                let id = #"{"id":"s","verb":"ping"}"#
                try await gateway.publish(id.utf8, to: "dev/\(TestDevice.battery.hex)/set/light")
                let answer = try await gateway.hear("the answer") { $0.topic.hasPrefix(gateway.topic("res/set/")) }
                expectRefusal(answer, "unknown-command")
            }
        }

        @Test func `a full queue refuses at once and says when to try again`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.maxQueuedPerDevice": "1"]
            setup.world.attDelay = .milliseconds(1500)
            try await withAgent(setup) { gateway in
                let first = try await gateway.start("read", Gateway.level, on: .battery)
                try await gateway.hear(on: "dev/\(TestDevice.battery.hex)/job") { $0["status"] == "started" }
                let second = try await gateway.start("read", Gateway.level, on: .battery)
                let third = try await gateway.start("write", Gateway.level + #","value":{"hex":"00"}"#, on: .battery)
                let refused = try await gateway.result(third)
                expectRefusal(refused, "queue-full", stage: "queue")
                #expect(refused.json["applied"] == "no")
                #expect(refused.json["error"]["retryAfterMs"].number != nil)
                let done = [try await gateway.result(first), try await gateway.result(second)]
                #expect(done.allSatisfy { $0.json["status"] == "ok" && $0.number > refused.number })
            }
        }

        @Test func `a command whose time is over while it waits does not run`() async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .milliseconds(1500)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .battery)
                let first = try await gateway.start("read", Gateway.level, on: .battery)
                let short = try await gateway.start(
                    "write",
                    Gateway.level + #","value":{"hex":"00"},"ttlMs":100"#,
                    on: .battery
                )
                let message = try await gateway.start("read", Gateway.level, on: .battery) { $0.expirySeconds = 1 }
                let late = try await gateway.start(
                    "read",
                    Gateway.level + #","expires":"2020-01-01T00:00:00Z""#,
                    on: .battery
                )
                for id in [short, message, late] {
                    let answer = try await gateway.result(id)
                    expectRefusal(answer, "expired", status: "expired", stage: "queue")
                }
                #expect(gateway.caller.all(suffix: "res/test/\(first)").isEmpty)
                #expect(try await gateway.result(first).json["status"] == "ok")
                #expect(try await gateway.result(short).json["applied"] == "no")
                #expect(await gateway.world.count(of: "WriteValue") == 0)
            }
        }
    }
}
