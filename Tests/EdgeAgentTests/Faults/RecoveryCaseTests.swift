import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// What the agent does about links that do not come to be, adapters that do not work, and a bluetoothd that hangs.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RecoveryCaseTests {
        private static let value = #""service":"ffe0","characteristic":"ffe1""#

        private func with(
            _ scenario: String,
            keys: [String: String] = [:],
            _ body: (Gateway) async throws -> Void
        ) async throws {
            var setup = try AgentSetup(scenario: scenario)
            setup.keys = keys
            try await withAgent(setup, body)
        }

        /// The steps that were told of the device, in order.
        private func steps(_ gateway: Gateway, from mark: Int = 0) -> [String] {
            gateway.caller.all(from: mark, gateway.topic(.thing, "event")).filter { $0.json["event"] == "recovery" }
                .compactMap { $0.json["step"].text }
        }

        /// How often a step was taken, as health has told it.
        private func counts(_ gateway: Gateway, _ step: String) -> [Json] {
            gateway.caller.all(gateway.topic("health")).map { $0.json["recoveries"][step] }
        }

        @Test func `B13: an attempt in progress that lasts is given up by Disconnect, then the link is made`()
            async throws
        {
            try await with("B13-disconnect") { gateway in
                let answer = try await gateway.send("connect", on: .thing)
                #expect(answer["status"] == "ok", "\(answer)")
                let order = await gateway.world.order(of: ["Connect", "Disconnect", "RemoveDevice"])
                #expect(order.map { String($0.prefix(7)) } == ["Connect", "Connect", "Connect", "Disconn", "Connect"])
                // Not before it has lasted.
                let connects = await gateway.world.times(of: "Connect")
                #expect(connects[2] - connects[0] >= .milliseconds(2500))
                let health = try await gateway.hear(on: "health") { $0["recoveries"]["cancel-connect"] == 1 }
                #expect(health.json["recoveries"]["remove-device"] == 0 && health.json["lastRecovery"].text != nil)
                #expect(steps(gateway) == ["cancel-connect"])
                let topic = "dev/\(TestDevice.thing.hex)/event"
                let event = try await gateway.hear(on: topic) { $0["event"] == "recovery" }
                #expect(event.json["reason"] == "connect-in-progress" && event.json["adapter"] == "hci0")
            }
        }

        @Test func `B13: where that does not help the device is removed, found again and connected`() async throws {
            try await with("B13-remove") { gateway in
                let answer = try await gateway.send("read", Self.value, on: .thing)
                #expect(answer["status"] == "ok", "\(answer)")
                #expect(await gateway.world.count(of: "RemoveDevice") == 1)
                #expect(steps(gateway) == ["cancel-connect", "remove-device"])
            }
        }

        @Test(arguments: [("B13-bonded", [:]), ("B13-remove", ["recovery.removeDevice": "false"])])
        func `B13: a bonded device is never removed, and the tries end in time with a clear error`(
            _ scenario: String,
            _ keys: [String: String]
        ) async throws {
            try await with(scenario, keys: keys) { gateway in
                let answer = try await gateway.send("connect", #""timeoutMs":6000"#, on: .thing)
                #expect(answer["status"] == "timeout" && answer["error"]["code"] == "connect-timeout", "\(answer)")
                #expect(answer["error"]["dbus"] == "org.bluez.Error.InProgress")
                #expect(await gateway.world.count(of: "RemoveDevice") == 0)
                #expect(Set(steps(gateway)) == ["cancel-connect"])
                // Bounded: no storm of calls.
                #expect(await gateway.world.count(of: "Connect") <= 8)
                #expect(await gateway.world.count(of: "Disconnect") <= 4)
            }
        }

        @Test func `B13: an agent that was killed in the middle of a connect makes the link in its next life`()
            async throws
        {
            let setup = try AgentSetup(scenario: "B13-disconnect")
            try await withAgentWorld(setup.world) { world in
                try await withBroker { broker in
                    try await withCaller(port: broker.port, version: .v5) { caller in
                        try await caller.listen(to: setup.hears)
                        await world.enable("hang")
                        let first = try await startAgent(setup, world, broker, caller)
                        try await first.subscribed()
                        try await first.hear("ready", on: "bluetooth")
                        try await first.start("connect", on: .thing)
                        await world.waitForCalls(of: "Connect")
                        _ = try await first.stop(9)
                        let mark = caller.mark
                        let second = try await startAgent(setup, world, broker, caller)
                        try await second.subscribed()
                        try await second.hear("ready", on: "bluetooth", from: mark)
                        let answer = try await second.send("connect", on: .thing)
                        #expect(answer["status"] == "ok", "\(answer)")
                        #expect(await world.isConnected(.thing))
                        _ = try await second.stop(9)
                    }
                }
            }
        }

        @Test func `an adapter through which nobody can be connected is switched off and on, and commands go on`()
            async throws
        {
            try await with("recovery") { gateway in
                _ = try await gateway.send("scan.start", #""session":"all","emit":"all""#)
                let fields = #""timeoutMs":40000"#
                let one = try await gateway.start("connect", fields, on: .thing)
                let two = try await gateway.start("connect", fields, on: .battery)
                #expect(try await gateway.result(one).json["status"] == "ok")
                #expect(try await gateway.result(two).json["status"] == "ok")
                let health = try await gateway.hear(on: "health") { $0["recoveries"]["power-cycle"] == 1 }
                #expect(health.json["recoveries"]["scan-restart"] == 1)
                let told = try await gateway.hear(on: "adapter/hci0") { $0["recovery"]["step"] == "power-cycle" }
                #expect(told.json["recovery"]["reason"] == "connects-fail")
                // Nobody is told that Bluetooth was off: whoever came meanwhile has waited.
                #expect(gateway.caller.all(gateway.topic("bluetooth")).count == 1)
            }
        }

        @Test(arguments: ["a link stands", "it is not allowed"])
        func `an adapter is not switched off`(while reason: String) async throws {
            let keys = reason == "a link stands" ? [:] : ["recovery.powerCycle": "false"]
            try await with("recovery", keys: keys) { gateway in
                if keys.isEmpty { _ = try await gateway.send("connect", on: .heart) }
                _ = try await gateway.send("scan.start", #""session":"all","emit":"all""#)
                let fields = #""timeoutMs":12000"#
                let one = try await gateway.start("connect", fields, on: .thing)
                let two = try await gateway.start("connect", fields, on: .battery)
                for id in [one, two] { #expect(try await gateway.result(id).json["status"] != "ok") }
                // Where a link stands the adapter is not suspected at all.
                if keys.isEmpty {
                    #expect(steps(gateway).first == "disconnect")
                } else {
                    try await gateway.hear(on: "health") { $0["recoveries"]["scan-restart"] == 1 }
                    #expect(steps(gateway).isEmpty)
                }
                #expect(counts(gateway, "power-cycle").allSatisfy { $0 == 0 })
                #expect(await gateway.world.count(of: "Set") == 0)
            }
        }

        @Test func `a scanner that stays quiet is at last switched off and on, then the helper is run`() async throws {
            let keys = [
                "bluetooth.scanSilenceMs": "1000",
                "recovery.helper": #"[/bin/sh, -c, 'echo "$EDGE_AGENT_ADAPTER $EDGE_AGENT_STEP $EDGE_AGENT_REASON"']"#,
            ]
            try await with("recovery", keys: keys) { gateway in
                _ = try await gateway.send("scan.start", #""session":"all","emit":"all""#)
                try await gateway.hear(on: "scan/all")
                try await gateway.world.trigger("silence")
                // After 1, 2 and 4 s, 8 s, and 16 s.
                try await gateway.hear(on: "health") { $0["recoveries"]["power-cycle"] == 1 }
                let health = try await gateway.hear(on: "health") { $0["recoveries"]["helper"] == 1 }
                #expect(health.json["recoveries"]["scan-restart"] == 3)
                try await within("the helper") {
                    try await gateway.agent.waitForLog("Recovery helper has run", count: 1)
                }
                #expect(gateway.agent.log.contains("hci0 helper scanner-silent"))
            }
        }

        @Test func `a bluetoothd that answers is not suspected for the sake of devices that hang`() async throws {
            try await with("B15-silent", keys: ["bluetooth.settleMs": "1000"]) { gateway in
                for device in [TestDevice.thing, .second, .third] {
                    try await gateway.start("connect", #""timeoutMs":200"#, on: device)
                }
                try await gateway.hear("not-responding", on: "bluetooth")
                try await within("the question whether it is alive") {
                    await gateway.world.waitForCalls(of: "Get")
                }
                #expect(counts(gateway, "bus-reconnect").allSatisfy { $0 == 0 })
            }
        }

        @Test func `a bluetoothd that hangs is asked anew over another connection to the bus`() async throws {
            try await with("hang", keys: ["bluetooth.settleMs": "1000"]) { gateway in
                _ = try await gateway.send("connect", on: .thing)
                try await gateway.world.trigger("hang")
                try await gateway.start("read", Self.value + #","timeoutMs":200"#, on: .thing)
                for device in [TestDevice.second, .third] {
                    try await gateway.start("connect", #""timeoutMs":200"#, on: device)
                }
                try await gateway.hear("not-responding", on: "bluetooth")
                let health = try await gateway.hear(on: "health") { $0["recoveries"]["bus-reconnect"] == 1 }
                let mark = health.number
                await gateway.world.clearFaults()
                try await gateway.hear("ready", on: "bluetooth", from: mark)
                #expect(try await gateway.send("read", Self.value, on: .thing)["status"] == "ok")
            }
        }
    }
}
