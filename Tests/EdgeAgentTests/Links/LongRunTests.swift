import BlueZSimulator
import MQTT
import TestSupport
import Testing

extension AgentLane1 {
    /// What people have reported of gateways that ran for long, in a shorter time.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct LongRunTests {
        private static let value = #""service":"fff0","characteristic":"fff6""#

        private func residentBytes(_ gateway: Gateway) async throws -> Double {
            let mark = gateway.caller.mark
            return try #require(try await gateway.hear(on: "health", from: mark).json["residentBytes"].number)
        }

        @Test func `B39: after many reconnections each value still comes once`() async throws {
            var setup = AgentSetup()
            setup.keys = [
                "links.reconnectMinMs": "100", "links.reconnectMaxMs": "100", "links.heldMs": "0",
                "limits.healthIntervalSeconds": "1",
            ]
            try await withAgent(setup) { gateway in
                let topic = gateway.topic(.awkward, "notify/fff0/fff6")
                let event = gateway.topic(.awkward, "event")
                var early = 0.0
                let rounds = 60
                for round in 1...rounds {
                    // The caller says it each time, as one does that has seen the link go.
                    #expect(try await gateway.send("subscribe", Self.value, on: .awkward)["status"] == "ok")
                    for number in 0..<3 { await gateway.world.notify(.awkward, "fff6", [UInt8(number)]) }
                    _ = try await gateway.hear("value \(round * 3)", count: round * 3) { $0.topic == topic }
                    if round.isMultiple(of: 2) {
                        _ = try await gateway.send("disconnect", on: .awkward)
                    } else {
                        await gateway.world.dropLink(.awkward)
                    }
                    _ = try await gateway.hear("end \(round)", count: round) {
                        $0.topic == event && $0.json["event"] == "disconnected"
                    }
                    if round == rounds / 2 { early = try await residentBytes(gateway) }
                }
                try await gateway.settle()
                let values = gateway.caller.all(topic)
                #expect(values.count == rounds * 3)
                #expect(values.map(\.json["n"].number) == (1...rounds * 3).map { Double($0) })
                #expect(try await residentBytes(gateway) < early + Double(AgentProgram.resident(2_000_000)))
                // The tree was read once; bluetoothd keeps what it was asked to listen to over the end of a link.
                #expect(await gateway.world.count(of: "GetManagedObjects") == 1)
                #expect(await gateway.world.count(of: "StartNotify") == 1)
                #expect(await gateway.world.count(of: "Connect") == rounds)
            }
        }

        @Test func `B25: after a restart of bluetoothd links, values, scans and the agent for pairing are there again`()
            async throws
        {
            try await withAgent { gateway in
                _ = try await gateway.send("subscribe", Self.value, on: .awkward)
                _ = try await gateway.send("scan.start", #""session":"all","emit":"all""#)
                try await gateway.hear(on: "scan/all")
                let filters = await gateway.world.count(of: "SetDiscoveryFilter")
                let mark = gateway.caller.mark
                await gateway.world.leaveBus()
                let down = try await gateway.hear("disconnected", on: "dev/\(TestDevice.awkward.hex)/link", from: mark)
                #expect(down.json["reason"] == "bluetooth-unavailable")
                // While it is away nothing is tried that could not succeed.
                let denied = try await gateway.send("read", Self.value, on: .awkward)
                #expect(denied["error"]["code"] == "bluetooth-unavailable")
                let back = gateway.caller.mark
                try await gateway.world.returnToBus()
                let event = gateway.topic(.awkward, "event")
                _ = try await gateway.hear("subscription-restored", from: back) {
                    $0.topic == event && $0.json["event"] == "subscription-restored"
                }
                try await gateway.hear(on: "scan/all", from: back)
                await gateway.world.notify(.awkward, "fff6", [9])
                let value = try await gateway.hear(on: "dev/\(TestDevice.awkward.hex)/notify/fff0/fff6", from: back)
                #expect(value.json["value"]["hex"] == "09")
                try await gateway.settle()
                let ends = gateway.caller.all(from: mark, event).filter { $0.json["event"] == "disconnected" }
                #expect(ends.count == 1)
                #expect(gateway.caller.all(from: back, gateway.topic(.awkward, "notify/fff0/fff6")).count == 1)
                #expect(await gateway.world.count(of: "SetDiscoveryFilter") > filters)
                await gateway.world.waitForCalls(of: "RegisterAgent", count: 2)
                #expect(await gateway.world.count(of: "GetManagedObjects") == 2)
            }
        }

        @Test func `B25: an agent that starts before bluetoothd works when that appears`() async throws {
            var setup = AgentSetup()
            setup.world.hasBluez = false
            setup.aliases = [("cell", .battery)]
            setup.link = "policy: keep"
            try await withAgent(setup, isReady: false) { gateway in
                try await gateway.hear("absent", on: "bluetooth")
                try await gateway.world.returnToBus()
                try await gateway.hear("resolved", on: "dev/cell/link")
                #expect(await gateway.world.count(of: "Connect") == 1)
            }
        }

        @Test func `B83: random addresses that come and go leave nothing behind`() async throws {
            var setup = AgentSetup()
            setup.keys = ["limits.healthIntervalSeconds": "1"]
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("scan.start", #""session":"all","emit":"first""#)
                var early = 0.0
                for batch in 0..<20 {
                    var devices: [TestDevice] = []
                    for number in 0..<25 {
                        var model = TestDevice.ruuvi.model
                        let (high, low) = (String(batch + 16, radix: 16), String(number + 16, radix: 16))
                        model.address = "C0:5B:00:00:\(high):\(low)".uppercased()
                        model.advertisement.interval = .milliseconds(50)
                        devices.append(TestDevice(model))
                    }
                    for device in devices { await gateway.world.add(device) }
                    let last = devices[24].hex
                    _ = try await gateway.hear("the last of batch \(batch)") {
                        $0.topic.hasSuffix("/scan/all") && $0.text.contains(last)
                    }
                    for device in devices { await gateway.world.remove(device) }
                    if batch == 9 { early = try await residentBytes(gateway) }
                }
                #expect(try await residentBytes(gateway) < early + Double(AgentProgram.resident(2_000_000)))
                #expect(await gateway.world.count(of: "GetManagedObjects") == 1)
            }
        }
    }
}
