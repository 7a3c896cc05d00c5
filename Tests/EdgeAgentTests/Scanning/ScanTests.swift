import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// Scans with the live agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct ScanTests {
        @Test
        func `B05 devices that BlueZ only remembers are no result, and the live one keeps its last signal strength`()
            async throws
        {
            let quick = Duration.milliseconds(50)
            let gone = [TestDevice.heart, .framer, .awkward].map { $0.advertising(every: quick) }
            var setup = AgentSetup()
            setup.world.devices = gone + [.battery.advertising(every: quick)]
            try await withAgent(setup) { gateway in
                #expect(try await gateway.send("scan", #""durationMs":300"#)["result"]["devices"].list.count == 4)
                for device in gone { await gateway.world.setReachable(false, device) }
                let second = try await gateway.send("scan", #""durationMs":300"#)["result"]["devices"].list
                #expect(second.map(\.["address"].text) == [TestDevice.battery.hex])
                #expect(try #require(second.first?["rssi"].number) < 0)
                // BlueZ has taken RSSI away with the end of the scan.
                await gateway.world.waitForCalls(of: "StopDiscovery", count: 2)
                try await gateway.hear(on: "adapter/hci0") { $0["discovering"] == false }
                let known = try await gateway.send("devices")["result"]["devices"].list
                let battery = try #require(known.first { $0["address"].text == TestDevice.battery.hex })
                #expect(try #require(battery["rssi"].number) < 0)
                #expect(battery["last"].text != nil)
                #expect(known.allSatisfy { $0["rssi"] != 0 && $0["rssi"] != -127 })
                let rssi = try await gateway.send("rssi", on: .battery)
                #expect(rssi["result"]["rssi"] == battery["rssi"])
            }
        }

        @Test func `B05 an agent that starts beside a full cache of bluetoothd reports none of it`() async throws {
            var setup = AgentSetup()
            setup.world.devices = [
                .heart.advertising(every: .milliseconds(50)), .battery.advertising(every: .milliseconds(50)),
            ]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .heart)
                _ = try await gateway.send("connect", on: .battery)
                #expect(try await gateway.stop() == 0)
                for device in [TestDevice.heart, .battery] { await gateway.world.setReachable(false, device) }
                let mark = gateway.caller.mark
                let second = try await startAgent(setup, gateway.world, gateway.broker, gateway.caller)
                try await second.subscribed()
                try await second.hear("ready", on: "bluetooth", from: mark)
                try await second.publish(#"{"id":"z1","verb":"scan","durationMs":200}"#.utf8, to: "cmd/test")
                #expect(try await second.result("z1").json["result"]["devices"] == [])
                try await second.publish(#"{"id":"z2","verb":"devices"}"#.utf8, to: "cmd/test")
                let known = try await second.result("z2").json["result"]["devices"].list
                #expect(known.count == 2 && known.allSatisfy { $0["rssi"] == nil && $0["last"] == nil })
                #expect(await second.world.count(of: "GetManagedObjects") == 2)
                try await second.publish(#"{"id":"z3","verb":"rssi"}"#.utf8, to: "dev/\(TestDevice.heart.hex)/cmd/test")
                #expect(try await second.result("z3").json["error"]["code"] == "not-in-range")
            }
        }

        @Test func `B07 hostile names stand in valid JSON, in no topic and on one line of the log`() async throws {
            let names = [
                "a\nb", "\"}", "\u{FFFD}\u{FFFD}\u{FFFD}", "👩‍👩‍👧‍👦 \u{200D}", "x/+/#", String(repeating: "n", count: 248),
                " trailing ", "$SYS", "\u{202E}evil",
                String(String.UnicodeScalarView((1...31).compactMap(Unicode.Scalar.init))),
                "<0>forged: line", "\u{7F}\u{85}\u{2028}",
            ]
            var setup = AgentSetup()
            setup.world.devices = names.enumerated().map { .named($1, number: UInt8($0)) }
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("scan.start", #""session":"names","emit":"first""#)
                let answer = try await gateway.send("scan", #""durationMs":400"#)
                let heard = answer["result"]["devices"].list
                #expect(Set(heard.compactMap(\.["name"].text)) == Set(names))
                let topic = gateway.topic("scan/names")
                _ = try await gateway.hear("all names", count: names.count) { $0.topic == topic }
                _ = try await gateway.send("scan.stop", #""session":"names""#)
                let published = gateway.caller.all(topic).flatMap(\.json["devices"].list).compactMap(\.["name"].text)
                #expect(Set(published) == Set(names))
                for device in setup.world.devices ?? [] {
                    let answer = try await gateway.send("connect", on: device)
                    #expect(answer["status"] == "ok")
                    _ = try await gateway.send("disconnect", on: device)
                }
                // A filter may name them too.
                let filtered = try await gateway.send("scan", #""durationMs":200,"name":"a\nb""#)
                #expect(filtered["result"]["devices"].list.count == 1)
                for message in gateway.caller.all() {
                    // The one topic with bare text.
                    let isText = message.topic.hasSuffix("/avail")
                    #expect(isText || message.message.payload.isEmpty || message.json != .missing, "\(message.text)")
                    #expect(message.topic.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(message.topic)")
                    #expect(message.topic.hasPrefix("edge/v1/gw/"))
                }
                let levels = Set(gateway.caller.all(gateway.topic("dev/")).map { $0.topic.split(separator: "/")[4] })
                #expect(levels.allSatisfy { $0.count == 12 })
                let isLine = /\d{4}-\d\d-\d\dT[\d:.]+Z (debug|info|notice|warning|error) (agent|audit): .*/
                for line in gateway.agent.log.split(separator: "\n") {
                    #expect(line.wholeMatch(of: isLine) != nil, "\(line)")
                }
            }
        }

        @Test func `a session publishes what it hears until it is stopped, and its state is retained`() async throws {
            var setup = AgentSetup()
            setup.world.devices = [.battery.advertising(every: .milliseconds(20))]
            try await withAgent(setup) { gateway in
                let start = try await gateway.send("scan.start", #""session":"hall","emit":"all""#)
                #expect(start["status"] == "ok" && start["result"] == .object(["session": "hall", "already": false]))
                let started = try await gateway.hear("started", on: "scan/hall/state")
                #expect(started.message.retain && started.json["mode"] == "auto" && started.json["session"] == "hall")
                let batch = try await gateway.hear(on: "scan/hall", count: 3)
                #expect(!batch.message.retain && batch.json["dropped"] == 0 && batch.json["devices"].list.count == 1)
                #expect(
                    try await gateway.send("scan.start", #""session":"hall","emit":"first""#)["result"]["already"]
                        == true
                )
                let stop = try await gateway.send("scan.stop", #""session":"hall""#)
                #expect(stop["result"] == .object(["session": "hall", "already": false]))
                let stopped = try await gateway.hear("stopped", on: "scan/hall/state")
                #expect(stopped.json["reason"] == "command" && stopped.json["dropped"] == 0)
                #expect(try #require(stopped.json["signals"].number) >= 0)
                #expect(try await gateway.send("scan.stop", #""session":"hall""#)["result"]["already"] == true)
                let mark = gateway.caller.mark
                let one = try await gateway.send("scan", #""durationMs":100"#)
                #expect(one["result"]["devices"].list.count == 1)
                #expect(gateway.caller.all(from: mark, gateway.topic("scan/hall")).isEmpty)
                let made = try await gateway.send("scan.start", #""durationMs":100,"emit":"first""#)
                let name = try #require(made["result"]["session"].text)
                let over = try await gateway.hear("stopped", on: "scan/\(name)/state")
                #expect(over.json["reason"] == "duration")
            }
        }

        @Test func `sessions and scans share one discovery, which ends with the last of them`() async throws {
            var setup = AgentSetup()
            setup.world.devices = [
                .battery.advertising(every: .milliseconds(20)), .heart.advertising(every: .milliseconds(20)),
            ]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("scan.start", #""session":"a","services":["180d"],"emit":"first""#)
                _ = try await gateway.send("scan.start", #""session":"b","services":["180f"],"emit":"first""#)
                try await gateway.hear(on: "scan/a")
                try await gateway.hear(on: "scan/b") { $0["devices"][0]["address"].text == TestDevice.battery.hex }
                let heard = gateway.caller.all(gateway.topic("scan/a")).flatMap(\.json["devices"].list)
                #expect(heard.allSatisfy { $0["address"].text == TestDevice.heart.hex })
                #expect(await gateway.world.count(of: "StartDiscovery") == 1)
                _ = try await gateway.send("scan.stop", #""session":"a""#)
                #expect(await gateway.world.count(of: "StopDiscovery") == 0)
                _ = try await gateway.send("scan.stop", #""session":"b""#)
                await gateway.world.waitForCalls(of: "StopDiscovery")
            }
        }
    }
}
