import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// One radio, as a caller sees it: passive scans, and who holds it.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RadioAgentTests {
        private func with(_ keys: [String: String] = [:], _ body: (Gateway) async throws -> Void) async throws {
            var setup = try AgentSetup(scenario: "radio")
            setup.keys = keys
            try await withAgent(setup, body)
        }

        private func devices(_ answer: Json) -> [String] {
            answer["result"]["devices"].list.compactMap { $0["address"].text }.sorted()
        }

        @Test func `a passive scan hears what its patterns fit, and no discovery runs`() async throws {
            try await with { gateway in
                let all = try await gateway.send("scan", #""mode":"passive","durationMs":500"#)
                #expect(devices(all) == ["c05a00000041"], "\(all)")
                let maker = try await gateway.send(
                    "scan",
                    #""mode":"passive","manufacturer":["1234"],"durationMs":500"#
                )
                #expect(devices(maker) == ["c05a00000042"], "\(maker)")
                #expect(await gateway.world.count(of: "StartDiscovery") == 0)
                _ = try await gateway.send("scan.start", #""session":"quiet","mode":"passive""#)
                let state = try await gateway.hear("started", on: "scan/quiet/state")
                #expect(state.json["mode"] == "passive")
                try await gateway.hear(on: "scan/quiet")
                // One that asks runs beside it.
                let active = try await gateway.send("scan", #""mode":"active","durationMs":500"#)
                #expect(active["status"] == "ok" && !devices(active).isEmpty, "\(active)")
                #expect(await gateway.world.count(of: "StartDiscovery") == 1)
            }
        }

        @Test func `the configuration makes scans passive that leave it open`() async throws {
            try await with(["bluetooth.scanMode": "passive"]) { gateway in
                let scan = try await gateway.send("scan", #""durationMs":300"#)
                #expect(scan["status"] == "ok", "\(scan)")
                #expect(await gateway.world.count(of: "StartDiscovery") == 0)
                #expect(await gateway.world.count(of: "RegisterMonitor") == 1)
            }
        }

        @Test func `health says who holds the radio, and that discovery rests`() async throws {
            let keys = ["bluetooth.pauseDiscovery": "always", "limits.healthIntervalSeconds": "1"]
            try await with(keys) { gateway in
                _ = try await gateway.send("scan.start", #""session":"hall""#)
                try await gateway.hear(on: "scan/hall")
                let id = try await gateway.start("connect", #""timeoutMs":6000"#, on: .thing)
                let held = try await gateway.hear(on: "health") { $0["scan"]["paused"] == true }
                #expect(held.json["scan"]["holders"] == ["hall", "connect:1"])
                #expect(try await gateway.result(id).json["status"] != "ok")
                let free = try await gateway.hear(on: "health", from: held.number + 1) { $0["scan"]["paused"] == false }
                #expect(free.json["scan"]["active"] == true)
            }
        }
    }
}
