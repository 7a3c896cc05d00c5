import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// What is tried again, after which gap, and what is told of it.
    @Suite(.timeLimit(.minutes(10)))
    struct RetryTests {
        private static let write = "\(JobWorld.three),\(JobWorld.value)"

        private func error(_ name: String, _ text: String) -> String {
            "{member: Connect, nth: 1, steps: [{error: {name: \(name), text: \"\(text)\"}}]}"
        }

        // MARK: Making the link

        @Test(arguments: [
            ("Failed", "le-connection-abort-by-local", "connect-failed", 225...400),
            ("Failed", "le-connection-timeout", "connect-failed", 900...1200),
            ("InProgress", "Operation already in progress", "busy", 900...1200),
        ])
        func `a link that was not made is tried again after the gap of its family`(
            name: String,
            text: String,
            code: String,
            gap: ClosedRange<Int>
        ) async throws {
            try await withAgent(try JobWorld.setup(faults: [error(name, text)])) { gateway in
                let id = try await gateway.start("write", Self.write + #","ack":true"#, on: .thing)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok" && answer["attempt"] == 2, "\(answer)")
                #expect(answer["lastError"]["code"].text == code, "\(answer)")
                #expect(answer["lastError"]["detail"].text?.contains(text) == true, "\(answer)")
                #expect(gateway.statuses(of: id) == ["accepted", "started", "retrying", "ok"])
                let step = try #require(
                    gateway.caller.all(gateway.topic("res/test/\(id)")).first { $0.json["status"] == "retrying" }
                ).json
                #expect(step["final"] == false && step["attempt"] == 2, "\(step)")
                #expect(step["error"]["code"].text == code && step["applied"] == .missing, "\(step)")
                #expect(gap.contains(Int(try #require(step["error"]["retryAfterMs"].number))), "\(step)")
                let times = await gateway.world.times(of: "Connect")
                #expect(times.count == 2)
                #expect(try #require(times.last) - times[0] >= .milliseconds(gap.lowerBound))
                try await gateway.hear(on: "dev/\(TestDevice.thing.hex)/job") { $0["final"] == true }
                #expect(gateway.observed(.thing) == ["accepted", "started", "retrying", "ok"].map { "\(id) \($0)" })
            }
        }

        @Test func `a bluetoothd that goes while the link is made and comes back costs a try`() async throws {
            let setup = try JobWorld.setup(
                faults: ["{member: Connect, nth: 1, steps: []}"],
                events: ["restart: [leaveBus, {wait: 300}, returnToBus]"]
            )
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("write", Self.write, on: .thing)
                await gateway.world.waitForCalls(of: "Connect")
                try await gateway.world.trigger("restart")
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok", "\(answer)")
                #expect(try #require(answer["attempt"].number) > 1, "\(answer)")
                #expect(answer["lastError"]["code"] == "bluetooth-unavailable", "\(answer)")
            }
        }

        @Test func `a bluetoothd that goes and stays away ends the job by its deadline, with the reason`() async throws
        {
            let setup = try JobWorld.setup(faults: ["{member: Connect, steps: []}"], events: ["end: [leaveBus]"])
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("write", Self.write + #","timeoutMs":2500"#, on: .thing)
                await gateway.world.waitForCalls(of: "Connect")
                try await gateway.world.trigger("end")
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "timeout" && answer["applied"] == "no", "\(answer)")
                #expect(answer["error"]["code"] == "connect-timeout", "\(answer)")
                #expect(answer["error"]["detail"].text?.contains("bluetoothd is not on the bus") == true, "\(answer)")
            }
        }

        @Test func `the deadline ends the tries with the last error in dbus and detail`() async throws {
            let refusal = "{member: Connect, steps: [{error: {name: Failed, text: le-connection-abort-by-local}}]}"
            try await withAgent(try JobWorld.setup(faults: [refusal])) { gateway in
                let answer = try await gateway.send("write", Self.write + #","timeoutMs":1500"#, on: .thing)
                #expect(answer["status"] == "timeout" && answer["applied"] == "no", "\(answer)")
                let error = answer["error"]
                #expect(error["code"] == "connect-timeout" && error["stage"] == "connect", "\(answer)")
                #expect(error["dbus"] == "org.bluez.Error.Failed", "\(answer)")
                #expect(error["detail"].text?.contains("le-connection-abort-by-local") == true, "\(answer)")
                let tries = await gateway.world.count(of: "Connect")
                #expect((2...4).contains(tries))
                #expect(answer["attempt"].number == Double(tries), "\(answer)")
            }
        }

        // MARK: Doing it twice

        @Test(arguments: [true, false])
        func `a write is done again only where the caller says that it may be`(isIdempotent: Bool) async throws {
            try await withAgent(try JobWorld.setup(faults: ["{member: WriteValue, nth: 1, steps: [{drop: this}]}"])) {
                gateway in
                let retry = #","retry":{"max":3,"idempotent":\#(isIdempotent)}"#
                let answer = try await gateway.send("write", Self.write + retry, on: .thing)
                if isIdempotent {
                    #expect(answer["status"] == "ok" && answer["attempt"] == 2, "\(answer)")
                    #expect(answer["lastError"]["code"] == "link-lost", "\(answer)")
                } else {
                    #expect(answer["status"] == "failed" && answer["error"]["code"] == "link-lost", "\(answer)")
                    #expect(answer["applied"] == "maybe" && answer["attempt"] == 1, "\(answer)")
                }
                #expect(await gateway.world.writes().map(\.bytes) == Array(repeating: [2], count: isIdempotent ? 2 : 1))
            }
        }

        @Test func `a write that was done again in vain says that it may have been applied`() async throws {
            // The second try does not come so far: what the first one may have done counts.
            let setup = try JobWorld.setup(faults: [
                "{member: WriteValue, steps: [{drop: this}]}",
                "{member: Connect, from: 2, steps: [{error: {name: Failed, text: le-connection-abort-by-remote}}]}",
            ])
            try await withAgent(setup) { gateway in
                let retry = #","retry":{"max":2,"idempotent":true}"#
                let answer = try await gateway.send("write", Self.write + retry, on: .thing)
                #expect(answer["status"] == "failed" && answer["error"]["code"] == "connect-failed", "\(answer)")
                #expect(answer["applied"] == "maybe" && answer["attempt"] == 3, "\(answer)")
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test(arguments: [true, false])
        func `a read is done again where the caller speaks of it`(isGiven: Bool) async throws {
            try await withAgent(try JobWorld.setup(faults: ["{member: ReadValue, nth: 1, steps: [{drop: this}]}"])) {
                gateway in
                let retry = isGiven ? #","retry":{"max":1}"# : ""
                let answer = try await gateway.send("read", JobWorld.one + retry, on: .thing)
                #expect(answer["status"].text == (isGiven ? "ok" : "failed"), "\(answer)")
                #expect(await gateway.world.count(of: "ReadValue") == (isGiven ? 2 : 1))
            }
        }

        @Test(arguments: [
            ("[{error: {name: InProgress, text: In Progress}}]", "busy"),
            ("[{error: {name: Failed, text: \"Operation failed with ATT error: 0x0e\"}}]", "att-error"),
            ("[{event: restart}]", "bus-lost"), ("[{drop: this}]", "link-lost"), ("[{vanish: this}]", "device-removed"),
        ])
        func `what was done again tells why, with the verbs that may be`(steps: String, code: String) async throws {
            let setup = try JobWorld.setup(
                faults: [
                    "{member: ReadValue, nth: 1, steps: \(steps)}", "{member: WriteValue, nth: 1, steps: \(steps)}",
                ],
                events: ["restart: [leaveBus, {wait: 300}, returnToBus]"]
            )
            try await withAgent(setup) { gateway in
                for (verb, fields) in [("read", JobWorld.one), ("write", Self.write)] {
                    let retry = #","retry":{"max":5,"idempotent":true}"#
                    let answer = try await gateway.send(verb, fields + retry, on: .thing)
                    #expect(answer["status"] == "ok", "\(verb): \(answer)")
                    #expect(try #require(answer["attempt"].number) >= 2, "\(verb): \(answer)")
                    #expect(answer["lastError"]["code"].text == code, "\(verb): \(answer)")
                    // What the calls without an answer hold up is not what is meant.
                    guard code == "busy" || code == "att-error" else { return }
                }
            }
        }

        @Test(arguments: ["att-error", "no-service", "not-supported"])
        func `what would only fail again is not tried again`(code: String) async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let fields = [
                    "att-error": JobWorld.two, "no-service": #""service":"180a","characteristic":"2a29""#,
                    "not-supported": JobWorld.two + "," + JobWorld.value,
                ]
                let verb = code == "not-supported" ? "write" : "read"
                let retry = #","retry":{"max":5,"idempotent":true}"#
                let answer = try await gateway.send(verb, try #require(fields[code]) + retry, on: .thing)
                #expect(answer["status"] == "failed" && answer["error"]["code"].text == code, "\(answer)")
                #expect(answer["attempt"] == 1, "\(answer)")
            }
        }
    }
}
