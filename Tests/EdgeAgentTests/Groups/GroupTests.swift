import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// One command to the members of a group: a job at each, one result.
    @Suite(.timeLimit(.minutes(10)))
    struct GroupTests {
        private static let write = "\(JobWorld.three),\(JobWorld.value)"

        private func setup(
            members: Int,
            faults: [String] = [],
            keys: [String: String] = [:]
        ) throws -> AgentSetup {
            let list = (0..<members).map { "\"\(TestDevice.thing($0).address)\"" }.joined(separator: ", ")
            let keys = keys.merging(["groups.hall": "[\(list)]"]) { own, _ in own }
            return try JobWorld.setup(devices: members, faults: faults, keys: keys)
        }

        private func start(_ gateway: Gateway, _ verb: String, _ fields: String) async throws -> String {
            let id = gateway.makeID()
            let command = "{\"id\":\"\(id)\",\"verb\":\"\(verb)\",\(fields)}"
            try await gateway.publish(command.utf8, to: "group/hall/cmd/test")
            return id
        }

        private func at(_ number: Int, _ member: String, _ steps: String) -> String {
            "{device: \"\(TestDevice.thing(number).address)\", member: \(member), steps: \(steps)}"
        }

        @Test func `a group's command runs at each member and has one result`() async throws {
            var setup = try setup(members: 3)
            setup.aliases = [("lamp", .thing(1))]
            try await withAgent(setup) { gateway in
                let id = try await start(gateway, "write", Self.write)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok" && answer["group"] == "hall", "\(answer)")
                #expect(answer["dev"] == .missing && answer["confirmed"] == "response", "\(answer)")
                let members = answer["result"]["members"].list
                #expect(members.map(\.["dev"].text) == [TestDevice.thing(0).hex, "lamp", TestDevice.thing(2).hex])
                #expect(members.allSatisfy { $0["status"] == "ok" && $0["verb"] == "write" }, "\(answer)")
                #expect(members.allSatisfy { $0["result"]["bytes"] == 1 && $0["confirmed"] == "response" })
                #expect(await gateway.world.count(of: "WriteValue") == 3)
                // Members publish no result of their own; their observers hear of the jobs.
                #expect(gateway.finals(of: id).count == 1)
                for device in (0..<3).map({ TestDevice.thing($0) }) {
                    try await gateway.hear(on: "dev/\(gateway.name(of: device))/job") { $0["final"] == true }
                    #expect(gateway.observed(device) == ["accepted", "started", "ok"].map { "\(id) \($0)" })
                }
            }
        }

        @Test(arguments: [1, 2, 5])
        func `as many members are at work at a time as the command says`(concurrency: Int) async throws {
            let late = "{member: ReadValue, steps: [{carryOut: {lateMs: 300}}]}"
            try await withAgent(try setup(members: 5, faults: [late])) { gateway in
                let id = try await start(gateway, "read", JobWorld.one + #","concurrency":\#(concurrency)"#)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok", "\(answer)")
                // Starts and ends in the order in which they were told: never more at work than that, and once as many.
                var working = 0
                var most = 0
                for step in gateway.caller.all(gateway.topic("dev/"), suffix: "/job") {
                    if step.json["status"] == "started" { working += 1 }
                    if step.json["final"] == true { working -= 1 }
                    most = max(most, working)
                }
                #expect(most == concurrency)
            }
        }

        @Test func `members begin after a random delay of their own`() async throws {
            try await withAgent(try setup(members: 6)) { gateway in
                let id = try await start(gateway, "read", JobWorld.one + #","concurrency":6,"jitterMs":1500"#)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok", "\(answer)")
                let reads = await gateway.world.times(of: "ReadValue")
                #expect(reads.count == 6)
                // All six within a tenth of the time would be one chance in tens of thousands.
                #expect(try #require(reads.max()) - reads[0] > .milliseconds(150))
            }
        }

        @Test func `a member that fails makes the result partial and stands in its error`() async throws {
            try await withAgent(try setup(members: 3, faults: [at(1, "Connect", "[]")])) { gateway in
                let id = try await start(gateway, "write", Self.write + #","timeoutMs":800"#)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "partial" && answer["applied"] == "partly", "\(answer)")
                #expect(answer["error"]["code"] == "connect-timeout", "\(answer)")
                #expect(answer["error"]["dev"].text == TestDevice.thing(1).hex, "\(answer)")
                let members = answer["result"]["members"].list
                #expect(members.map(\.["status"]) == ["ok", "timeout", "ok"], "\(answer)")
                #expect(members[1]["applied"] == "no" && members[1]["error"]["stage"] == "connect", "\(answer)")
            }
        }

        @Test func `a group of which no member succeeds has failed`() async throws {
            try await withAgent(try setup(members: 2)) { gateway in
                let id = try await start(gateway, "read", JobWorld.two)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "failed" && answer["error"]["code"] == "att-error", "\(answer)")
                #expect(answer["error"]["dev"].text == TestDevice.thing(0).hex, "\(answer)")
            }
        }

        @Test func `a group that is not configured is unknown`() async throws {
            try await withAgent(try setup(members: 1)) { gateway in
                for (number, group) in ["attic", "HALL", "x y"].enumerated() {
                    let id = "u\(number)"
                    try await gateway.publish(
                        #"{"id":"\#(id)","verb":"write",\#(Self.write)}"#.utf8,
                        to: "group/\(group)/cmd/test"
                    )
                    let answer = try await gateway.result(id).json
                    #expect(answer["status"] == "rejected" && answer["error"]["code"] == "unknown-group", "\(answer)")
                    #expect(answer["error"]["stage"] == "agent" && answer["applied"] == "no", "\(answer)")
                    #expect(answer["error"]["retryable"] == false, "\(answer)")
                }
            }
        }

        @Test func `a member whose queue is full is refused there alone`() async throws {
            let setup = try setup(
                members: 2,
                faults: [at(0, "ReadValue", "[]")],
                keys: ["limits.maxQueuedPerDevice": "1"]
            )
            try await withAgent(setup) { gateway in
                try await gateway.start("read", JobWorld.one, on: .thing(0))
                await gateway.world.waitForCalls(of: "ReadValue")
                try await gateway.start("read", JobWorld.one, on: .thing(0))
                let id = try await start(gateway, "write", Self.write)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "partial" && answer["error"]["code"] == "queue-full", "\(answer)")
                #expect(answer["result"]["members"].list.map(\.["status"]) == ["rejected", "ok"], "\(answer)")
            }
        }

        @Test func `a group's command is one job, and its end takes its members with it`() async throws {
            let faults = [at(0, "ReadValue", "[]")]
            try await withAgent(try setup(members: 4, faults: faults)) { gateway in
                // The first hangs, so the others are never begun.
                let id = try await start(gateway, "read", JobWorld.one + #","concurrency":1"#)
                await gateway.world.waitForCalls(of: "ReadValue")
                let reference = #""of":{"client":"test","id":"\#(id)"}"#
                let job = try await gateway.send("job", reference)["result"]["job"]
                #expect(job["group"] == "hall" && job["state"] == "running" && job["dev"] == .missing, "\(job)")
                let jobs = try await gateway.send("jobs")["result"]["jobs"].list
                #expect(jobs.first { $0["group"] == "hall" && $0["dev"] == .missing } != nil, "\(jobs)")
                let count = try await gateway.send("cancel", reference)["result"]["count"]
                #expect(count == 1)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "failed" && answer["error"]["code"] == "cancelled", "\(answer)")
                #expect(
                    answer["result"]["members"].list.map(\.["status"])
                        == ["cancelled", "cancelled", "cancelled", "cancelled"]
                )
                #expect(await gateway.world.count(of: "ReadValue") == 1)
                #expect(gateway.finals(of: id).count == 1)
            }
        }

        @Test func `a group's command that is repeated is answered as before, and nothing runs again`() async throws {
            try await withAgent(try setup(members: 2)) { gateway in
                let id = try await start(gateway, "write", Self.write)
                let first = try await gateway.result(id)
                let mark = gateway.caller.mark
                try await gateway.publish(
                    #"{"verb":"write","id":"\#(id)",\#(Self.write)}"#.utf8,
                    to: "group/hall/cmd/test"
                )
                let topic = gateway.topic("res/test/\(id)")
                let again = try await gateway.hear("the answer", from: mark) { $0.topic == topic }
                #expect(again.json["replayed"] == true && again.json["seq"] == first.json["seq"])
                #expect(await gateway.world.count(of: "WriteValue") == 2)
            }
        }

        // MARK: All gateways

        @Test func `a command to all gateways is answered after a random delay, and only if it reads`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                func all(_ payload: String) async throws {
                    let publication = MQTTPublication(topic: "edge/v1/all/cmd/test", payload: Array(payload.utf8))
                    try await gateway.caller.publish(publication)
                }
                let start = ContinuousClock.now
                for number in 0..<8 { try await all(#"{"id":"p\#(number)","verb":"ping","jitterMs":1500}"#) }
                var ends: [ContinuousClock.Instant] = []
                for number in 0..<8 {
                    #expect(try await gateway.result("p\(number)").json["status"] == "ok")
                    ends.append(.now)
                }
                // Eight delays that are all short would be one chance in a hundred thousand.
                #expect(try #require(ends.last) - start > .milliseconds(300))
                for verb in [
                    #""verb":"adapter.power","on":false"#, #""verb":"cancel","all":true"#, #""verb":"scan.start""#,
                ] {
                    try await all(#"{"id":"n\#(verb.utf8.count)",\#(verb)}"#)
                    let answer = try await gateway.result("n\(verb.utf8.count)").json
                    #expect(answer["status"] == "rejected" && answer["error"]["code"] == "denied", "\(answer)")
                }
            }
        }
    }
}
