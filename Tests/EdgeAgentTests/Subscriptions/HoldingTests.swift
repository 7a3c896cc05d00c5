import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// How subscriptions are held, and how their values are put into messages.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct HoldingTests {
        @Test func `every value comes in a message of its own, counted`() async throws {
            try await withAgent(.meter()) { gateway in
                let result = try await gateway.subscribe("ffd1")
                #expect(result["status"] == "ok" && result["result"]["already"] == false)
                #expect(result["confirmed"] == "response" && result["warnings"] == .missing)
                await gateway.world.notify(.meter, "ffd1", [1])
                await gateway.world.notify(.meter, "ffd1", [2])
                let second = try await gateway.hear(on: gateway.values("ffd1"), count: 2)
                #expect(second.json["value"]["hex"] == "02" && second.json["n"] == 2)
                #expect(second.json["kind"] == "notify" && second.json["dropped"] == 0)
                #expect(!second.message.retain)
                _ = try await gateway.subscribe("ffd2")
                await gateway.world.notify(.meter, "ffd2", [7])
                let indicated = try await gateway.hear(on: gateway.values("ffd2"))
                #expect(indicated.json["kind"] == "indicate" && indicated.json["value"]["hex"] == "07")
            }
        }

        @Test func `a batch carries several values, and what waits goes out at the end`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd1", #""coalesce":{"batch":3,"maxMs":3600000}"#)
                for value in 1...4 { await gateway.world.notify(.meter, "ffd1", [UInt8(value)]) }
                let batch = try await gateway.hear(on: gateway.values("ffd1")).json
                #expect(batch["values"].list.map(\.["hex"]) == ["01", "02", "03"])
                #expect(batch["n"] == 3 && batch["dropped"] == 0 && batch["value"] == .missing)
                // The fourth value has come when a later one of another subscription has.
                _ = try await gateway.subscribe("ffd2")
                await gateway.world.notify(.meter, "ffd2", [9])
                try await gateway.hear(on: gateway.values("ffd2"))
                let end = try await gateway.unsubscribe("ffd1")
                #expect(end["result"]["already"] == false)
                let rest = try await gateway.hear(on: gateway.values("ffd1"), count: 2).json
                #expect(rest["values"].list.map(\.["hex"]) == ["04"] && rest["n"] == 4)
            }
        }

        @Test func `of many values within a span the newest is published, and the gap in n tells`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd1", #""coalesce":{"latestMs":500}"#)
                for value in 1...20 { await gateway.world.notify(.meter, "ffd1", [UInt8(value)]) }
                let first = try await gateway.hear(on: gateway.values("ffd1")).json
                #expect(first["value"]["hex"] == "01" && first["n"] == 1)
                let second = try await gateway.hear(on: gateway.values("ffd1"), count: 2).json
                #expect(second["value"]["hex"] == "14" && second["n"] == 20 && second["dropped"] == 0)
            }
        }

        @Test func `values come once however many callers hold, and the last coalesce and retainLast hold`()
            async throws
        {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd1", client: "one")
                let renewed = try await gateway.subscribe("ffd1", #""retainLast":true"#, client: "two")
                // Each caller has its own subscription.
                #expect(renewed["result"]["already"] == false)
                await gateway.world.notify(.meter, "ffd1", [1])
                try await gateway.hear(on: gateway.values("ffd1"))
                let topic = gateway.topic(gateway.values("ffd1"))
                #expect(try await gateway.retained()[topic]?["value"]["hex"] == "01")
                let again = try await gateway.subscribe("ffd1", #""coalesce":{"batch":2,"maxMs":60000}"#, client: "one")
                #expect(again["result"]["already"] == true)
                // The last one did not want it retained.
                #expect(try await gateway.retained().keys.contains(topic) == false)
                await gateway.world.notify(.meter, "ffd1", [2])
                await gateway.world.notify(.meter, "ffd1", [3])
                let batch = try await gateway.hear(on: gateway.values("ffd1")) { $0["values"] != .missing }.json
                #expect(batch["values"].list.map(\.["hex"]) == ["02", "03"])
                #expect(try await gateway.unsubscribe("ffd1", client: "one")["result"]["already"] == false)
                #expect(try await gateway.unsubscribe("ffd1", client: "one")["result"]["already"] == true)
                #expect(await gateway.world.isSubscribed(.meter, "ffd1"))
                #expect(try await gateway.unsubscribe("ffd1", client: "two")["result"]["already"] == false)
                #expect(await gateway.world.isSubscribed(.meter, "ffd1") == false)
                #expect(await gateway.world.count(of: "StartNotify") == 1)
                #expect(gateway.caller.all(topic).filter { !$0.message.payload.isEmpty }.count == 2)
            }
        }

        @Test func `the retained last value goes with the subscription`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd1", #""retainLast":true"#)
                await gateway.world.notify(.meter, "ffd1", [1])
                let topic = gateway.topic(gateway.values("ffd1"))
                let value = try await gateway.hear(on: gateway.values("ffd1"))
                #expect(value.message.retain)
                #expect(try await gateway.retained()[topic]?["n"] == 1)
                _ = try await gateway.unsubscribe("ffd1")
                #expect(try await gateway.retained().keys.contains(topic) == false)
            }
        }

        @Test func `a lease ends the subscription of its caller, and a renewal keeps it`() async throws {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd1", #""leaseMs":1000"#, client: "one")
                let renewed = try await gateway.subscribe("ffd1", #""leaseMs":600000"#, client: "one")
                #expect(renewed["result"]["already"] == true)
                _ = try await gateway.subscribe("ffd1", #""leaseMs":1000"#, client: "two")
                // Made last, with the shortest lease: when it is over, the others' would be too.
                _ = try await gateway.subscribe("ffd2", #""leaseMs":1000,"retainLast":true"#, client: "two")
                await gateway.world.notify(.meter, "ffd2", [1])
                try await gateway.hear(on: gateway.values("ffd2")) { $0["n"] == 1 }
                await gateway.world.waitForCalls(of: "StopNotify")
                try await gateway.agent.waitForLog("Subscription lease ended", count: 2)
                #expect(await gateway.world.isSubscribed(.meter, "ffd1"))
                #expect(await gateway.world.isSubscribed(.meter, "ffd2") == false)
                #expect(try await gateway.unsubscribe("ffd1", client: "two")["result"]["already"] == true)
                #expect(try await gateway.unsubscribe("ffd1", client: "one")["result"]["already"] == false)
                #expect(try await gateway.retained().keys.contains(gateway.topic(gateway.values("ffd2"))) == false)
            }
        }

        @Test func `disconnect keeps the subscription, and the next connect makes it stand again with an event`()
            async throws
        {
            try await withAgent(.meter()) { gateway in
                _ = try await gateway.subscribe("ffd1")
                #expect(try await gateway.send("disconnect", on: .meter)["result"]["already"] == false)
                try await gateway.hear(event: "disconnected")
                #expect(await gateway.world.isConnected(.meter) == false)
                // Nothing connects by itself: the next call of Connect is that of the command.
                let calls = await gateway.world.count(of: "Connect")
                #expect(try await gateway.send("connect", on: .meter)["status"] == "ok")
                let restored = try await gateway.hear(event: "subscription-restored").json
                #expect(restored["service"] == "ffd0" && restored["characteristic"] == "ffd1")
                #expect(await gateway.world.count(of: "Connect") == calls + 1)
                await gateway.world.notify(.meter, "ffd1", [5])
                #expect(try await gateway.hear(on: gateway.values("ffd1")).json["value"]["hex"] == "05")
                #expect(
                    gateway.caller.all(gateway.topic("dev/"), suffix: "/event").map(\.json["event"].text).count == 4
                )
            }
        }

        @Test func `what can neither notify nor be polled is refused, and leaves nothing behind`() async throws {
            try await withAgent(.meter()) { gateway in
                let refused = try await gateway.subscribe("ffd3")
                #expect(refused["status"] == "failed" && refused["error"]["code"] == "not-supported")
                #expect(refused["error"]["detail"].text?.contains("pollMs") == true)
                let unreadable = try await gateway.subscribe("ffd5", #""pollMs":250"#)
                #expect(unreadable["error"]["code"] == "not-supported")
                let broken = try await gateway.subscribe("ffd4", #""pollMs":250"#)
                #expect(broken["error"]["code"] == "att-error" && broken["error"]["att"] == "0x80")
                for characteristic in ["ffd3", "ffd4", "ffd5"] {
                    #expect(try await gateway.unsubscribe(characteristic)["result"]["already"] == true)
                }
            }
        }
    }
}
