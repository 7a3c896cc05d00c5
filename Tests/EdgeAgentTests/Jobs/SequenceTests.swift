import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// A sequence is one job: its steps in order, on one link, with one result.
    @Suite(.timeLimit(.minutes(10)))
    struct SequenceTests {
        private static let read = #"{"verb":"read",\#(JobWorld.one)}"#
        private static let refused = #"{"verb":"read",\#(JobWorld.two)}"#
        private static let write = #"{"verb":"write",\#(JobWorld.three),\#(JobWorld.value)}"#
        private static let operations: Set = ["Connect", "Disconnect", "ReadValue", "WriteValue"]

        private func steps(_ steps: String..., more: String = "") -> String {
            "\"steps\":[\(steps.joined(separator: ","))]" + (more.isEmpty ? "" : "," + more)
        }

        private func statuses(_ answer: Json) -> [String] {
            answer["result"]["steps"].list.compactMap(\.["status"].text)
        }

        // MARK: What comes of the steps

        @Test func `all steps are done in order on one link, with no other job between`() async throws {
            // The first answer is late, so that the other job waits behind the sequence.
            let late = "{member: ReadValue, nth: 1, steps: [{carryOut: {lateMs: 1000}}]}"
            try await withAgent(try JobWorld.setup(faults: [late])) { gateway in
                let steps = steps(#"{"verb":"connect"}"#, Self.read, Self.write, Self.read)
                let id = try await gateway.start("sequence", steps, on: .thing)
                await gateway.world.waitForCalls(of: "ReadValue")
                let other = try await gateway.start("read", JobWorld.three + #","priority":"urgent""#, on: .thing)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok" && answer["applied"] == .missing, "\(answer)")
                #expect(answer["confirmed"] == "response" && answer["attempt"] == 1, "\(answer)")
                let parts = answer["result"]["steps"].list
                #expect(parts.map(\.["verb"]) == ["connect", "read", "write", "read"])
                #expect(statuses(answer) == ["ok", "ok", "ok", "ok"], "\(answer)")
                #expect(parts[1]["result"]["value"]["hex"] == "01" && parts[1]["confirmed"] == "read")
                #expect(parts[2]["result"]["bytes"] == 1 && parts[2]["confirmed"] == "response")
                #expect(try await gateway.result(other).json["status"] == "ok")
                let calls = await gateway.world.order(of: Self.operations)
                #expect(
                    calls.map { $0.split(separator: " ")[0] }
                        == ["Connect", "ReadValue", "WriteValue", "ReadValue", "ReadValue"]
                )
                // The other job's read is the last.
                #expect(calls.count == 5 && calls[3] == calls[1] && calls[4] != calls[1], "\(calls)")
            }
        }

        @Test func `a step that fails ends the sequence, and what was done before is told`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let answer = try await gateway.send("sequence", steps(Self.write, Self.refused, Self.write), on: .thing)
                #expect(answer["status"] == "partial" && answer["applied"] == "partly", "\(answer)")
                #expect(answer["step"] == 1, "\(answer)")
                #expect(answer["error"]["code"] == "att-error" && answer["error"]["step"] == 1, "\(answer)")
                #expect(statuses(answer) == ["ok", "failed", "cancelled"], "\(answer)")
                let parts = answer["result"]["steps"].list
                #expect(parts[1]["error"]["att"] == "0x80" && parts[1]["applied"] == .missing, "\(answer)")
                #expect(parts[2]["applied"] == "no" && parts[2]["error"]["code"] == "cancelled", "\(answer)")
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `with continue the steps behind a failed one are done all the same`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let more = #""onError":"continue""#
                let command = steps(Self.refused, Self.write, Self.refused, more: more)
                let answer = try await gateway.send("sequence", command, on: .thing)
                #expect(answer["status"] == "partial" && answer["applied"] == "partly", "\(answer)")
                #expect(answer["error"]["code"] == "att-error" && answer["error"]["step"] == 0, "\(answer)")
                #expect(statuses(answer) == ["failed", "ok", "failed"], "\(answer)")
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        @Test func `a sequence of which nothing went well has failed, and nothing was applied`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let answer = try await gateway.send("sequence", steps(Self.refused, Self.write), on: .thing)
                #expect(answer["status"] == "failed" && answer["applied"] == "no", "\(answer)")
                #expect(answer["error"]["code"] == "att-error" && answer["error"]["step"] == 0, "\(answer)")
                #expect(statuses(answer) == ["failed", "cancelled"], "\(answer)")
                #expect(await gateway.world.count(of: "WriteValue") == 0)
            }
        }

        @Test func `a sequence that only reads says nothing of applied`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let answer = try await gateway.send("sequence", steps(Self.read, Self.refused, Self.read), on: .thing)
                #expect(answer["status"] == "partial" && answer["applied"] == .missing, "\(answer)")
                #expect(answer["result"]["steps"].list.allSatisfy { $0["applied"] == .missing }, "\(answer)")
            }
        }

        // MARK: Times

        @Test func `a step's time ends the step, and the next one does not meet its answer`() async throws {
            let late = "{member: ReadValue, nth: 1, steps: [{carryOut: {lateMs: 900}}]}"
            try await withAgent(try JobWorld.setup(faults: [late])) { gateway in
                let slow = #"{"verb":"read",\#(JobWorld.one),"timeoutMs":300}"#
                let other = #"{"verb":"read",\#(JobWorld.three)}"#
                let command = steps(#"{"verb":"connect"}"#, slow, other, more: #""onError":"continue""#)
                let answer = try await gateway.send("sequence", command, on: .thing)
                #expect(answer["status"] == "partial", "\(answer)")
                #expect(statuses(answer) == ["ok", "timeout", "ok"], "\(answer)")
                let parts = answer["result"]["steps"].list
                #expect(parts[1]["error"]["code"] == "timeout" && parts[1]["error"]["stage"] == "operate", "\(answer)")
                #expect(parts[2]["result"]["value"]["hex"] == "03", "\(answer)")
            }
        }

        @Test(arguments: ["stop", "continue"])
        func `the time of the whole ends the step that runs and leaves the rest`(onError: String) async throws {
            try await withAgent(try JobWorld.setup(faults: ["{member: ReadValue, steps: []}"])) { gateway in
                let more = #""timeoutMs":800,"onError":"\#(onError)""#
                let answer = try await gateway.send(
                    "sequence",
                    steps(Self.write, Self.read, Self.write, more: more),
                    on: .thing
                )
                #expect(answer["status"] == "partial" && answer["applied"] == "partly", "\(answer)")
                #expect(answer["error"]["code"] == "timeout" && answer["error"]["step"] == 1, "\(answer)")
                #expect(statuses(answer) == ["ok", "timeout", "cancelled"], "\(answer)")
                #expect(await gateway.world.count(of: "WriteValue") == 1)
            }
        }

        // MARK: The link

        @Test(arguments: [("stop", ["ok", "failed", "cancelled"]), ("continue", ["ok", "failed", "ok"])])
        func `a link that is lost in the middle fails its step`(onError: String, expected: [String]) async throws {
            let setup = try JobWorld.setup(
                faults: ["{member: ReadValue, nth: 2, steps: [{drop: this}]}"],
                // The call has no answer of its own: that is waited for no longer than this.
                keys: ["bluetooth.settleMs": "1000"]
            )
            try await withAgent(setup) { gateway in
                let command = steps(Self.read, Self.read, Self.read, more: #""onError":"\#(onError)""#)
                let answer = try await gateway.send("sequence", command, on: .thing)
                #expect(answer["status"] == "partial", "\(answer)")
                #expect(statuses(answer) == expected, "\(answer)")
                #expect(answer["error"]["code"] == "link-lost" && answer["error"]["step"] == 1, "\(answer)")
                #expect(await gateway.world.count(of: "Connect") == (onError == "stop" ? 1 : 2))
            }
        }

        @Test(arguments: [true, false])
        func `a step is done again only where it says that it may be`(isIdempotent: Bool) async throws {
            try await withAgent(try JobWorld.setup(faults: ["{member: WriteValue, nth: 1, steps: [{drop: this}]}"])) {
                gateway in
                let retry = isIdempotent ? #","retry":{"idempotent":true}"# : ""
                let write = #"{"verb":"write",\#(JobWorld.three),\#(JobWorld.value)\#(retry)}"#
                let answer = try await gateway.send("sequence", steps(Self.read, write, Self.read), on: .thing)
                #expect(await gateway.world.count(of: "WriteValue") == (isIdempotent ? 2 : 1))
                if isIdempotent {
                    #expect(answer["status"] == "ok" && answer["attempt"] == 2, "\(answer)")
                } else {
                    #expect(answer["status"] == "partial" && answer["applied"] == "maybe", "\(answer)")
                    #expect(answer["result"]["steps"][1]["applied"] == "maybe", "\(answer)")
                }
            }
        }

        // MARK: Cancelling

        @Test func `a sequence that is cancelled in the middle has its one result at once`() async throws {
            let late = "{member: WriteValue, nth: 1, steps: [{carryOut: {lateMs: 1500}}]}"
            try await withAgent(try JobWorld.setup(faults: [late])) { gateway in
                let id = try await gateway.start("sequence", steps(Self.read, Self.write, Self.read), on: .thing)
                await gateway.world.waitForCalls(of: "WriteValue")
                let next = try await gateway.start("read", JobWorld.three, on: .thing)
                let count = try await gateway.send("cancel", #""of":{"client":"test","id":"\#(id)"}"#)
                #expect(count["status"] == "ok" && count["result"]["count"] == 1, "\(count)")
                let answer = try await gateway.result(id).json
                #expect(gateway.finals(of: next).isEmpty)
                #expect(answer["status"] == "partial" && answer["applied"] == "maybe", "\(answer)")
                #expect(answer["error"]["code"] == "cancelled" && answer["error"]["step"] == 1, "\(answer)")
                #expect(statuses(answer) == ["ok", "cancelled", "cancelled"], "\(answer)")
                #expect(try await gateway.result(next).json["result"]["value"]["hex"] == "02")
                #expect(gateway.finals(of: id).count == 1)
            }
        }
    }
}
