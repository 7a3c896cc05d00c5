import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// Which topics there are, and which of them are retained.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct TopicTests {
        @Test func `states are retained and happenings are not`() async throws {
            var setup = AgentSetup()
            setup.world.devices = [.battery.advertising(every: .milliseconds(50))]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("subscribe", Gateway.level, on: .battery)
                await gateway.world.notify(.battery, "2a19", [0x11])
                _ = try await gateway.send("scan.start", #""session":"hall""#)
                let notify = gateway.topic(.battery, "notify/180f/2a19")
                _ = try await gateway.hear("a value") { $0.topic == notify }
                _ = try await gateway.send("disconnect", on: .battery)
                try await gateway.hear("disconnected", on: "dev/\(TestDevice.battery.hex)/link")
                let states = [
                    "status", "info", "health", "bluetooth", "adapter/hci0", "scan/hall/state", "config/reported",
                ]
                let expected = Set(
                    states.map(gateway.topic) + [gateway.topic(.battery, "link"), gateway.topic(.battery, "avail")]
                )
                _ = try await gateway.hear(on: "scan/hall")
                #expect(Set(try await gateway.retained().keys) == expected)
                let heard = gateway.caller.all()
                #expect(heard.filter { $0.message.retain }.allSatisfy { expected.contains($0.topic) })
                #expect(heard.filter { expected.contains($0.topic) }.allSatisfy { $0.message.retain })
                // What a scan hears goes without acknowledgement, everything else with one.
                let scan = gateway.topic("scan/hall")
                let wrong = heard.filter { $0.message.qos != ($0.topic == scan ? .atMostOnce : .atLeastOnce) }
                #expect(wrong.isEmpty)
            }
        }

        @Test func `every message is a JSON object with gateway, boot, time and a number that counts by class`()
            async throws
        {
            try await withAgent { gateway in
                _ = try await gateway.send("read", Gateway.level, on: .battery)
                _ = try await gateway.send("disconnect", on: .battery)
                _ = try await gateway.send("scan.start", #""session":"s","emit":"all""#)
                _ = try await gateway.hear(on: "scan/s", count: 3)
                _ = try await gateway.send("scan.stop", #""session":"s""#)
                // The one topic with bare text.
                let heard = gateway.caller.all().filter { !$0.topic.hasSuffix("/avail") }
                let boots = Set(heard.map(\.json["boot"].text))
                #expect(boots.count == 1 && boots.first != .some(nil))
                #expect(heard.allSatisfy { $0.json["gw"] == "gw" && $0.json["ts"].text != nil })
                func numbers(_ isOfClass: (String) -> Bool) -> [Double] {
                    heard.filter { isOfClass($0.topic) }.compactMap(\.json["seq"].number)
                }
                for part in ["/res/", "/job", "/event", "/scan/"] {
                    let found = numbers { $0.contains(part) }
                    #expect(!found.isEmpty && found == (1...found.count).map { Double($0) }, "\(part): \(found)")
                }
            }
        }

        @Test func `link and event tell the whole life of a link`() async throws {
            try await withAgent { gateway in
                let link = gateway.topic(.heart, "link")
                let event = gateway.topic(.heart, "event")
                _ = try await gateway.send("connect", on: .heart)
                try await gateway.hear("resolved", on: "dev/\(TestDevice.heart.hex)/link")
                await gateway.world.dropLink(.heart)
                try await gateway.hear("disconnected", on: "dev/\(TestDevice.heart.hex)/link")
                let states = gateway.caller.all(link).compactMap(\.json["state"].text)
                #expect(states.first == "connecting" && states.last == "disconnected" && states.contains("resolved"))
                #expect(states.count { $0 == "disconnected" } == 1)
                let up = try #require(gateway.caller.all(link).first { $0.json["state"] == "resolved" }).json
                #expect(up["owner"] == "self" && up["dev"].text == TestDevice.heart.hex && up["since"].text != nil)
                let down = try #require(gateway.caller.all(link).last).json
                #expect(down["reason"] == "link-lost")
                let events = gateway.caller.all(event).compactMap(\.json["event"].text)
                #expect(events.first == "connected" && events.last == "disconnected")
                #expect(events.count { $0 == "connected" } == 1)
            }
        }

        @Test func `what another program connects is told as another's, and not dropped when idle`() async throws {
            var setup = AgentSetup()
            setup.keys = ["links.idleMs": "50"]
            setup.aliases = [("belt", .heart), ("cell", .battery)]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("scan", #""durationMs":600"#)
                try await gateway.world.connectAsStranger(.heart)
                let resolved = try await gateway.hear("resolved", on: "dev/belt/link")
                #expect(resolved.json["owner"] == "other")
                // A link of our own is dropped in the meantime.
                _ = try await gateway.send("read", Gateway.level, on: .battery)
                let dropped = try await gateway.hear("disconnected", on: "dev/cell/link")
                #expect(dropped.json["reason"] == "local")
                #expect(await gateway.world.isConnected(.heart))
                #expect(await !gateway.world.isConnected(.battery))
            }
        }

        @Test func `what comes in over the bus goes out at once`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("subscribe", #""service":"fff0","characteristic":"fff6""#, on: .awkward)
                let topic = gateway.topic(.awkward, "notify/fff0/fff6")
                let begin = ContinuousClock.now
                for number in 1...40 {
                    await gateway.world.notify(.awkward, "fff6", [UInt8(number)])
                    _ = try await gateway.hear("value \(number)", count: number) { $0.topic == topic }
                }
                // Nothing else wakes the agent meanwhile: its next own timer is seconds away.
                #expect(ContinuousClock.now - begin < .seconds(30))
            }
        }

        @Test func `health counts what happened and tells what runs`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.healthIntervalSeconds": "1"]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .heart)
                try await gateway.publish(#"{"verb":"x"}"#.utf8, to: "cmd")
                _ = try await gateway.send("scan.start", #""session":"long""#)
                let health = try await gateway.hear(on: "health") { health in
                    health["scan"]["active"] == true && health["counters"]["refused"] == 1
                }
                #expect(health.message.retain)
                let json = health.json
                #expect(json["scan"]["holders"] == ["long"] && json["links"]["used"] == 1)
                #expect(json["counters"]["commands"] == 3 && json["counters"]["results"] == 3)
                #expect(json["queue"] == .object(["running": 0, "queued": 0, "outgoing": 0]))
                #expect(json["reconnects"] == .object(["mqtt": 0, "dbus": 0]))
                for field in ["uptimeMs", "residentBytes", "cpuMs"] {
                    #expect(try #require(json[field].number) > 0)
                }
                #expect(json["refusedSubscriptions"] == [] && json["lastRecovery"] == nil)
                _ = try await gateway.start("scan", #""durationMs":10000"#)
                try await gateway.hear(on: "health") { $0["scan"]["holders"] == ["long", "scan"] }
                await gateway.world.setPowered(false)
                try await gateway.hear("off", on: "bluetooth")
                await gateway.world.setPowered(true)
                try await gateway.hear(on: "health") { $0["lastRecovery"].text != nil }
            }
        }
    }
}
