import TestSupport
import Testing

extension AgentLane3 {
    /// Reading in turn what cannot notify.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct PollTests {
        @Test func `a value is read again and again, the first time at once`() async throws {
            try await withAgent(.meter()) { gateway in
                let result = try await gateway.subscribe("ffd3", #""pollMs":250"#)
                #expect(result["status"] == "ok" && result["confirmed"] == "read")
                #expect(result["result"]["already"] == false && result["warnings"] == .missing)
                let third = try await gateway.hear(on: gateway.values("ffd3"), count: 3).json
                #expect(third["kind"] == "read" && third["n"] == 3 && third["value"]["hex"] == "02")
                // Nobody hears of the agent's own reads.
                #expect(
                    gateway.caller.all(gateway.topic("dev/"), suffix: "/job").allSatisfy { $0.json["verb"] != "read" }
                )
                #expect(gateway.caller.all(gateway.topic("res/")).count == 1)
                #expect(try await gateway.unsubscribe("ffd3")["result"]["already"] == false)
                // Two commands later no read has been made any more.
                let reads = await gateway.world.count(of: "ReadValue")
                _ = try await gateway.subscribe("ffd1", #""leaseMs":1000"#)
                try await gateway.agent.waitForLog("Subscription lease ended")
                #expect(await gateway.world.count(of: "ReadValue") == reads)
            }
        }

        @Test func `what can notify is not polled, and the answer says so`() async throws {
            try await withAgent(.meter()) { gateway in
                let result = try await gateway.subscribe("ffd1", #""pollMs":250"#)
                #expect(result["status"] == "ok" && result["confirmed"] == "response")
                #expect(result["warnings"].list == ["pollMs: not used, the characteristic notifies"])
                #expect(await gateway.world.isSubscribed(.meter, "ffd1"))
                #expect(await gateway.world.count(of: "ReadValue") == 0)
            }
        }

        @Test func `commands go before reads, and a read never waits in the queue`() async throws {
            var setup = AgentSetup.meter()
            // Longer than a poll's span: the device is busy nearly all the time.
            setup.world.attDelay = .milliseconds(100)
            setup.keys["limits.maxQueuedPerDevice"] = "8"
            try await withAgent(setup) { gateway in
                _ = try await gateway.subscribe("ffd3", #""pollMs":250"#)
                var ids: [String] = []
                // One runs, eight wait: were a read to wait with them, one of these would find no place.
                for _ in 0..<8 {
                    ids.append(
                        try await gateway.start("read", #""service":"ffd0","characteristic":"ffd1""#, on: .meter)
                    )
                }
                for id in ids { #expect(try await gateway.result(id).json["status"] == "ok") }
                let mark = gateway.caller.mark
                try await gateway.hear(on: gateway.values("ffd3"), from: mark, count: 2)
            }
        }

        @Test func `reading goes on when the link is back`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd3", #""pollMs":250"#)
                try await gateway.hear(on: gateway.values("ffd3"), count: 2)
                await gateway.world.dropLink(.meter)
                try await gateway.hear(event: "disconnected")
                try await gateway.hear(event: "connected", count: 2)
                let restored = try await gateway.hear(event: "subscription-restored")
                #expect(restored.json["characteristic"] == "ffd3")
                try await gateway.hear(on: gateway.values("ffd3"), from: restored.number, count: 2)
                #expect(
                    gateway.caller.all(gateway.topic("dev/"), suffix: "/event").allSatisfy {
                        $0.json["event"] != "subscription-lost"
                    }
                )
            }
        }

        @Test func `reading that fails is told once, and again when it succeeds`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd3", #""pollMs":250"#)
                try await gateway.hear(on: gateway.values("ffd3"), count: 2)
                await gateway.world.setService(.meter, "ffd0", present: false)
                let lost = try await gateway.hear(event: "subscription-lost").json
                #expect(lost["characteristic"] == "ffd3")
                #expect(lost["reason"].text?.hasPrefix("reading fails: ") == true)
                try await gateway.agent.waitForLog("Value not read", count: 2)
                await gateway.world.setService(.meter, "ffd0", present: true)
                let restored = try await gateway.hear(event: "subscription-restored")
                try await gateway.hear(on: gateway.values("ffd3"), from: restored.number, count: 2)
                let events = gateway.caller.all(gateway.topic("dev/"), suffix: "/event")
                #expect(events.filter { $0.json["event"] == "subscription-lost" }.count == 1)
            }
        }
    }
}
