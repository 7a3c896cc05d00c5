import TestSupport
import Testing

extension AgentLane2 {
    /// Devices that begin to pair, and devices whose address changes.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct PairingWindowTests {
        @Test func `a device that begins to pair is refused, but for a time after somebody has said so`() async throws {
            let device = TestDevice.lock("confirm")
            try await withAgent(AgentSetup(beside: device)) { gateway in
                _ = try await gateway.send("connect", on: device)
                await gateway.world.askForPairing(device)
                try await gateway.settle()
                #expect(gateway.caller.all(gateway.topic("pair")).isEmpty)
                let closed = try await gateway.send("pair", #""windowMs":0"#)
                #expect(closed["result"] == .object(["already": true, "windowEnds": nil]))

                let open = try await gateway.send("pair", #""windowMs":60000"#)
                #expect(open["status"] == "ok" && open["result"]["already"] == false)
                #expect(open["result"]["windowEnds"].text?.isEmpty == false)
                let health = try await gateway.hear(on: "health") { $0["pairing"]["windowEnds"].text != nil }
                #expect(health.json["pairing"]["windowEnds"] == open["result"]["windowEnds"])
                await gateway.world.waitForCalls(of: "RequestDefaultAgent")
                await gateway.world.askForPairing(device)
                let prompt = try await gateway.prompt()
                #expect(try await gateway.answer(prompt, #""accept":true"#, on: device)["status"] == "ok")
                try await gateway.hear(on: "dev/\(device.hex)/event") { $0["event"] == "bond" && $0["bonded"] == true }
                let again = try await gateway.send("pair", #""windowMs":0"#)
                #expect(again["result"] == .object(["already": false, "windowEnds": nil]))
            }
        }

        @Test func `a window closes by itself, and open prompts with it`() async throws {
            let device = TestDevice.lock("confirm")
            try await withAgent(AgentSetup(beside: device)) { gateway in
                _ = try await gateway.send("connect", on: device)
                let mark = gateway.caller.mark
                _ = try await gateway.send("pair", #""windowMs":1500"#)
                await gateway.world.askForPairing(device)
                _ = try await gateway.prompt()
                _ = try await gateway.prompt("cancelled")
                try await gateway.hear(on: "health", from: mark, count: 2) { $0["pairing"].keys.contains("windowEnds") }
                let known = try await gateway.known()
                #expect(known["paired"] == false)
            }
        }

        @Test(arguments: [
            (#""windowMs":300001"#, "windowMs: expected a whole number from 0 to 300000"),
            ("", "windowMs: expected a whole number from 0 to 300000, or publish the command on a device's topic"),
            (#""windowMs":1000,"capability":"display-only""#, "capability: is for the pairing of a device"),
        ])
        func `a window that does not fit is refused`(_ fields: String, _ problem: String) async throws {
            try await withAgent { gateway in
                let refused = try await gateway.send("pair", fields)
                expectError(refused, "bad-request", status: "rejected", stage: "agent")
                #expect(refused["error"]["detail"].text?.hasPrefix(problem) == true, "\(refused)")
            }
        }

        @Test func `a device with a private address has one name and one queue`() async throws {
            let device = TestDevice.lock("confirm", address: "70:81:94:0D:FB:AA")
            let identity = TestDevice.lock(address: "C0:5A:00:00:00:77")
            var setup = AgentSetup(beside: device)
            setup.files = ["keys": "C0:5A:00:00:00:77 ec0234a357c8ad05341010a60a397d9b\n"]
            setup.keys = ["bluetooth.identityKeysFile": "\"@/keys\""]
            setup.aliases = [("phone", identity)]
            try await withAgent(setup) { gateway in
                // One job holds the device under its name, the other one waits although it names the address.
                let pair = try await gateway.start("pair", on: identity)
                let prompt = try await gateway.prompt()
                #expect(prompt["dev"] == "phone" && prompt["address"].text == identity.hex)
                let read = try await gateway.start("read", Gateway.secret, on: device)
                let jobs = try await gateway.send("jobs", "\"dev\":\"\(device.hex)\"")["result"]["jobs"]
                #expect(jobs.list.map { $0["state"].text } == ["running", "waiting"])
                #expect(jobs.list.allSatisfy { $0["dev"] == "phone" })
                #expect(try await gateway.answer(prompt, #""accept":true"#, on: device)["status"] == "ok")
                #expect(try await gateway.result(pair).json["status"] == "ok")
                let result = try await gateway.result(read).json
                #expect(result["status"] == "ok" && result["dev"] == "phone" && result["address"].text == identity.hex)
                let known = try await gateway.known()
                #expect(known["dev"] == "phone" && known["via"].text == device.hex)
                // While it has a link it is silent.
                _ = try await gateway.send("disconnect", on: device)
                let scan = try await gateway.send("scan", #""durationMs":1000,"addresses":["c05a00000077"]"#)
                #expect(scan["result"]["devices"][0]["via"].text == device.hex)
            }
        }
    }
}
