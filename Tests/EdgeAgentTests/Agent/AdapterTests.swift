import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// Several adapters: which one is used for what, and what becomes of one that goes and comes.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct AdapterTests {
        private static let value = #""service":"ffe0","characteristic":"ffe1""#
        private static let first = #""adapter":"hci0""#
        private static let second = #""adapter":"hci1""#

        private func with(
            _ keys: [String: String] = [:],
            link: String? = nil,
            _ body: (Gateway) async throws -> Void
        ) async throws {
            var setup = try AgentSetup(scenario: "two-adapters")
            setup.keys = keys.merging(["links.reconnectMinMs": "100", "links.reconnectMaxMs": "400"]) { own, _ in own }
            if link != nil { setup.aliases = [("door", .thing)] }
            setup.link = link
            try await withAgent(setup, body)
        }

        /// Has both adapters hear the device.
        private func hear(_ gateway: Gateway) async throws {
            _ = try await gateway.send("scan.start", #""session":"hear","emit":"all""#)
            let session = gateway.topic("scan/hear")
            for name in ["hci0", "hci1"] {
                _ = try await gateway.hear("the device through \(name)") { message in
                    message.topic == session
                        && message.json["devices"].list.contains {
                            $0["adapter"].text == name && $0["dev"].text == gateway.name(of: .thing)
                        }
                }
            }
        }

        @Test func `discovery runs on all adapters, and each is told`() async throws {
            try await with { gateway in
                try await hear(gateway)
                let paths = Set(await gateway.world.paths(of: "StartDiscovery"))
                #expect(paths == ["/org/bluez/hci0", "/org/bluez/hci1"])
                for name in ["hci0", "hci1"] {
                    try await gateway.hear(on: "adapter/\(name)") { $0["discovering"] == true }
                }
                // What is asked of one adapter is what that one heard.
                let weak = try await gateway.send("rssi", Self.first, on: .thing)["result"]["rssi"].number
                let strong = try await gateway.send("rssi", Self.second, on: .thing)["result"]["rssi"].number
                #expect(weak.map { $0 < -70 } == true && strong.map { $0 > -60 } == true)
                // One that names an adapter hears through that alone.
                let scan = try await gateway.send("scan", #"\#(Self.first),"durationMs":400"#)
                let heard = scan["result"]["devices"].list.map { $0["adapter"].text }
                #expect(heard.count == 2 && heard.allSatisfy { $0 == "hci0" }, "\(scan)")
            }
        }

        @Test func `only the configured adapters are used, by name or by address`() async throws {
            for adapter in ["hci1", "\"00:1A:7D:DA:71:11\""] {
                try await with(["bluetooth.adapter": adapter]) { gateway in
                    let scan = try await gateway.send("scan", #""durationMs":400"#)
                    #expect(scan["result"]["devices"].list.map { $0["adapter"].text } == ["hci1"], "\(scan)")
                    #expect(Set(await gateway.world.paths(of: "StartDiscovery")) == ["/org/bluez/hci1"])
                    let refused = try await gateway.send("read", "\(Self.value),\(Self.first)", on: .thing)
                    #expect(refused["error"]["code"] == "adapter-missing", "\(refused)")
                    let power = try await gateway.send("adapter.power", #"\#(Self.first),"on":false"#)
                    #expect(power["error"]["code"] == "adapter-missing", "\(power)")
                }
            }
        }

        @Test func `the adapter that hears a device best makes the link, unless a command names another`() async throws
        {
            try await with { gateway in
                try await hear(gateway)
                #expect(try await gateway.send("read", Self.value, on: .thing)["status"] == "ok")
                #expect(await gateway.world.isConnected(.thing, adapter: 1))
                let link = gateway.topic(.thing, "link")
                _ = try await gateway.hear("the link") { $0.topic == link && $0.json["adapter"] == "hci1" }
                // It goes where the command wants it.
                let mark = gateway.caller.mark
                let moved = try await gateway.send("connect", Self.first, on: .thing)
                #expect(moved["status"] == "ok" && moved["result"]["already"] == false, "\(moved)")
                #expect(await gateway.world.isConnected(.thing, adapter: 0))
                #expect(await !gateway.world.isConnected(.thing, adapter: 1))
                _ = try await gateway.hear("the link", from: mark) { $0.topic == link && $0.json["adapter"] == "hci0" }
                // With what was subscribed.
                #expect(try await gateway.send("subscribe", Self.value, on: .thing)["status"] == "ok")
                let back = gateway.caller.mark
                let again = try await gateway.send("connect", Self.second, on: .thing)
                #expect(again["status"] == "ok", "\(again)")
                let event = gateway.topic(.thing, "event")
                _ = try await gateway.hear("the subscription", from: back) {
                    $0.topic == event && $0.json["event"] == "subscription-restored"
                }
                #expect(await gateway.world.isSubscribed(.thing, "ffe1", adapter: 1))
                #expect(await !gateway.world.isSubscribed(.thing, "ffe1"))
                #expect(try await gateway.send("unsubscribe", Self.value, on: .thing)["status"] == "ok")
                #expect(try await gateway.send("connect", Self.first, on: .thing)["status"] == "ok")
                // From now on the one that has the link is used.
                #expect(try await gateway.send("read", Self.value, on: .thing)["status"] == "ok")
                let reads = await gateway.world.paths(of: "ReadValue")
                #expect(reads.map { String($0.prefix(15)) } == ["/org/bluez/hci1", "/org/bluez/hci0"])
                let other = try await gateway.send("disconnect", Self.second, on: .thing)
                #expect(other["result"]["already"] == true, "\(other)")
                #expect(try await gateway.send("disconnect", Self.first, on: .thing)["result"]["already"] == false)
            }
        }

        @Test func `an adapter that is not there, or off, is refused by its name`() async throws {
            try await with { gateway in
                for (verb, fields) in [("read", Self.value), ("rssi", ""), ("pair", ""), ("subscribe", Self.value)] {
                    let more = fields.isEmpty ? "" : "\(fields),"
                    let answer = try await gateway.send(verb, more + #""adapter":"hci7""#, on: .thing)
                    #expect(answer["error"]["code"] == "adapter-missing", "\(answer)")
                }
                for (verb, fields) in [("scan", ""), ("scan.start", ""), ("adapter.power", #""on":true,"#)] {
                    let answer = try await gateway.send(verb, fields + #""adapter":"hci7""#)
                    #expect(answer["error"]["code"] == "adapter-missing", "\(answer)")
                }
                #expect(try await gateway.send("adapter.power", #"\#(Self.second),"on":false"#)["status"] == "ok")
                try await gateway.hear(on: "adapter/hci1") { $0["powered"] == false }
                let off = try await gateway.send("connect", Self.second, on: .thing)
                #expect(off["error"]["code"] == "adapter-off", "\(off)")
                // The other one goes on.
                let read = try await gateway.send("read", Self.value, on: .thing)
                #expect(read["status"] == "ok", "\(read)")
                #expect(await gateway.world.isConnected(.thing, adapter: 0))
            }
        }

        @Test func `a device known through two adapters is one device with one queue`() async throws {
            try await with { gateway in
                try await hear(gateway)
                let one = try await gateway.start("read", "\(Self.value),\(Self.first)", on: .thing)
                let two = try await gateway.start("read", "\(Self.value),\(Self.second)", on: .thing)
                #expect(try await gateway.result(one).json["status"] == "ok")
                #expect(try await gateway.result(two).json["status"] == "ok")
                let order = await gateway.world.paths(of: "Connect").map { String($0.prefix(15)) }
                #expect(order == ["/org/bluez/hci0", "/org/bluez/hci1"])
                #expect(await !gateway.world.isConnected(.thing, adapter: 0))
                let known = try await gateway.send("devices", "")["result"]["devices"].list
                #expect(known.count { $0["address"].text == TestDevice.thing.hex } == 1)
                #expect(try await gateway.send("forget", "", on: .thing)["result"]["already"] == false)
                #expect(await gateway.world.count(of: "RemoveDevice") == 2)
            }
        }

        @Test func `an adapter that comes back under another number is the same one`() async throws {
            try await with(
                ["bluetooth.adapter": "\"hci1\"", "links.max": "1"],
                link: "policy: keep"
            ) { gateway in
                try await gateway.hear("resolved", on: "dev/door/link")
                #expect(try await gateway.send("subscribe", Self.value, on: .thing)["status"] == "ok")
                var mark = gateway.caller.mark
                try await gateway.world.trigger("pull")
                try await gateway.hear("no-adapter", on: "bluetooth", from: mark)
                let topic = gateway.topic("adapter/hci1")
                _ = try await gateway.hear("the end of hci1", from: mark) {
                    $0.topic == topic && $0.message.payload.isEmpty
                }
                mark = gateway.caller.mark
                try await gateway.world.trigger("back")
                try await gateway.hear("ready", on: "bluetooth", from: mark)
                let link = try await gateway.hear("resolved", on: "dev/door/link", from: mark)
                #expect(link.json["adapter"] == "hci4")
                let there = try await gateway.hear(on: "adapter/hci4", from: mark) { $0["links"]["used"] == 1 }
                #expect(there.json["links"]["max"] == 1 && there.json["address"] == "001a7dda7111")
                try await gateway.hear(on: "dev/door/event", from: mark) { $0["event"] == "subscription-restored" }
                #expect(await gateway.world.isSubscribed(.thing, "ffe1", adapter: 4))
                #expect(try await gateway.retained()[topic] == nil)
            }
        }

        @Test func `while one adapter is away its devices are reached through the other`() async throws {
            try await with([:], link: "policy: keep") { gateway in
                let first = try await gateway.hear("resolved", on: "dev/door/link")
                let mark = gateway.caller.mark
                // Whichever heard it first, or better.
                let isFirst = first.json["adapter"] == "hci0"
                try await gateway.world.trigger(isFirst ? "pullFirst" : "pull")
                let link = try await gateway.hear("resolved", on: "dev/door/link", from: mark)
                #expect(link.json["adapter"].text == (isFirst ? "hci1" : "hci0"))
                #expect(gateway.caller.all(from: mark, gateway.topic("bluetooth")).isEmpty)
            }
        }
    }
}
