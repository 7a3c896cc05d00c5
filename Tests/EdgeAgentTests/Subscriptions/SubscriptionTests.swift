import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// Subscriptions with the live agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct SubscriptionTests {
        private static let attribute = #""service":"fff0","characteristic":"fff6""#

        @Test func `values come once and in order, however many hold the subscription`() async throws {
            try await withAgent { gateway in
                let first = try await gateway.send("subscribe", Self.attribute, on: .awkward)
                #expect(first["status"] == "ok" && first["result"] == .object(["already": false]))
                #expect(first["confirmed"] == "response")
                #expect(try await gateway.send("subscribe", Self.attribute, on: .awkward)["result"]["already"] == true)
                let other = "{\"id\":\"o1\",\"verb\":\"subscribe\",\(Self.attribute)}"
                try await gateway.publish(other.utf8, to: "dev/\(TestDevice.awkward.hex)/cmd/other")
                #expect(try await gateway.result("o1", client: "other").json["result"]["already"] == false)
                #expect(await gateway.world.count(of: "StartNotify") == 1)
                for number: UInt8 in 1...10 { await gateway.world.notify(.awkward, "fff6", [number]) }
                let topic = gateway.topic(.awkward, "notify/fff0/fff6")
                _ = try await gateway.hear("ten values", count: 10) { $0.topic == topic }
                let values = gateway.caller.all(topic)
                #expect(values.map(\.json["n"].number) == (1...10).map { Double($0) })
                #expect(values.compactMap(\.json["value"]["hex"].text) == (1...10).map { $0 < 10 ? "0\($0)" : "0a" })
                #expect(
                    values.allSatisfy { $0.json["kind"] == "notify" && $0.json["dropped"] == 0 && !$0.message.retain }
                )
                // The one who goes leaves it to the other.
                let gone = try await gateway.send("unsubscribe", Self.attribute, on: .awkward)
                #expect(gone["status"] == "ok" && gone["result"]["already"] == false && gone["confirmed"] == "local")
                #expect(await gateway.world.isSubscribed(.awkward, "fff6"))
                #expect(
                    try await gateway.send("unsubscribe", Self.attribute, on: .awkward)["result"]["already"] == true
                )
                let last = "{\"id\":\"o2\",\"verb\":\"unsubscribe\",\(Self.attribute)}"
                try await gateway.publish(last.utf8, to: "dev/\(TestDevice.awkward.hex)/cmd/other")
                #expect(try await gateway.result("o2", client: "other").json["result"]["already"] == false)
                #expect(await !gateway.world.isSubscribed(.awkward, "fff6"))
            }
        }

        @Test func `an indication is told as one`() async throws {
            try await withAgent { gateway in
                let attribute = #""service":"1809","characteristic":"2a1c""#
                #expect(try await gateway.send("subscribe", attribute, on: .thermometer)["status"] == "ok")
                await gateway.world.notify(.thermometer, "2a1c", [0, 1, 2, 3, 4])
                let value = try await gateway.hear(on: "dev/\(TestDevice.thermometer.hex)/notify/1809/2a1c")
                #expect(value.json["kind"] == "indicate" && value.json["dev"].text == TestDevice.thermometer.hex)
            }
        }

        @Test func `the last value is retained when the subscription asks, and goes with it`() async throws {
            try await withAgent { gateway in
                let fields = Self.attribute + #","retainLast":true"#
                _ = try await gateway.send("subscribe", fields, on: .awkward)
                await gateway.world.notify(.awkward, "fff6", [7])
                let topic = gateway.topic(.awkward, "notify/fff0/fff6")
                let value = try await gateway.hear("a value") { $0.topic == topic }
                #expect(value.message.retain)
                #expect(try await gateway.retained()[topic]?["value"]["hex"] == "07")
                _ = try await gateway.send("unsubscribe", Self.attribute, on: .awkward)
                let kept = try await gateway.retained()
                #expect(
                    !kept.keys.contains(topic),
                    "\(kept[topic] ?? .missing) \(gateway.caller.all(topic).map(\.text))"
                )
            }
        }

        @Test func `a lease ends the subscription by itself`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("subscribe", Self.attribute + #","leaseMs":1000"#, on: .awkward)
                #expect(await gateway.world.isSubscribed(.awkward, "fff6"))
                await gateway.world.waitForCalls(of: "StopNotify")
                #expect(
                    try await gateway.send("unsubscribe", Self.attribute, on: .awkward)["result"]["already"] == true
                )
                #expect(await !gateway.world.isSubscribed(.awkward, "fff6"))
            }
        }

        @Test func `a link that is lost is made again for a subscription, and values go on`() async throws {
            var setup = AgentSetup()
            setup.keys = ["links.idleMs": "50"]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("subscribe", Self.attribute, on: .awkward)
                let mark = gateway.caller.mark
                await gateway.world.dropLink(.awkward)
                let down = try await gateway.hear("disconnected", on: "dev/\(TestDevice.awkward.hex)/link", from: mark)
                #expect(try #require(down.json["nextTryMs"].number) > 0)
                let event = gateway.topic(.awkward, "event")
                _ = try await gateway.hear("subscription-restored", from: mark) {
                    $0.topic == event && $0.json["event"] == "subscription-restored"
                }
                await gateway.world.notify(.awkward, "fff6", [9])
                let topic = gateway.topic(.awkward, "notify/fff0/fff6")
                _ = try await gateway.hear("a value", from: mark) { $0.topic == topic }
                #expect(gateway.caller.all(from: mark, topic).count == 1)
            }
        }

        @Test func `disconnect ends the making again of a link, and the next connect brings the values back`()
            async throws
        {
            try await withAgent { gateway in
                _ = try await gateway.send("subscribe", Self.attribute, on: .awkward)
                _ = try await gateway.send("disconnect", on: .awkward)
                let link = try await gateway.hear("disconnected", on: "dev/\(TestDevice.awkward.hex)/link")
                #expect(link.json["reason"] == "local" && link.json["nextTryMs"] == .missing)
                _ = try await gateway.send("connect", on: .awkward)
                await gateway.world.notify(.awkward, "fff6", [3])
                try await gateway.hear(on: "dev/\(TestDevice.awkward.hex)/notify/fff0/fff6")
            }
        }
    }
}
