import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// The policies of links with the live agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct KeepTests {
        private func setup(_ keys: [String: String] = [:], _ link: String? = nil) -> AgentSetup {
            var setup = AgentSetup()
            setup.world.devices = [.battery, .heart]
            setup.keys = ["links.reconnectMinMs": "100", "links.reconnectMaxMs": "400"]
            setup.keys.merge(keys) { $1 }
            setup.aliases = [("cell", .battery)]
            setup.link = link
            return setup
        }

        private func link(_ gateway: Gateway, _ state: String, from mark: Int = 0, count: Int = 1) async throws -> Json
        {
            try await gateway.hear(on: "dev/cell/link", from: mark, count: count) { $0["state"].text == state }.json
        }

        @Test func `a link that is to be kept is made by itself, made again, and not dropped when idle`() async throws {
            try await withAgent(setup(["links.idleMs": "50"], "policy: keep")) { gateway in
                #expect(try await link(gateway, "resolved")["owner"] == "self")
                for _ in 1...3 {
                    let mark = gateway.caller.mark
                    await gateway.world.dropLink(.battery)
                    let down = try await link(gateway, "disconnected", from: mark)
                    #expect(try #require(down["nextTryMs"].number) > 0 && down["attempt"] == 1, "\(down)")
                    #expect(try await link(gateway, "resolved", from: mark)["nextTryMs"] == .missing)
                }
                // Another device's link is dropped in the meantime, by its own rule.
                _ = try await gateway.send("connect", on: .heart)
                try await gateway.hear("disconnected", on: "dev/\(TestDevice.heart.hex)/link")
                #expect(await gateway.world.isConnected(.battery))
            }
        }

        @Test func `disconnect ends the keeping until the next connect`() async throws {
            try await withAgent(setup([:], "policy: keep")) { gateway in
                _ = try await link(gateway, "resolved")
                _ = try await gateway.send("disconnect", on: .battery)
                let down = try await link(gateway, "disconnected")
                #expect(down["reason"] == "local" && down["nextTryMs"] == .missing)
                let connects = await gateway.world.count(of: "Connect")
                // Longer than any gap.
                _ = try await gateway.send("scan", #""durationMs":800"#)
                #expect(await gateway.world.count(of: "Connect") == connects)
                _ = try await gateway.send("connect", on: .battery)
                let mark = gateway.caller.mark
                await gateway.world.dropLink(.battery)
                _ = try await link(gateway, "resolved", from: mark)
            }
        }

        @Test func `a disconnect behind a job that makes a link ends the keeping all the same`() async throws {
            try await withAgent(setup([:], "policy: keep")) { gateway in
                _ = try await link(gateway, "resolved")
                let mark = gateway.caller.mark
                await gateway.world.dropLink(.battery)
                // A read that comes before the agent knows of it would end with the link.
                _ = try await link(gateway, "disconnected", from: mark)
                let read = try await gateway.start("read", Gateway.level, on: .battery)
                let end = try await gateway.start("disconnect", on: .battery)
                #expect(try await gateway.result(read).json["status"] == "ok")
                #expect(try await gateway.result(end).json["status"] == "ok")
                _ = try await gateway.send("scan", #""durationMs":800"#)
                #expect(await !gateway.world.isConnected(.battery))
            }
        }

        @Test func `a command sets the policy, and takes it back`() async throws {
            try await withAgent(setup(["links.idleMs": "50"])) { gateway in
                let keep = #""link":{"policy":"keep"}"#
                #expect(try await gateway.send("connect", keep, on: .battery)["status"] == "ok")
                var mark = gateway.caller.mark
                await gateway.world.dropLink(.battery)
                _ = try await link(gateway, "resolved", from: mark)
                mark = gateway.caller.mark
                #expect(try await gateway.send("connect", #""link":{}"#, on: .battery)["result"]["already"] == true)
                #expect(try await link(gateway, "disconnected", from: mark)["reason"] == "local")
                // What fails says nothing of the link from then on.
                await gateway.world.setReachable(false, .battery)
                let failed = try await gateway.send("connect", keep + #","timeoutMs":600"#, on: .battery)
                #expect(failed["status"] != "ok" && failed["applied"] == "no", "\(failed)")
                let connects = await gateway.world.count(of: "Connect")
                _ = try await gateway.send("scan", #""durationMs":600"#)
                #expect(await gateway.world.count(of: "Connect") == connects)
            }
        }

        @Test func `after maxAttempts it is given up, and a job that reaches the device begins anew`() async throws {
            try await withAgent(setup([:], "{policy: keep, maxAttempts: 2}")) { gateway in
                _ = try await link(gateway, "resolved")
                await gateway.world.setReachable(false, .battery)
                try await gateway.agent.waitForLog("Link is not tried any more")
                let last = try await gateway.hear(on: "dev/cell/link") { $0["reason"] == "max-attempts" }.json
                #expect(last["state"] == "disconnected" && last["nextTryMs"] == .missing && last["attempt"] == 2)
                await gateway.world.setReachable(true, .battery)
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                let mark = gateway.caller.mark
                await gateway.world.dropLink(.battery)
                _ = try await link(gateway, "resolved", from: mark)
            }
        }

        @Test func `a device that comes back is tried when it is heard, long before its time`() async throws {
            let keys = ["links.reconnectMinMs": "5000", "links.reconnectMaxMs": "600000"]
            try await withAgent(setup(keys, "policy: keep")) { gateway in
                _ = try await link(gateway, "resolved")
                await gateway.world.setReachable(false, .battery)
                // Gaps of 5 and 10 s with a try after each, then one of 20 s; heard again after 10 s of silence.
                let failed = try await gateway.hear(on: "dev/cell/link") {
                    $0["attempt"] == 3 && $0["nextTryMs"] != .missing
                }
                let nextTry = try #require(failed.json["nextTryMs"].number)
                let begin = ContinuousClock.now
                #expect(nextTry > 14_000)
                #expect(try await gateway.send("info")["status"] == "ok")
                _ = try await gateway.send("scan", #""durationMs":10300"#)
                await gateway.world.setReachable(true, .battery)
                _ = try await link(gateway, "resolved", from: failed.number)
                #expect(ContinuousClock.now - begin < .milliseconds(nextTry - 500))
            }
        }

        @Test func `without a free slot it waits, and no job has to`() async throws {
            try await withAgent(setup(["links.max": "1"], "policy: keep")) { gateway in
                _ = try await link(gateway, "resolved")
                _ = try await gateway.send("scan", #""durationMs":300"#)
                // The one slot goes to another program.
                try await gateway.world.connectAsStranger(.heart)
                let mark = gateway.caller.mark
                await gateway.world.dropLink(.battery)
                _ = try await gateway.hear(on: "dev/cell/link", from: mark, count: 2) {
                    $0["state"] == "disconnected" && $0["nextTryMs"] != .missing
                }
                #expect(await !gateway.world.isConnected(.battery))
                await gateway.world.dropLink(.heart)
                _ = try await link(gateway, "resolved", from: mark)
            }
        }

        @Test func `with never there is no link, unless another program has one or a connect says otherwise`()
            async throws
        {
            try await withAgent(setup([:], "policy: never")) { gateway in
                for (verb, fields) in [("connect", ""), ("read", Gateway.level), ("discover", "")] {
                    let denied = try await gateway.send(verb, fields, on: .battery)
                    #expect(denied["status"] == "rejected" && denied["error"]["code"] == "denied", "\(denied)")
                    #expect(denied["error"]["detail"] == "links.policy: no link is made to this device")
                }
                #expect(await gateway.world.count(of: "Connect") == 0)
                _ = try await gateway.send("scan", #""durationMs":300"#)
                #expect(try await gateway.send("disconnect", on: .battery)["result"]["already"] == true)
                try await gateway.world.connectAsStranger(.battery)
                #expect(try await link(gateway, "resolved")["owner"] == "other")
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                await gateway.world.dropLink(.battery)
                _ = try await link(gateway, "disconnected")
                let wanted = try await gateway.send("connect", #""link":{"policy":"onDemand"}"#, on: .battery)
                #expect(wanted["status"] == "ok")
                _ = try await gateway.send("disconnect", #""link":{"policy":"never"}"#, on: .battery)
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["error"]["code"] == "denied")
            }
        }

        @Test func `connect and never do not go together`() async throws {
            try await withAgent(setup()) { gateway in
                let answer = try await gateway.send("connect", #""link":{"policy":"never"}"#, on: .battery)
                #expect(
                    answer["error"]["code"] == "bad-request"
                        && answer["error"]["detail"].text?.contains("link.policy") == true
                )
            }
        }

        @Test func `bluetoothd returns, and so do all links that are kept`() async throws {
            try await withAgent(setup([:], "policy: keep")) { gateway in
                _ = try await link(gateway, "resolved")
                let mark = gateway.caller.mark
                await gateway.world.leaveBus()
                try await gateway.hear("absent", on: "bluetooth", from: mark)
                try await gateway.world.returnToBus()
                _ = try await link(gateway, "resolved", from: mark)
            }
        }

        @Test func `a device is online while it has a link or is heard, and offline after its interval`() async throws {
            var setup = setup()
            setup.interval = 1000
            try await withAgent(setup) { gateway in
                let topic = gateway.topic("dev/cell/avail")
                func word(_ text: String, from mark: Int = 0) async throws -> Int {
                    try await gateway.hear("\(text) on \(topic)", from: mark) { $0.topic == topic && $0.text == text }
                        .number
                }
                let first = try await word("offline")
                _ = try await gateway.send("connect", on: .battery)
                let up = try await word("online", from: first)
                _ = try await gateway.send("disconnect", on: .battery)
                let down = try await word("offline", from: up)
                _ = try await gateway.send("scan", #""durationMs":2500"#)
                let heard = try await word("online", from: down)
                _ = try await word("offline", from: heard)
                // While it was heard, longer than its interval, it did not go.
                let words = gateway.caller.all(from: down + 1).filter { $0.topic == topic }.map(\.text)
                #expect(words == ["online", "offline"])
                #expect(try await gateway.retained().keys.contains(topic))
            }
        }
    }
}
