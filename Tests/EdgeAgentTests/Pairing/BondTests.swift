import TestSupport
import Testing

extension AgentLane2 {
    /// Bonds: made, used, ended, lost.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct BondTests {
        @Test func `B43 a device pairs with nobody else's agent on the bus, over MQTT`() async throws {
            let device = TestDevice.lock()
            try await withAgent(AgentSetup(beside: device)) { gateway in
                expectError(try await gateway.send("read", Gateway.secret, on: device), "needs-pairing")
                let paired = try await gateway.send("pair", on: device)
                #expect(paired["result"] == .object(["already": false, "bonded": true]))
                try await gateway.hear(on: "dev/\(device.hex)/event") { $0["event"] == "bond" && $0["bonded"] == true }
                let read = try await gateway.send("read", Gateway.secret, on: device)
                #expect(read["result"]["value"]["hex"] == "07")
                let known = try await gateway.known()
                #expect(known["paired"] == true && known["bonded"] == true && known["trusted"] == false)
                #expect(try await gateway.send("devices", #""bonded":false"#)["result"]["devices"].list.isEmpty)
                #expect(await gateway.world.capabilities() == ["KeyboardDisplay"])
            }
        }

        @Test func `B43 the agent is registered with what is configured, and again after bluetoothd was away`()
            async throws
        {
            let device = TestDevice.lock("passkey")
            var setup = AgentSetup(beside: device)
            setup.keys = ["bluetooth.pairing.capability": "keyboard-only"]
            try await withAgent(setup) { gateway in
                await gateway.world.waitForCalls(of: "RegisterAgent")
                let mark = gateway.caller.mark
                await gateway.world.leaveBus()
                try await gateway.world.returnToBus()
                try await gateway.hear("ready", on: "bluetooth", from: mark)
                await gateway.world.waitForCalls(of: "RegisterAgent", count: 2)
                let id = try await gateway.start("pair", #""capability":"keyboard-display""#, on: device)
                let prompt = try await gateway.prompt(from: mark)
                _ = try await gateway.answer(prompt, #""passkey":42"#, on: device)
                #expect(try await gateway.result(id).json["status"] == "ok")
                await gateway.world.waitForCalls(of: "RegisterAgent", count: 4)
                let all = ["KeyboardOnly", "KeyboardOnly", "KeyboardDisplay", "KeyboardOnly"]
                #expect(await gateway.world.capabilities() == all)
            }
        }

        @Test func `B45 a device that is paired stays so, and a second pair is no second call`() async throws {
            let device = TestDevice.lock("confirm")
            try await withAgent(AgentSetup(beside: device)) { gateway in
                let ids = [
                    try await gateway.start("pair", on: device), try await gateway.start("pair", on: device),
                ]
                _ = try await gateway.answer(try await gateway.prompt(), #""accept":true"#, on: device)
                for (id, already) in zip(ids, [false, true]) {
                    let result = try await gateway.result(id).json
                    #expect(result["result"] == .object(["already": .flag(already), "bonded": true]))
                }
                #expect(await gateway.world.count(of: "Pair") == 1)
            }
        }

        @Test(arguments: ["timeout", "cancelled"])
        func `B45 a pairing that is not answered is taken back, and its device is free`(_ status: String) async throws {
            let device = TestDevice.lock("confirm")
            try await withAgent(AgentSetup(beside: device)) { gateway in
                let id = try await gateway.start("pair", status == "timeout" ? #""timeoutMs":1500"# : "", on: device)
                _ = try await gateway.prompt()
                if status == "cancelled" {
                    #expect(try await gateway.send("cancel", "\"dev\":\"\(device.hex)\"")["result"]["count"] == 1)
                }
                #expect(try await gateway.result(id).json["status"].text == status)
                _ = try await gateway.prompt("cancelled")
                await gateway.world.waitForCalls(of: "CancelPairing")
                #expect(try await gateway.send("read", Gateway.level, on: device)["status"] == "ok")
                let mark = gateway.caller.mark
                let again = try await gateway.start("pair", on: device)
                _ = try await gateway.answer(try await gateway.prompt(from: mark), #""accept":true"#, on: device)
                #expect(try await gateway.result(again).json["status"] == "ok")
            }
        }

        @Test func `a bond outlives its link, is told stale when the device has lost it, and can be made anew`()
            async throws
        {
            let device = TestDevice.lock(isBonded: true)
            try await withAgent(AgentSetup(beside: device)) { gateway in
                #expect(try await gateway.send("read", Gateway.secret, on: device)["status"] == "ok")
                _ = try await gateway.send("disconnect", on: device)
                await gateway.world.loseKeys(device)
                let stale = try await gateway.send("read", Gateway.secret, on: device)
                expectError(stale, "stale-bond", stage: "connect")
                #expect(try await gateway.send("pair", on: device)["result"]["already"] == true)
                let mark = gateway.caller.mark
                #expect(try await gateway.send("unpair", on: device)["result"]["already"] == false)
                try await gateway.hear(on: "dev/\(device.hex)/event", from: mark) {
                    $0["event"] == "bond" && $0["bonded"] == false
                }
                #expect(try await gateway.send("unpair", on: device)["result"]["already"] == true)
                #expect(try await gateway.send("pair", on: device)["result"]["already"] == false)
                #expect(try await gateway.send("read", Gateway.secret, on: device)["status"] == "ok")
                try await gateway.agent.waitForLog("Device is not paired any more")
            }
        }

        @Test func `a device is trusted or not, and its result says whether that is new`() async throws {
            let device = TestDevice.lock(isBonded: true)
            try await withAgent(AgentSetup(beside: device)) { gateway in
                for (trusted, already) in [(true, false), (true, true), (false, false)] {
                    let result = try await gateway.send("trust", "\"trusted\":\(trusted)", on: device)
                    #expect(result["result"] == .object(["already": .flag(already)]))
                    #expect(try await gateway.known()["trusted"] == .flag(trusted))
                }
                let stranger = TestDevice.named("nobody", number: 9)
                let result = try await gateway.send("trust", #""trusted":true"#, on: stranger)
                #expect(result["error"]["code"] == "not-in-range")
            }
        }

        @Test func `a pairing goes on after the end of the agent with a prompt of its own, and ends in its one result`()
            async throws
        {
            let device = TestDevice.lock("confirm")
            let state = try makeTemporaryDirectory()
            defer { removeTemporaryDirectory(state) }
            var setup = AgentSetup(beside: device)
            setup.keys = ["stateDir": state]
            try await withAgent(setup) { gateway in
                let id = try await gateway.start("pair", on: device)
                let prompt = try await gateway.prompt()
                _ = try await gateway.stop(9)
                let mark = gateway.caller.mark
                let next = try await startAgent(setup, gateway.world, gateway.broker, gateway.caller)
                try await next.hear("ready", on: "bluetooth", from: mark)
                let new = try await next.prompt(from: mark)
                #expect(new["prompt"] != prompt["prompt"])
                let late = try await next.answer(prompt, #""accept":true"#, on: device)
                expectError(late, "bad-request", status: "rejected", stage: "agent")
                #expect(try await next.answer(new, #""accept":true"#, on: device)["status"] == "ok")
                #expect(try await next.result(id).json["result"]["bonded"] == true)
                #expect(try await next.stop() == 0)
                let final = gateway.caller.all(gateway.topic("res/test/\(id)")).filter { $0.json["final"] == true }
                #expect(final.count == 1)
            }
        }

        @Test func `a device that is forgotten leaves no bond, no subscription and nothing retained`() async throws {
            let device = TestDevice.lock(isBonded: true)
            let state = try makeTemporaryDirectory()
            defer { removeTemporaryDirectory(state) }
            var setup = AgentSetup(beside: device)
            setup.keys = ["stateDir": state]
            try await withAgent(setup) { gateway in
                let fields = Gateway.level + #","durable":true,"retainLast":true"#
                #expect(try await gateway.send("subscribe", fields, on: device)["warnings"] == .missing)
                await gateway.world.notify(device, "2a19", [50])
                let below = gateway.topic(device, "")
                _ = try await gateway.hear("a value") { $0.topic == below + "notify/180f/2a19" }
                #expect(try await gateway.send("discover", on: device)["status"] == "ok")
                #expect(try await gateway.retained().keys.contains { $0.hasPrefix(below) })
                let forgotten = try await gateway.send("forget", on: device)
                #expect(forgotten["status"] == "ok" && forgotten["result"]["already"] == false)
                #expect(forgotten["warnings"] == .missing)
                #expect(try await gateway.retained().keys.contains { $0.hasPrefix(below) } == false)
                #expect(await gateway.world.isConnected(device) == false)
                #expect(try await gateway.send("devices", #""bonded":true"#)["result"]["devices"].list.isEmpty)
                let calls = await gateway.world.count(of: "Connect")
                #expect(try await gateway.send("unsubscribe", Gateway.level, on: device)["result"]["already"] == true)
                // The next start knows nothing of it either.
                _ = try await gateway.stop(9)
                let mark = gateway.caller.mark
                let next = try await startAgent(setup, gateway.world, gateway.broker, gateway.caller)
                try await next.hear("ready", on: "bluetooth", from: mark)
                #expect(try await next.send("unsubscribe", Gateway.level, on: device)["result"]["already"] == true)
                #expect(await gateway.world.count(of: "Connect") == calls)
                #expect(try await next.stop() == 0)
            }
        }
    }
}
