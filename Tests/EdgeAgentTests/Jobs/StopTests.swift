import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// The end of the agent with commands of every kind under way.
    @Suite(.timeLimit(.minutes(10)))
    struct StopTests {
        private static let write = "\(JobWorld.three),\(JobWorld.value)"

        @Test(arguments: [100, 5000])
        func `every command has exactly one final answer before offline`(graceMs: Int) async throws {
            let members = (2...5).map { "\"\(TestDevice.thing($0).address)\"" }.joined(separator: ", ")
            // With the shorter grace what runs is cancelled, with the longer one it comes to its end.
            let setup = try JobWorld.setup(
                devices: 6,
                faults: ["{member: ReadValue, steps: [{carryOut: {lateMs: 1500}}]}"],
                // Without a journal: what waits has no next start.
                keys: [
                    "groups.hall": "[\(members)]", "shutdownGraceMs": "\(graceMs)", "stateDir": "\"/proc/none\"",
                ]
            )
            try await withAgent(setup) { gateway in
                let running = try await gateway.start("read", JobWorld.one, on: .thing(0))
                let waiting = try await gateway.start("write", Self.write, on: .thing(0))
                let steps = #""steps":[{"verb":"read",\#(JobWorld.one)},{"verb":"write",\#(Self.write)}]"#
                let sequence = try await gateway.start("sequence", steps, on: .thing(1))
                let behind = try await gateway.start("sequence", steps, on: .thing(1))
                let group = #"{"id":"g1","verb":"read",\#(JobWorld.one),"concurrency":2}"#
                try await gateway.publish(group.utf8, to: "group/hall/cmd/test")
                let scan = try await gateway.start("scan", #""durationMs":30000"#)
                let search = try await gateway.start("connect", #""match":{"name":"Nobody"},"timeoutMs":30000"#)
                await gateway.world.waitForCalls(of: "ReadValue", count: 4)
                await gateway.world.waitForCalls(of: "StartDiscovery")
                // Delays of a minute, which the end comes before.
                let spread = #"{"id":"g2","verb":"read",\#(JobWorld.one),"jitterMs":60000,"concurrency":64}"#
                try await gateway.publish(spread.utf8, to: "group/hall/cmd/test")
                let delayed = #"{"id":"d1","verb":"ping","jitterMs":60000}"#
                try await gateway.caller.publish(
                    MQTTPublication(topic: "edge/v1/all/cmd/test", payload: Array(delayed.utf8))
                )
                try await gateway.settle()
                let mark = gateway.caller.mark
                #expect(try await gateway.stop() == 0)
                let offline = try await gateway.hear("offline", on: "status", from: mark)
                let ids = [running, waiting, sequence, behind, "g1", "g2", scan, search, "d1"]
                for id in ids {
                    let answers = gateway.finals(of: id)
                    #expect(answers.count == 1, "\(id): \(answers.map(\.text))")
                    #expect(answers.allSatisfy { $0.number < offline.number }, "\(id)")
                }
                func answer(_ id: String) -> Json { gateway.finals(of: id).first?.json ?? .missing }
                let isPatient = graceMs == 5000
                #expect(answer(running)["status"].text == (isPatient ? "ok" : "cancelled"))
                #expect(answer(sequence)["status"].text == (isPatient ? "ok" : "failed"))
                for id in [waiting, behind, "d1"] {
                    #expect(answer(id)["status"] == "rejected" && answer(id)["error"]["code"] == "shutting-down")
                }
                #expect(answer(waiting)["applied"] == "no")
                #expect(answer("g1")["status"].text == (isPatient ? "partial" : "failed"), "\(answer("g1"))")
                #expect(answer("g1")["result"]["members"].list.count == 4)
                #expect(answer("g2")["status"] == "failed", "\(answer("g2"))")
                #expect(gateway.caller.all().last?.number == offline.number)
            }
        }

        @Test func `commands of the gateway have their answers before offline, though no device is busy`() async throws
        {
            try await withAgent(try JobWorld.setup()) { gateway in
                let scan = try await gateway.start("scan", #""durationMs":30000"#)
                let search = try await gateway.start("connect", #""match":{"name":"Nobody"},"timeoutMs":30000"#)
                await gateway.world.waitForCalls(of: "StartDiscovery")
                try await gateway.settle()
                #expect(try await gateway.stop() == 0)
                let offline = try await gateway.hear("offline", on: "status")
                for id in [scan, search] {
                    let answers = gateway.finals(of: id)
                    #expect(answers.count == 1 && answers[0].number < offline.number, "\(answers.map(\.text))")
                    #expect(answers.first?.json["status"] == "cancelled")
                }
            }
        }
    }
}
