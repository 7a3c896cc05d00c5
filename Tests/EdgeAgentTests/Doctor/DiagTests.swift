import EdgeAgent
import TestSupport
import Testing

extension AgentLane3 {
    /// The verb `diag`: the same checks within the agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct DiagTests {
        @Test func `diag answers with every check, and waits behind no device`() async throws {
            try await withAgent { gateway in
                let answer = try await gateway.send("diag")
                #expect(answer["status"] == "ok" && answer["confirmed"] == "local" && answer["result"]["ok"] == true)
                let checks = answer["result"]["checks"].list
                #expect(checks.compactMap(\.["name"].text) == CheckName.allCases.map(\.rawValue))
                for check in checks {
                    #expect(check.keys == ["name", "status", "text", "mend"])
                    let isWell = check["status"] == "ok" || check["mend"].text != nil || check["status"] == "skipped"
                    #expect(isWell, "\(check)")
                }
                #expect(await gateway.world.count(of: "StartDiscovery") == gateway.world.count(of: "StopDiscovery"))
                #expect(await gateway.world.count(of: "RegisterAgent") == 1)
            }
        }

        @Test func `diag tells what is off, and that what needs it was left out`() async throws {
            try await withAgent { gateway in
                await gateway.world.setPowered(false)
                try await gateway.hear("off", on: "bluetooth")
                let answer = try await gateway.send("diag")
                #expect(answer["status"] == "ok" && answer["result"]["ok"] == false)
                let checks = answer["result"]["checks"].list
                let power = try #require(checks.first { $0["name"] == "adapter.power" })
                #expect(power["status"] == "failed" && power["mend"].text?.contains("bluetooth") == true)
                let discovery = try #require(checks.first { $0["name"] == "discovery" })
                #expect(discovery["status"] == "skipped" && discovery["text"] == "needs adapter.power")
                let subscriptions = try #require(checks.first { $0["name"] == "broker.subscriptions" })
                #expect(subscriptions["status"] == "ok")
            }
        }

        @Test func `diag waits no longer for an answer of bluetoothd than it has time`() async throws {
            let setup = try AgentSetup(scenario: "silent-registration")
            try await withAgent(setup) { gateway in
                await gateway.world.waitForCalls(of: "RegisterAgent")
                let late = try await gateway.send("diag", #""timeoutMs":300"#)
                #expect(late["status"] == "timeout" && late["error"]["code"] == "timeout", "\(late)")
                // The checks themselves would give bluetoothd 12 s.
                #expect(late["timing"]["runMs"].number ?? .infinity < 12_000)
            }
        }

        @Test func `diag ends when it is cancelled or its time is over`() async throws {
            var setup = AgentSetup()
            setup.world.devices = []
            try await withAgent(setup) { gateway in
                let late = try await gateway.send("diag", #""timeoutMs":300"#)
                #expect(late["status"] == "timeout" && late["error"]["code"] == "timeout")
                let before = await gateway.world.count(of: "StartDiscovery")
                let id = try await gateway.start("diag")
                await gateway.world.waitForCalls(of: "StartDiscovery", count: before + 1)
                _ = try await gateway.send("cancel", #""of":{"client":"test","id":"\#(id)"}"#)
                let cancelled = try await gateway.result(id)
                #expect(cancelled.json["status"] == "cancelled")
            }
        }
    }
}
