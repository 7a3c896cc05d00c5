import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// An adapter takes so many links and no more.
    ///
    /// Times are shorter than in the field, in proportion.
    @Suite(.timeLimit(.minutes(10)))
    struct SlotCaseTests {
        /// The gaps between tries after a refusal, the shortest with its jitter.
        private static let shortestGap = Duration.milliseconds(1800)

        @Test(arguments: ["B23", "B23-late"])
        func `B23: a fourth link is tried seldom, and has the room of a link that nobody needs`(_ scenario: String)
            async throws
        {
            try await withAgent(try AgentSetup(scenario: scenario)) { gateway in
                for number in 0..<3 {
                    let answer = try await gateway.send("connect", on: .thing(number))
                    #expect(answer["status"] == "ok" && answer["attempt"] == 1, "\(answer)")
                }
                let id = try await gateway.start(
                    "read",
                    JobWorld.one + #","timeoutMs":20000,"ack":true"#,
                    on: .thing(3)
                )
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "ok", "\(answer)")
                #expect(answer["attempt"].number == (scenario == "B23" ? 2 : 3), "\(answer)")
                #expect(answer["lastError"]["code"] == "no-slot", "\(answer)")
                let retries = gateway.caller.all(gateway.topic("res/test/\(id)")).filter {
                    $0.json["status"] == "retrying"
                }
                #expect(!retries.isEmpty)
                for step in retries {
                    #expect(step.json["error"]["code"] == "no-slot" && step.json["error"]["stage"] == "connect")
                    #expect(try #require(step.json["error"]["retryAfterMs"].number) >= 1800, "\(step.text)")
                }
                // No storm: the three, and the tries of the fourth with their gaps.
                let tries = await gateway.world.times(of: "Connect").dropFirst(3)
                #expect(tries.count == (scenario == "B23" ? 2 : 3))
                for (earlier, later) in zip(tries, tries.dropFirst()) { #expect(later - earlier >= Self.shortestGap) }
                // The one that was idle longest gave its link away, and only that one, though there was no room at once.
                #expect(await gateway.world.paths(of: "Disconnect").map { $0.suffix(2) } == ["41"])
                for number in 0..<4 { #expect(await gateway.world.isConnected(.thing(number)) == (number != 0)) }
                // Three it was, and three it is.
                let adapter = try await gateway.retained()[gateway.topic("adapter/hci0")]
                #expect(adapter?["links"]["used"] == 3, "\(String(describing: adapter))")
                #expect(adapter?["links"]["max"] != 2, "\(String(describing: adapter))")
            }
        }

        @Test func `B23: with a bound in the configuration a fourth link waits until there is room`() async throws {
            var setup = try AgentSetup(scenario: "B23")
            setup.keys = ["links.max": "3"]
            try await withAgent(setup) { gateway in
                // Subscriptions: these links are needed.
                for number in 0..<3 {
                    #expect(try await gateway.send("subscribe", JobWorld.one, on: .thing(number))["status"] == "ok")
                }
                let id = try await gateway.start("read", JobWorld.one, on: .thing(3))
                let behind = try await gateway.start("read", JobWorld.one, on: .thing(3))
                let jobs = try await gateway.send("jobs")["result"]["jobs"].list
                #expect(jobs.map(\.["id"].text) == [id, behind], "\(jobs)")
                #expect(jobs.map(\.["state"]) == ["slot", "waiting"], "\(jobs)")
                try await gateway.hear(on: "adapter/hci0") {
                    $0["links"]["used"] == 3 && $0["links"]["max"] == 3 && $0["links"]["waiting"] == 1
                }
                // What needs no link is not held up.
                #expect(try await gateway.send("rssi", on: .thing(1))["error"]["code"] == "not-in-range")
                #expect(await gateway.world.count(of: "Connect") == 3)
                #expect(await gateway.world.count(of: "Disconnect") == 0)
                #expect(try await gateway.send("unsubscribe", JobWorld.one, on: .thing(1))["status"] == "ok")
                for id in [id, behind] { #expect(try await gateway.result(id).json["status"] == "ok") }
                #expect(await gateway.world.paths(of: "Disconnect").map { $0.suffix(2) } == ["42"])
                #expect((4...5).contains(await gateway.world.count(of: "Connect")))
            }
        }

        @Test func `what an adapter takes is learned from its refusal, and others wait without trying`() async throws {
            let setup = try JobWorld.setup(devices: 3, more: ["adapters: [{links: {max: 1}}]"])
            try await withAgent(setup) { gateway in
                #expect(try await gateway.send("subscribe", JobWorld.one, on: .thing(0))["status"] == "ok")
                let tried = try await gateway.start("read", JobWorld.one, on: .thing(1))
                try await gateway.hear(on: "dev/\(TestDevice.thing(1).hex)/job") { $0["status"] == "retrying" }
                let waits = try await gateway.start("read", JobWorld.one, on: .thing(2))
                let jobs = try await gateway.send("jobs")["result"]["jobs"].list
                #expect(jobs.map(\.["id"].text) == [tried, waits], "\(jobs)")
                #expect(jobs.map(\.["state"]) == ["running", "slot"], "\(jobs)")
                try await gateway.hear(on: "adapter/hci0") { $0["links"]["max"] == 1 && $0["links"]["waiting"] == 1 }
                #expect(try await gateway.send("unsubscribe", JobWorld.one, on: .thing(0))["status"] == "ok")
                for id in [tried, waits] { #expect(try await gateway.result(id).json["status"] == "ok") }
                let paths = await gateway.world.paths(of: "Connect").map { $0.suffix(2) }
                #expect(paths.first == "41" && paths.last == "43" && paths.count { $0 == "43" } == 1, "\(paths)")
            }
        }

        @Test func `a link that cannot be ended keeps its slot, and its device is used again`() async throws {
            let setup = try JobWorld.setup(
                devices: 2,
                faults: ["{member: Disconnect, steps: []}"],
                keys: ["links.max": "1", "bluetooth.settleMs": "1000"]
            )
            try await withAgent(setup) { gateway in
                #expect(try await gateway.send("connect", on: .thing(0))["status"] == "ok")
                let other = try await gateway.start("read", JobWorld.one + #","ttlMs":8000"#, on: .thing(1))
                await gateway.world.waitForCalls(of: "Disconnect")
                #expect(try await gateway.send("read", JobWorld.one, on: .thing(0))["status"] == "ok")
                #expect(try await gateway.result(other).json["status"] == "expired")
                #expect(await gateway.world.count(of: "Connect") == 1)
            }
        }
    }
}
