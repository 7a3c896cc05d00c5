import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// bluetoothd and adapters that come and go.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct BluetoothTests {
        private static let attribute = #""service":"fff0","characteristic":"fff6""#

        @Test func `bluetoothd that is absent at the start is waited for, and a scan is then possible`() async throws {
            var setup = AgentSetup()
            setup.world.hasBluez = false
            try await withAgent(setup, isReady: false) { gateway in
                try await gateway.hear("absent", on: "bluetooth")
                try await gateway.world.returnToBus()
                try await gateway.hear("ready", on: "bluetooth")
                let adapter = try await gateway.hear(on: "adapter/hci0")
                #expect(adapter.message.retain && adapter.json["powered"] == true && adapter.json["adapter"] == "hci0")
                #expect(adapter.json["address"] == "001a7dda7110")
                #expect(try await gateway.send("read", Self.attribute, on: .awkward)["status"] == "ok")
            }
        }

        @Test func `subscriptions and scans survive a restart of bluetoothd, and both are told`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("subscribe", Self.attribute, on: .awkward)
                _ = try await gateway.send("scan.start", #""session":"long","emit":"all""#)
                try await gateway.hear(on: "scan/long")
                let mark = gateway.caller.mark
                await gateway.world.leaveBus()
                try await gateway.hear("absent", on: "bluetooth", from: mark)
                let link = try await gateway.hear("disconnected", on: "dev/\(TestDevice.awkward.hex)/link", from: mark)
                #expect(link.json["reason"] == "bluetooth-unavailable")
                let event = gateway.topic(.awkward, "event")
                let lost = try await gateway.hear("subscription-lost", from: mark) {
                    $0.topic == event && $0.json["event"] == "subscription-lost"
                }
                #expect(lost.json["service"] == "fff0" && lost.json["characteristic"] == "fff6")
                #expect(lost.json["reason"].text?.isEmpty == false)
                let back = gateway.caller.mark
                try await gateway.world.returnToBus()
                try await gateway.hear("ready", on: "bluetooth", from: back)
                _ = try await gateway.hear("subscription-restored", from: back) {
                    $0.topic == event && $0.json["event"] == "subscription-restored"
                }
                await gateway.world.notify(.awkward, "fff6", [0x42])
                let value = try await gateway.hear(on: "dev/\(TestDevice.awkward.hex)/notify/fff0/fff6", from: back)
                #expect(value.json["value"]["hex"] == "42")
                try await gateway.hear(on: "scan/long", from: back)
                #expect(gateway.caller.all(from: mark, gateway.topic("scan/long/state")).isEmpty)
                let ends = gateway.caller.all(from: mark, event).filter { $0.json["event"] == "disconnected" }
                #expect(ends.count == 1)
                _ = try await gateway.send("scan.stop", #""session":"long""#)
                #expect(try await gateway.send("unsubscribe", Self.attribute, on: .awkward)["status"] == "ok")
            }
        }

        @Test func `an adapter that is switched off and on takes scans and subscriptions up again`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("subscribe", Self.attribute, on: .awkward)
                _ = try await gateway.send("scan.start", #""session":"long","emit":"all""#)
                try await gateway.hear(on: "scan/long")
                let mark = gateway.caller.mark
                await gateway.world.setPowered(false)
                try await gateway.hear("off", on: "bluetooth", from: mark)
                try await gateway.hear(on: "adapter/hci0", from: mark) { $0["powered"] == false }
                try await gateway.hear("disconnected", on: "dev/\(TestDevice.awkward.hex)/link", from: mark)
                let back = gateway.caller.mark
                await gateway.world.setPowered(true)
                try await gateway.hear("ready", on: "bluetooth", from: back)
                try await gateway.hear(on: "scan/long", from: back)
                let event = gateway.topic(.awkward, "event")
                _ = try await gateway.hear("subscription-restored", from: back) {
                    $0.topic == event && $0.json["event"] == "subscription-restored"
                }
                #expect(await gateway.world.isSubscribed(.awkward, "fff6"))
            }
        }

        @Test func `an adapter that is plugged in later is used`() async throws {
            try await withAgent { gateway in
                await gateway.world.unplugAdapter()
                try await gateway.hear("no-adapter", on: "bluetooth")
                let mark = gateway.caller.mark
                await gateway.world.plugAdapter()
                try await gateway.hear("ready", on: "bluetooth", from: mark)
                #expect(try await gateway.send("read", Self.attribute, on: .awkward)["status"] == "ok")
            }
        }
    }
}
