import Foundation
import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// Subscriptions over a restart of the agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct DurableTests {
        /// Runs a body with an agent, ends it by a signal, and runs another body with the next one.
        private func withRestart(
            _ setup: AgentSetup,
            signal: Int32 = SIGKILL,
            before: (Gateway) async throws -> Void,
            meanwhile: () throws -> Void = {},
            after: (Gateway) async throws -> Void
        ) async throws {
            try await withAgent(setup) { first in
                try await before(first)
                _ = try await first.stop(signal)
                try meanwhile()
                let mark = first.caller.mark
                let second = try await startAgent(setup, first.world, first.broker, first.caller)
                try await second.subscribed()
                try await second.hear("ready", on: "bluetooth", from: mark)
                try await after(second)
                _ = try await second.stop(SIGKILL)
            }
        }

        @Test(arguments: [SIGKILL, SIGTERM])
        func `a durable subscription stands again after a restart, with an event`(_ signal: Int32) async throws {
            try await withStateFolder { state in
                let setup = AgentSetup.meter(state: state)
                let fields = #""durable":true,"leaseMs":600000,"coalesce":{"batch":2,"maxMs":60000},"retainLast":true"#
                try await withRestart(setup, signal: signal) { gateway in
                    let result = try await gateway.subscribe("ffd1", fields)
                    #expect(result["status"] == "ok" && result["warnings"] == .missing)
                    _ = try await gateway.subscribe("ffd2")
                    let info = try await gateway.send("info")
                    #expect(info["result"]["state"]["kept"] == true)
                } after: { gateway in
                    let restored = try await gateway.hear(event: "subscription-restored").json
                    #expect(restored["characteristic"] == "ffd1")
                    await gateway.world.notify(.meter, "ffd1", [1])
                    await gateway.world.notify(.meter, "ffd1", [2])
                    let batch = try await gateway.hear(on: gateway.values("ffd1"))
                    #expect(batch.json["values"].list.map(\.["hex"]) == ["01", "02"] && batch.message.retain)
                    // It is the caller's own still; the one that was not durable is gone.
                    #expect(try await gateway.subscribe("ffd1", fields)["result"]["already"] == true)
                    #expect(try await gateway.unsubscribe("ffd2")["result"]["already"] == true)
                }
            }
        }

        @Test func `a polled subscription is read again after a restart`() async throws {
            try await withStateFolder { state in
                try await withRestart(.meter(state: state)) { gateway in
                    _ = try await gateway.subscribe("ffd3", #""durable":true,"pollMs":250"#)
                } after: { gateway in
                    let restored = try await gateway.hear(event: "subscription-restored")
                    let value = try await gateway.hear(on: gateway.values("ffd3"), from: restored.number, count: 3)
                    #expect(value.json["kind"] == "read")
                }
            }
        }

        @Test func `what was unsubscribed, and what is not durable any more, does not come back`() async throws {
            try await withStateFolder { state in
                try await withRestart(.meter(state: state)) { gateway in
                    _ = try await gateway.subscribe("ffd1", #""durable":true"#)
                    _ = try await gateway.subscribe("ffd2", #""durable":true"#)
                    _ = try await gateway.subscribe("ffd3", #""durable":true,"pollMs":1000"#)
                    _ = try await gateway.unsubscribe("ffd1")
                    _ = try await gateway.subscribe("ffd2", #""durable":false"#)
                } after: { gateway in
                    try await gateway.hear(event: "subscription-restored")
                    #expect(try await gateway.unsubscribe("ffd1")["result"]["already"] == true)
                    #expect(try await gateway.unsubscribe("ffd2")["result"]["already"] == true)
                    #expect(try await gateway.unsubscribe("ffd3")["result"]["already"] == false)
                }
            }
        }

        @Test func `a lease that was over meanwhile is not taken up, one that is not goes on`() async throws {
            try await withStateFolder { state in
                let file = state + "/subscriptions.json"
                try await withRestart(.meter(state: state)) { gateway in
                    _ = try await gateway.subscribe("ffd1", #""durable":true,"leaseMs":600000"#)
                    _ = try await gateway.subscribe("ffd2", #""durable":true,"leaseMs":600000"#)
                } meanwhile: {
                    // As if ffd1's lease had been over for an hour and ffd2's were nearly so.
                    let data = try Data(contentsOf: URL(filePath: file))
                    var root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
                    var list = try #require(root["subscriptions"] as? [[String: Any]])
                    let now = Int(Date().timeIntervalSince1970 * 1000)
                    for (index, ends) in [now - 3_600_000, now + 4000].enumerated() {
                        list[index]["holders"] = [["client": "test", "leaseMs": 600_000, "leaseEndsMs": ends]]
                    }
                    root["subscriptions"] = list
                    try JSONSerialization.data(withJSONObject: root).write(to: URL(filePath: file))
                } after: { gateway in
                    #expect(try await gateway.hear(event: "subscription-restored").json["characteristic"] == "ffd2")
                    #expect(try await gateway.unsubscribe("ffd1")["result"]["already"] == true)
                    try await gateway.agent.waitForLog("Subscription lease ended")
                    await gateway.world.waitForCalls(of: "StopNotify")
                    #expect(await gateway.world.isSubscribed(.meter, "ffd2") == false)
                }
            }
        }

        @Test func `a device that is away at the restart is subscribed when it is back`() async throws {
            try await withStateFolder { state in
                try await withAgent(.meter(state: state)) { first in
                    _ = try await first.subscribe("ffd1", #""durable":true"#)
                    _ = try await first.stop(SIGKILL)
                    await first.world.setReachable(false, .meter)
                    let mark = first.caller.mark
                    let second = try await startAgent(first.setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    try await second.hear("connecting", on: "dev/\(second.name(of: .meter))/link", from: mark)
                    await second.world.setReachable(true, .meter)
                    try await second.hear(event: "subscription-restored", from: mark)
                    await second.world.notify(.meter, "ffd1", [3])
                    #expect(try await second.hear(on: second.values("ffd1"), from: mark).json["value"]["hex"] == "03")
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test(arguments: [
            ("version", "2\n", "has schema version 2"), ("subscriptions.json", "{", "no JSON that can be read"),
            ("subscriptions.json", #"{"version":2,"subscriptions":[]}"#, "has schema version 2"),
        ])
        func `with state that cannot be read the agent works, and says what it does not keep`(
            _ file: String,
            _ content: String,
            _ reason: String
        ) async throws {
            try await withStateFolder { state in
                try content.write(toFile: "\(state)/\(file)", atomically: false, encoding: .utf8)
                try await withAgent(.meter(state: state)) { gateway in
                    let result = try await gateway.subscribe("ffd1", #""durable":true"#)
                    #expect(result["status"] == "ok")
                    let warning = result["warnings"][0].text
                    #expect(warning?.hasPrefix("durable: not kept: ") == true && warning?.contains(reason) == true)
                    let info = try await gateway.send("info")
                    #expect(info["result"]["state"]["kept"] == false)
                    #expect(info["result"]["state"]["problem"].text?.contains(reason) == true)
                    #expect(gateway.agent.lines(with: "State directory cannot be used").count == 1)
                    #expect(try String(contentsOfFile: "\(state)/\(file)", encoding: .utf8) == content)
                }
            }
        }

        @Test func `two agents do not share a state directory`() async throws {
            try await withStateFolder { state in
                try await withAgent(.meter(state: state)) { first in
                    var setup = first.setup
                    setup.gateway = "gw2"
                    let second = try await startAgent(setup, first.world, first.broker, first.caller)
                    try await second.agent.waitForLog("another agent uses this directory")
                    try await second.subscribed()
                    #expect(try await second.send("info")["result"]["state"]["kept"] == false)
                    #expect(try await first.send("info")["result"]["state"]["kept"] == true)
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `a characteristic that is gone after the restart is told, and listened to when it is back`()
            async throws
        {
            try await withStateFolder { state in
                try await withAgent(.meter(state: state)) { first in
                    _ = try await first.subscribe("ffd1", #""durable":true"#)
                    _ = try await first.stop(SIGKILL)
                    await first.world.setService(.meter, "ffd0", present: false)
                    let second = try await startAgent(first.setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    let lost = try await second.hear(event: "subscription-lost").json
                    #expect(lost["characteristic"] == "ffd1" && lost["reason"] == "the device has no such service")
                    await second.world.setService(.meter, "ffd0", present: true)
                    try await second.hear(event: "subscription-restored")
                    await second.world.notify(.meter, "ffd1", [4])
                    #expect(try await second.hear(on: second.values("ffd1")).json["value"]["hex"] == "04")
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `a file that cannot be written later is told in the answer, the log and info, until it can again`()
            async throws
        {
            try await withStateFolder { state in
                try await withAgent(.meter(state: state)) { gateway in
                    _ = try await gateway.subscribe("ffd1", #""durable":true"#)
                    // In the way of the file alone: the journal, which is open, goes on.
                    let obstacle = state + "/subscriptions.json.new"
                    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                    let mark = gateway.caller.mark
                    let result = try await gateway.subscribe("ffd2", #""durable":true"#)
                    #expect(result["status"] == "ok")
                    let problem = "\(obstacle): open: Is a directory"
                    #expect(result["warnings"][0].text == "durable: not kept: \(problem)")
                    let info = try await gateway.hear(on: "info", from: mark) { $0["state"]["kept"] == false }
                    #expect(info.json["state"]["problem"].text == problem && info.message.retain)
                    #expect(info.json["journal"]["problem"] == .missing)
                    #expect(gateway.agent.lines(with: "State is not kept").count == 1)
                    try FileManager.default.removeItem(atPath: obstacle)
                    #expect(try await gateway.subscribe("ffd2", #""durable":true"#)["warnings"] == .missing)
                    try await gateway.hear(on: "info", from: info.number) { $0["state"]["kept"] == true }
                    let kept = try String(contentsOfFile: state + "/subscriptions.json", encoding: .utf8)
                    #expect(kept.contains("ffd1") && kept.contains("ffd2"))
                }
            }
        }
    }
}
