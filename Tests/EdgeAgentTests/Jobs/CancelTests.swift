import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// Jobs that are ended before their time, each with a result of its own.
    @Suite(.timeLimit(.minutes(10)))
    struct CancelTests {
        private static let write = "\(JobWorld.three),\(JobWorld.value)"
        private static let hang = "{member: ReadValue, steps: []}"

        private func cancelled(_ answer: Json, at stage: String, _ applied: Json = .missing) {
            #expect(answer["status"] == "cancelled" && answer["error"]["code"] == "cancelled", "\(answer)")
            #expect(answer["error"]["stage"].text == stage && answer["error"]["retryable"] == true, "\(answer)")
            #expect(answer["applied"] == applied, "\(answer)")
        }

        private func of(_ id: String, client: String = "test") -> String {
            #""of":{"client":"\#(client)","id":"\#(id)"}"#
        }

        @Test func `a job that waits is cancelled by its caller and id, and never runs`() async throws {
            try await withAgent(try JobWorld.setup(faults: [Self.hang])) { gateway in
                let running = try await gateway.start("read", JobWorld.one, on: .thing)
                await gateway.world.waitForCalls(of: "ReadValue")
                let waiting = try await gateway.start("write", Self.write, on: .thing)
                // Neither the id nor the caller alone is a job's name.
                #expect(try await gateway.send("cancel", of("other"))["result"]["count"] == 0)
                #expect(try await gateway.send("cancel", of(waiting, client: "other"))["result"]["count"] == 0)
                let answer = try await gateway.send("cancel", of(waiting))
                #expect(answer["status"] == "ok" && answer["result"]["count"] == 1, "\(answer)")
                cancelled(try await gateway.result(waiting).json, at: "queue", "no")
                #expect(try await gateway.send("cancel", of(waiting))["result"]["count"] == 0)
                #expect(gateway.finals(of: running).isEmpty)
                #expect(try await gateway.send("cancel", of(running))["result"]["count"] == 1)
                cancelled(try await gateway.result(running).json, at: "operate")
                #expect(await gateway.world.count(of: "WriteValue") == 0)
                #expect(gateway.finals(of: waiting).count == 1 && gateway.finals(of: running).count == 1)
            }
        }

        @Test func `a job that runs has its result at once, and the next one does not meet its answer`() async throws {
            let late = "{member: WriteValue, nth: 1, steps: [{carryOut: {lateMs: 2000}}]}"
            try await withAgent(try JobWorld.setup(faults: [late])) { gateway in
                let running = try await gateway.start("write", Self.write, on: .thing)
                await gateway.world.waitForCalls(of: "WriteValue")
                let next = try await gateway.start("read", JobWorld.three, on: .thing)
                #expect(try await gateway.send("cancel", of(running))["result"]["count"] == 1)
                cancelled(try await gateway.result(running).json, at: "operate", "maybe")
                // The device is not free before the call has come back, and `jobs` says why.
                #expect(gateway.finals(of: next).isEmpty)
                let jobs = try await gateway.send("jobs", #""dev":"\#(TestDevice.thing.hex)""#)["result"]["jobs"].list
                #expect(jobs.count == 2, "\(jobs)")
                #expect(jobs.contains { $0["id"].text == next && $0["state"] == "waiting" }, "\(jobs)")
                #expect(jobs.contains { $0["id"].text == running && $0["state"] == "settling" }, "\(jobs)")
                #expect(await gateway.world.count(of: "ReadValue") == 0)
                // Once more is nothing.
                #expect(try await gateway.send("cancel", of(running))["result"]["count"] == 0)
                #expect(try await gateway.result(next).json["result"]["value"]["hex"] == "02")
                #expect(gateway.finals(of: running).count == 1)
            }
        }

        @Test func `a job between two tries is cancelled at once, and has done nothing`() async throws {
            // Nothing but the gap is under way, which is seconds long.
            let refusal = "{member: Connect, nth: 1, steps: [{error: {name: InProgress, text: In Progress}}]}"
            try await withAgent(try JobWorld.setup(faults: [refusal])) { gateway in
                let id = try await gateway.start("write", Self.write, on: .thing)
                try await gateway.hear(on: "dev/\(TestDevice.thing.hex)/job") { $0["status"] == "retrying" }
                #expect(try await gateway.send("cancel", of(id))["result"]["count"] == 1)
                let answer = try await gateway.result(id).json
                cancelled(answer, at: "connect", "no")
                #expect(answer["attempt"] == 1, "\(answer)")
                #expect(try await gateway.send("read", JobWorld.one, on: .thing)["status"] == "ok")
                #expect(await gateway.world.count(of: "WriteValue") == 0)
            }
        }

        @Test func `all jobs of a device are cancelled, and those of no other`() async throws {
            try await withAgent(try JobWorld.setup(devices: 2, faults: [Self.hang])) { gateway in
                var ids: [[String]] = [[], []]
                for number in 0..<2 {
                    for _ in 0..<3 {
                        ids[number].append(try await gateway.start("read", JobWorld.one, on: .thing(number)))
                    }
                }
                await gateway.world.waitForCalls(of: "ReadValue", count: 2)
                let answer = try await gateway.send("cancel", #""dev":"\#(TestDevice.thing(0).hex)""#)
                #expect(answer["result"]["count"] == 3, "\(answer)")
                for id in ids[0] { #expect(try await gateway.result(id).json["status"] == "cancelled") }
                try await gateway.settle()
                #expect(ids[1].allSatisfy { gateway.finals(of: $0).isEmpty })
            }
        }

        @Test func `all means what runs at devices, in the gateway, and in groups`() async throws {
            let members = (1...2).map { "\"\(TestDevice.thing($0).address)\"" }.joined(separator: ", ")
            let setup = try JobWorld.setup(devices: 3, faults: [Self.hang], keys: ["groups.pair": "[\(members)]"])
            try await withAgent(setup) { gateway in
                #expect(try await gateway.send("cancel", #""all":true"#)["result"]["count"] == 0)
                let running = try await gateway.start("read", JobWorld.one, on: .thing(0))
                let waiting = try await gateway.start("write", Self.write, on: .thing(0))
                let scan = try await gateway.start("scan", #""durationMs":30000"#)
                try await gateway.publish(
                    #"{"id":"g1","verb":"read",\#(JobWorld.one)}"#.utf8,
                    to: "group/pair/cmd/test"
                )
                await gateway.world.waitForCalls(of: "ReadValue", count: 3)
                await gateway.world.waitForCalls(of: "StartDiscovery")
                let delayed = #"{"id":"d1","client":"test","verb":"ping","jitterMs":60000}"#
                try await gateway.caller.publish(
                    MQTTPublication(topic: "edge/v1/all/cmd", payload: Array(delayed.utf8))
                )
                let answer = try await gateway.send("cancel", #""all":true"#)
                #expect(answer["result"]["count"] == 5, "\(answer)")
                for id in [running, waiting, scan, "d1"] {
                    #expect(try await gateway.result(id).json["status"] == "cancelled", "\(id)")
                }
                let group = try await gateway.result("g1").json
                #expect(group["status"] == "failed" && group["error"]["code"] == "cancelled", "\(group)")
                #expect(group["result"]["members"].list.map(\.["status"]) == ["cancelled", "cancelled"], "\(group)")
                for id in [running, waiting, scan, "g1", "d1"] { #expect(gateway.finals(of: id).count == 1, "\(id)") }
            }
        }

        // MARK: No deadlock

        @Test func `what is said about jobs never waits for them, and cancel frees a device that hangs`() async throws {
            let setup = try JobWorld.setup(
                faults: ["{member: ReadValue, nth: 1, steps: []}"],
                keys: ["limits.maxQueuedPerDevice": "3", "bluetooth.settleMs": "1000"]
            )
            try await withAgent(setup) { gateway in
                let hanging = try await gateway.start("read", JobWorld.one + #","timeoutMs":600000"#, on: .thing)
                await gateway.world.waitForCalls(of: "ReadValue")
                var waiting: [String] = []
                for _ in 0..<3 { waiting.append(try await gateway.start("read", JobWorld.one, on: .thing)) }
                let full = try await gateway.send("read", JobWorld.one, on: .thing)
                #expect(full["error"]["code"] == "queue-full", "\(full)")
                for verb in ["ping", "info", "devices"] { #expect(try await gateway.send(verb)["status"] == "ok") }
                let jobs = try await gateway.send("jobs")["result"]["jobs"].list
                #expect(jobs.map(\.["id"].text) == [hanging] + waiting, "\(jobs)")
                #expect(jobs.map(\.["state"]) == ["running", "waiting", "waiting", "waiting"], "\(jobs)")
                #expect(jobs.map(\.["place"]) == [.missing, 1, 2, 3], "\(jobs)")
                #expect(try await gateway.send("job", of(hanging))["status"] == "ok")
                #expect(gateway.finals(of: hanging).isEmpty)
                let dev = #""dev":"\#(TestDevice.thing.hex)""#
                #expect(try await gateway.send("cancel", dev)["result"]["count"] == 4)
                for id in [hanging] + waiting {
                    #expect(try await gateway.result(id).json["status"] == "cancelled")
                }
                // Free again, though the call has never been answered.
                let after = try await gateway.send("read", JobWorld.one, on: .thing)
                #expect(after["status"] == "ok", "\(after)")
            }
        }
    }
}
