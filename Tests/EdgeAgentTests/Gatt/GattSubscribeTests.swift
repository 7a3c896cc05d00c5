import TestSupport
import Testing

extension AgentLane3 {
    /// What comes before bluetoothd has answered a subscription, and what becomes of one that it refuses.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct GattSubscribeTests {
        private static let hasty = #""service":"ddd0","characteristic":"ddd1""#
        private static let notifying = #""service":"fff0","characteristic":"fff6""#

        @Test(arguments: [false, true])
        func `B37: values that come before StartNotify returns are published, in order and once`(early: Bool)
            async throws
        {
            let device = TestDevice.hasty(precedesNotifying: early)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                // A read changes `Value` too, and is no notification.
                #expect(try await gateway.send("read", Self.hasty, on: device)["result"]["value"]["hex"] == "ff")
                #expect(try await gateway.send("subscribe", Self.hasty, on: device)["status"] == "ok")
                await gateway.world.notify(device, "ddd1", [0x0C])
                let topic = "dev/\(device.hex)/notify/ddd0/ddd1"
                try await gateway.hear(on: topic) { $0["value"]["hex"] == "0c" }
                try await gateway.settle()
                let values = gateway.caller.all(gateway.topic(topic)).map(\.json)
                #expect(values.map(\.["value"]["hex"].text) == ["0a", "0b", "0c"])
                #expect(values.map(\.["n"].number) == [1, 2, 3])
                #expect(values.allSatisfy { $0["dropped"] == 0 && $0["kind"] == "notify" })
            }
        }

        @Test func `B37: transact takes no value for its answer that came before its write`() async throws {
            let device = TestDevice.hasty(precedesNotifying: false)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                let fields = #""service":"ddd0","write":"ddd2","notify":"ddd1","data":{"hex":"01"},"packetTimeoutMs":"#
                let silent = try await gateway.send("transact", fields + "200", on: device)
                #expect(silent["status"] == "timeout" && silent["error"]["code"] == "timeout", "\(silent)")
                #expect(silent["error"]["detail"].text?.contains("after 0 packets") == true)
                let answered = try await gateway.start("transact", fields + "20000", on: device)
                await gateway.world.waitForCalls(of: "WriteValue", count: 2)
                await gateway.world.notify(device, "ddd1", [0x0C])
                let answer = try await gateway.result(answered).json
                #expect(answer["status"] == "ok" && answer["result"]["value"]["hex"] == "0c", "\(answer)")
            }
        }

        @Test func `B41: a characteristic that cannot notify is never asked to`() async throws {
            try await withAgent { gateway in
                let fields = #""service":"fff0","characteristic":"fff1""#
                let handle = try await gateway.send("discover", on: .awkward)["result"]["services"].list
                    .first { $0["uuid"] == "fff0" }?["characteristics"][0]["handle"].number
                let one = try #require(handle)
                for named in ["\"handle\":\(Int(one))", #""service":"fff0","characteristic":"fff5""#] {
                    let answer = try await gateway.send("subscribe", named, on: .awkward)
                    #expect(answer["error"]["code"] == "not-supported" && answer["applied"] == "no")
                }
                #expect(try await gateway.send("subscribe", fields, on: .awkward)["status"] == "failed")
                #expect(await gateway.world.count(of: "StartNotify") == 0)
            }
        }

        @Test func `B41: each refusal of bluetoothd has its code, and the next try succeeds`() async throws {
            try await withAgent { gateway in
                let bus = "org.freedesktop.DBus.Error."
                let rows = [
                    ("InProgress", "In Progress", "busy"),
                    ("NotSupported", "Operation is not supported", "not-supported"),
                    ("NotPermitted", "Notify acquired", "busy"), ("NotPermitted", "not so", "not-permitted"),
                    ("Failed", "Operation failed with ATT error: 0x05", "needs-pairing"),
                    ("Failed", "Operation failed with ATT error: 0x81", "att-error"),
                    (bus + "UnknownObject", "Method \"StartNotify\" doesn't exist", "device-removed"),
                    (bus + "UnknownMethod", "Method \"StartNotify\" doesn't exist", "not-supported"),
                ]
                for (index, row) in rows.enumerated() {
                    await gateway.world.refuse("StartNotify", row.0, row.1)
                    let answer = try await gateway.send("subscribe", Self.notifying, on: .awkward)
                    #expect(answer["status"] == "failed", "\(answer)")
                    #expect(answer["error"]["code"].text == row.2 && answer["error"]["stage"] == "operate", "\(answer)")
                    // An object that goes may go while the call is carried out.
                    let applied = row.2 == "device-removed" ? "maybe" : "no"
                    #expect(answer["applied"].text == applied && answer["result"] == .missing, "\(row): \(answer)")
                    #expect(await gateway.world.count(of: "StartNotify") == index + 1)
                }
                let good = try await gateway.send("subscribe", Self.notifying, on: .awkward)
                #expect(good["status"] == "ok" && good["result"]["already"] == false)
                await gateway.world.notify(.awkward, "fff6", [0x42])
                let heard = try await gateway.hear(on: "dev/\(TestDevice.awkward.hex)/notify/fff0/fff6")
                #expect(heard.json["value"]["hex"] == "42" && heard.json["n"] == 1)
            }
        }

        @Test func `B41: a service that has gone is no longer asked for`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let mark = gateway.caller.mark
                await gateway.world.setService(.awkward, "fff0", present: false)
                try await gateway.hear(on: "dev/\(TestDevice.awkward.hex)/event", from: mark) {
                    $0["event"] == "services"
                }
                let answer = try await gateway.send("subscribe", Self.notifying, on: .awkward)
                #expect(answer["error"]["code"] == "no-service" && answer["error"]["missing"] == ["fff0"])
                #expect(answer["applied"] == "no")
                #expect(await gateway.world.count(of: "StartNotify") == 0)
            }
        }

        @Test func `B41: two clients share one subscription, and each value comes once until the last has left`()
            async throws
        {
            try await withAgent { gateway in
                let topic = "dev/\(TestDevice.awkward.hex)"
                func other(_ verb: String, _ id: String) async throws {
                    let command = "{\"id\":\"\(id)\",\"verb\":\"\(verb)\",\(Self.notifying)}"
                    try await gateway.publish(Array(command.utf8), to: topic + "/cmd/other")
                }
                let first = try await gateway.start("subscribe", Self.notifying, on: .awkward)
                try await other("subscribe", "o1")
                #expect(try await gateway.result(first).json["status"] == "ok")
                let second = try await gateway.result("o1", client: "other").json
                #expect(second["status"] == "ok" && second["result"]["already"] == false)
                #expect(await gateway.world.count(of: "StartNotify") == 1)
                func notified(_ byte: UInt8) async throws -> [Double?] {
                    let mark = gateway.caller.mark
                    await gateway.world.notify(.awkward, "fff6", [byte])
                    try await gateway.hear(on: topic + "/notify/fff0/fff6", from: mark)
                    try await gateway.settle()
                    return gateway.caller.all(from: mark, gateway.topic(topic + "/notify/")).map(\.json["n"].number)
                }
                #expect(try await notified(1) == [1])
                #expect(
                    try await gateway.send("unsubscribe", Self.notifying, on: .awkward)["result"]["already"] == false
                )
                #expect(try await notified(2) == [2])
                try await other("unsubscribe", "o2")
                #expect(try await gateway.result("o2", client: "other").json["result"]["already"] == false)
                #expect(await !gateway.world.isSubscribed(.awkward, "fff6"))
            }
        }
    }
}
