import BlueZSimulator
import Foundation
import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// Links over a restart of the agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct AdoptionTests {
        /// Takes a second and a half to make a link.
        private static let tardy: TestDevice = {
            var model = TestDevice.battery.model
            model.address = "C0:5A:00:00:00:24"
            model.connectDelay = .milliseconds(1500)
            return TestDevice(model)
        }()

        private func withRestart(
            keys: [String: String] = [:],
            link: String? = nil,
            signal: Int32 = SIGKILL,
            before: (Gateway, _ state: String) async throws -> Void,
            after: (Gateway, _ mark: Int) async throws -> Void
        ) async throws {
            try await withStateFolder { state in
                var setup = AgentSetup()
                setup.world.devices = [.battery, .heart, Self.tardy]
                setup.aliases = [("cell", .battery)]
                setup.link = link
                setup.keys = ["stateDir": "\"\(state)\"", "links.idleMs": "700"].merging(keys) { $1 }
                try await withAgent(setup) { first in
                    try await before(first, state)
                    _ = try await first.stop(signal)
                    let mark = first.caller.mark
                    let second = try await startAgent(setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    try await after(second, mark)
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `a link that the agent had made is its own after a restart, and dropped when idle`() async throws {
            try await withRestart { gateway, _ in
                _ = try await gateway.send("connect", on: .heart)
                #expect(await gateway.world.isConnected(.heart))
            } after: { gateway, mark in
                let topic = "dev/\(TestDevice.heart.hex)/link"
                let link = try await gateway.hear("resolved", on: topic, from: mark)
                #expect(link.json["owner"] == "self")
                let event = "dev/\(TestDevice.heart.hex)/event"
                try await gateway.hear(on: event, from: mark) { $0["event"] == "connected" }
                let end = try await gateway.hear("disconnected", on: topic, from: link.number)
                #expect(end.json["reason"] == "local")
                #expect(await gateway.world.count(of: "Connect") == 1)
            }
        }

        @Test func `a link of another program is not taken for the agent's own, whenever it was made`() async throws {
            try await withRestart { gateway, _ in
                _ = try await gateway.send("scan", #""durationMs":300"#)
                try await gateway.world.connectAsStranger(.battery)
                try await gateway.hear("resolved", on: "dev/cell/link")
                // One that was its own and was ended in order.
                _ = try await gateway.send("connect", on: .heart)
                _ = try await gateway.stop()
                try await gateway.world.connectAsStranger(.heart)
            } after: { gateway, mark in
                let link = try await gateway.hear("resolved", on: "dev/cell/link", from: mark)
                #expect(link.json["owner"] == "other")
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                #expect(try await gateway.send("rssi", on: .heart)["status"] != "timeout")
                // Longer than idleMs.
                _ = try await gateway.send("scan", #""durationMs":1200"#)
                #expect(await gateway.world.isConnected(.battery))
                #expect(await gateway.world.isConnected(.heart))
                #expect(await gateway.world.count(of: "Disconnect") == 1)
            }
        }

        @Test func `a link that was being made when the agent was killed does not stay for ever`() async throws {
            try await withRestart { gateway, state in
                _ = try await gateway.start("connect", on: Self.tardy)
                await gateway.world.waitForCalls(of: "Connect")
                // To be written down takes a few milliseconds of the second and a half.
                let file = state + "/own-links.json"
                while !FileManager.default.fileExists(atPath: file) { try await gateway.settle() }
            } after: { gateway, mark in
                let topic = "dev/\(Self.tardy.hex)/link"
                let link = try await gateway.hear("resolved", on: topic, from: mark)
                #expect(link.json["owner"] == "self")
                try await gateway.hear("disconnected", on: topic, from: link.number)
            }
        }

        @Test(arguments: [SIGKILL, SIGTERM])
        func `a policy that a command has set holds after a restart`(_ signal: Int32) async throws {
            try await withRestart(signal: signal) { gateway, _ in
                let keep = #""link":{"policy":"keep"}"#
                #expect(try await gateway.send("connect", keep, on: .heart)["status"] == "ok")
                _ = try await gateway.send("disconnect", #""link":{"policy":"never"}"#, on: .battery)
            } after: { gateway, _ in
                await gateway.world.waitForCalls(of: "Connect", count: signal == SIGKILL ? 1 : 2)
                _ = try await gateway.send("scan", #""durationMs":1200"#)
                #expect(await gateway.world.isConnected(.heart))
                #expect(try await gateway.send("read", Gateway.level, on: .battery)["error"]["code"] == "denied")
            }
        }

        @Test func `a disconnect is still one after a restart`() async throws {
            try await withRestart(link: "policy: keep") { gateway, _ in
                try await gateway.hear("resolved", on: "dev/cell/link")
                _ = try await gateway.send("disconnect", on: .battery)
            } after: { gateway, mark in
                try await gateway.hear("ready", on: "bluetooth", from: mark)
                _ = try await gateway.send("scan", #""durationMs":1200"#)
                #expect(await !gateway.world.isConnected(.battery))
                #expect(try await gateway.send("connect", on: .battery)["status"] == "ok")
                let dropped = gateway.caller.mark
                await gateway.world.dropLink(.battery)
                try await gateway.hear("resolved", on: "dev/cell/link", from: dropped)
            }
        }
    }
}
