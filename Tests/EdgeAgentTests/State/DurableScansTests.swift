import BleCore
import EdgeAgent
import Foundation
import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DurableScansTests {
    private func command(_ name: String) throws -> ScanStartCommand {
        var filter = ScanRequest()
        filter.services = [0x180F]
        filter.name = "Lamp \"1\""
        filter.namePrefix = "La"
        filter.addresses = [try #require(DeviceAddress("a1b2c3d4e5f6"))]
        filter.manufacturers = [0x4C, 0xFFFF]
        filter.rssiMin = -80
        filter.mode = .active
        return ScanStartCommand(
            filter: filter,
            session: SessionName(name),
            emit: .every(.milliseconds(1500)),
            batch: ScanBatch(maxDevices: 10, maxDelay: .milliseconds(500)),
            isDurable: true
        )
    }

    @Test func `what is written is read again`() throws {
        var plain = ScanStartCommand(session: SessionName("yard"))
        plain.isDurable = true
        var all = plain
        all.emit = .all
        var first = plain
        first.emit = .first
        let kept = DurableScans([
            .init(try command("hall"), endsMs: 1_790_849_160_000), .init(plain), .init(all), .init(first),
        ])
        #expect(try DurableScans.decode(kept.encode(), path: "f") == kept)
    }

    @Test(arguments: [
        (#"{"version":2,"scans":[]}"#, "f: has schema version 2, this agent knows versions up to 1"),
        (#"{"version":1,"subscriptions":[]}"#, "f: has no list of scans"),
        (#"{"version":1,"scans":[{"emit":"all"}]}"#, "f: entry 0 is not one"),
        (#"{"version":1,"scans":[{"session":"a/b"}]}"#, "f: entry 0 is not one"),
        (#"{"version":1,"scans":[{"session":"a"},{"session":"b","endsMs":"x"}]}"#, "f: entry 1 is not one"),
    ])
    func `a file that is not one is refused with what is wrong`(_ text: String, _ message: String) {
        let failure = #expect(throws: StateFailure.self) { try DurableScans.decode(Array(text.utf8), path: "f") }
        #expect(failure?.description.hasPrefix(message) == true, "\(String(describing: failure))")
    }

    @Test(arguments: [(Int64(0), Int?(1000)), (999, 1), (1000, nil), (.min, nil)])
    func `a scan goes on to the same end`(_ now: Int64, _ leftMs: Int?) throws {
        let record = DurableScans.Record(try command("hall"), endsMs: 1000)
        let command = record.command(atMs: now)
        #expect(command?.duration == leftMs.map { .milliseconds($0) })
        #expect((command == nil) == (leftMs == nil))
        #expect(try DurableScans.Record(self.command("hall")).command(atMs: now)?.duration == nil)
    }
}

extension AgentLane1 {
    /// Lasting scans over a restart of the agent.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct DurableScanAgentTests {
        @Test func `a durable scan goes on after a restart, one that is not or was stopped does not`() async throws {
            try await withStateFolder { state in
                try await withAgent(.meter(state: state)) { first in
                    let fields = #""durable":true,"emit":"all""#
                    for (name, more) in [("stays", fields), ("stopped", fields), ("plain", #""emit":"all""#)] {
                        let result = try await first.send("scan.start", "\"session\":\"\(name)\",\(more)")
                        #expect(result["status"] == "ok" && result["warnings"] == .missing)
                    }
                    #expect(try await first.send("scan.stop", #""session":"stopped""#)["result"]["already"] == false)
                    _ = try await first.stop(SIGTERM)
                    let mark = first.caller.mark
                    let second = try await startAgent(first.setup, first.world, first.broker, first.caller)
                    try await second.subscribed()
                    try await second.hear("started", on: "scan/stays/state", from: mark)
                    try await second.hear(on: "scan/stays", from: mark) { $0["devices"].list.isEmpty == false }
                    let again = try await second.send("scan.start", #""session":"stays""#)
                    #expect(again["result"]["already"] == true)
                    for name in ["stopped", "plain"] {
                        let stopped = try await second.send("scan.stop", "\"session\":\"\(name)\"")
                        #expect(stopped["result"]["already"] == true)
                    }
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `a scan whose time was over meanwhile is said to have stopped`() async throws {
            try await withStateFolder { state in
                let text = #"{"version":1,"scans":[{"session":"old","endsMs":1000}]}"#
                try text.write(toFile: state + "/scans.json", atomically: false, encoding: .utf8)
                try await withAgent(.meter(state: state)) { gateway in
                    let ended = try await gateway.hear("stopped", on: "scan/old/state")
                    #expect(ended.message.retain && ended.json["reason"] == "duration")
                    #expect(try await gateway.send("scan.stop", #""session":"old""#)["result"]["already"] == true)
                }
            }
        }

        @Test func `without a state directory a durable scan runs, and says that it is not kept`() async throws {
            try await withAgent(.meter(state: "/proc/none")) { gateway in
                let result = try await gateway.send("scan.start", #""session":"hall","durable":true"#)
                #expect(result["status"] == "ok")
                #expect(result["warnings"][0].text?.hasPrefix("durable: not kept: /proc/none: mkdir: ") == true)
            }
        }
    }
}
