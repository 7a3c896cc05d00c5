import EventLoop
import Foundation
import Journal
import TestSupport
import Testing

extension AgentLane3 {
    /// How the agent fares with journals of all kinds.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct JournalStateTests {
        private static let write = #""service":"fff0","characteristic":"fff5","value":{"hex":"2a"}"#
        private static let read = #""service":"fff0","characteristic":"fff6""#

        /// Leaves a journal with one entry in a state directory.
        private func leaveJournal(
            in state: String,
            isEnded: Bool = true,
            _ change: (inout JournalSettings) -> Void = { _ in }
        ) async throws {
            var changed = JournalSettings(directory: state)
            change(&changed)
            let settings = changed
            let loop = try EventLoop.startThread()
            defer { loop.stop() }
            let outcomes = Log<String>()
            let box = StoreBox(JournalStore(settings, loop: loop))
            loop.execute {
                let store = box.store
                store.onState = { state in
                    guard state == .working else { return }
                    let entry = JournalEntry(
                        number: store.newNumber(),
                        key: JournalKey(client: "other", isIdentified: true, id: "1"),
                        fingerprint: [1],
                        request: [99],
                        isBegun: !isEnded,
                        createdMs: settings.clock.wallMs(),
                        expiresMs: 0,
                        windowEndsMs: .max
                    )
                    if isEnded {
                        store.record(entry, answer: Array("{}".utf8), publications: []) { outcomes.append("\($0)") }
                    } else {
                        store.accept(entry) { outcomes.append("\($0)") }
                    }
                    store.close { outcomes.append("closed: \($0)") }
                }
                store.open()
            }
            let all = try await within("the journal") { try await outcomes.first(2) }
            try #require(all == ["success(Journal.JournalAdmission.accepted)", "closed: true"])
        }

        @Test func `a clock before the newest time in the journal is wrong for times, and good for all else`()
            async throws
        {
            try await withStateFolder { state in
                try await leaveJournal(in: state) { settings in
                    let system = settings.clock
                    settings.clock.wallMs = { system.wallMs() + 2 * 3_600_000 }
                }
                try await withAgent(.lasting(state)) { gateway in
                    for time in [
                        #""expires":"2099-01-01T00:00:00Z""#, #""sentAt":"2020-01-01T00:00:00Z","ttlMs":1000"#,
                    ] {
                        let refused = try await gateway.send("write", Self.write + "," + time, on: .awkward)
                        #expect(refused["error"]["code"] == "clock-unsynchronised" && refused["status"] == "rejected")
                        #expect(refused["error"]["retryable"] == true && refused["applied"] == "no")
                    }
                    #expect(
                        try await gateway.send("write", Self.write + #","ttlMs":9000"#, on: .awkward)["status"] == "ok"
                    )
                    #expect(await gateway.world.count(of: "WriteValue") == 1)
                }
            }
        }

        @Test func `a clock that goes on from the newest time in the journal is believed`() async throws {
            try await withStateFolder { state in
                try await leaveJournal(in: state) { settings in
                    let system = settings.clock
                    // Within what clocks may differ by.
                    settings.clock.wallMs = { system.wallMs() + 20_000 }
                }
                try await withAgent(.lasting(state)) { gateway in
                    let fields = Self.write + #","expires":"2099-01-01T00:00:00Z""#
                    let result = try await gateway.send("write", fields, on: .awkward)
                    #expect(result["status"] == "ok")
                }
            }
        }

        @Test func `a command that cannot be read any more has a result all the same`() async throws {
            try await withStateFolder { state in
                try await leaveJournal(in: state, isEnded: false)
                try await withAgent(.lasting(state)) { gateway in
                    let result = try await gateway.result("1", client: "other").json
                    #expect(result["error"]["code"] == "internal" && result["applied"] == "maybe")
                    #expect(gateway.agent.lines(with: "Command in the journal cannot be read").count == 1)
                }
            }
        }

        @Test func `a journal of a newer version is left alone: what changes something is refused, reads go on`()
            async throws
        {
            try await withStateFolder { state in
                try await leaveJournal(in: state) {
                    $0.schema.steps.append("ALTER TABLE entry ADD COLUMN later INTEGER NOT NULL DEFAULT 7")
                }
                let file = URL(filePath: state + "/journal.sqlite")
                let before = try Data(contentsOf: file)
                let current = JournalSchema.current.version
                try await withAgent(.lasting(state)) { gateway in
                    let refused = try await gateway.send("write", Self.write, on: .awkward)
                    #expect(refused["error"]["code"] == "storage-failed" && refused["applied"] == "no")
                    // No time helps; what does is said.
                    #expect(refused["error"]["retryAfterMs"] == .missing)
                    let detail = refused["error"]["detail"].text ?? ""
                    #expect(detail.contains("install the newer version, or move the journal away"), "\(detail)")
                    #expect(try await gateway.send("read", Self.read, on: .awkward)["status"] == "ok")
                    let journal = try await gateway.send("info")["result"]["journal"]
                    let problem = "schema version \(current + 1), this agent knows versions up to \(current)"
                    #expect(journal["problem"].text?.contains(problem) == true)
                    #expect(gateway.agent.lines(with: "Journal fails").first?.contains(problem) == true)
                    #expect(try await gateway.stop() == 0)
                }
                #expect(try Data(contentsOf: file) == before)
            }
        }

        @Test func `a state directory that is removed under the agent refuses what changes something until a restart`()
            async throws
        {
            try await withStateFolder { folder in
                let state = folder + "/state"
                try await withAgent(.lasting(state)) { first in
                    #expect(try await first.send("write", Self.write, on: .awkward)["status"] == "ok")
                    // The journal may find out by itself, on its way to remove what was acknowledged.
                    let mark = first.caller.mark
                    try FileManager.default.removeItem(atPath: state)
                    let refused = try await first.send("write", Self.write, on: .awkward)
                    #expect(refused["error"]["code"] == "storage-failed" && refused["applied"] == "no")
                    #expect(try await first.send("read", Self.read, on: .awkward)["status"] == "ok")
                    let info = try await first.hear(on: "info", from: mark) { $0["journal"]["problem"] != .missing }
                    #expect(info.json["journal"]["problem"].text?.contains("moved or removed") == true)
                    try await first.hear(on: "health", from: mark) { $0["journal"]["working"] == false }
                    #expect(await first.world.count(of: "WriteValue") == 1)
                    _ = try await first.stop(SIGKILL)
                    let second = try await first.restarted()
                    #expect(try await second.send("write", Self.write, on: .awkward)["status"] == "ok")
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test(arguments: [("process", "process"), ("power", "power")])
        func `what was accepted outlives the process with either durability`(durability: String, told: String)
            async throws
        {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.keys["durability"] = durability
                setup.world.attDelay = .milliseconds(1500)
                try await withAgent(setup) { first in
                    let info = try await first.send("info")["result"]["journal"]
                    #expect(info["kept"] == true && info["durability"].text == told && info["problem"] == .missing)
                    try await first.start("read", Self.read, on: .awkward)
                    await first.world.waitForCalls(of: "ReadValue")
                    let id = try await first.start("write", Self.write, on: .awkward)
                    try await first.hear(on: "dev/\(TestDevice.awkward.hex)/job", count: 2) {
                        $0["status"] == "accepted"
                    }
                    _ = try await first.stop(SIGKILL)
                    let second = try await first.restarted()
                    #expect(try await second.result(id).json["status"] == "ok")
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `a read does not overtake the write before it that is on its way to the disk`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                // The slowest that there is.
                setup.keys["durability"] = "power"
                try await withAgent(setup) { gateway in
                    _ = try await gateway.send("connect", on: .awkward)
                    var sent: [String] = []
                    // All of them in one piece, so that they come in one turn of the agent's loop.
                    gateway.agent.send(SIGSTOP)
                    for number in 0..<60 {
                        let id = gateway.makeID()
                        sent.append(id)
                        let isWrite = number % 3 == 0
                        let rest = isWrite ? "\"verb\":\"write\",\(Self.write)" : "\"verb\":\"read\",\(Self.read)"
                        let payload = "{\"id\":\"\(id)\",\(rest)}"
                        try await gateway.publish(payload.utf8, to: "dev/\(TestDevice.awkward.hex)/cmd/test")
                    }
                    gateway.agent.send(SIGCONT)
                    for id in sent { #expect(try await gateway.result(id).json["status"] == "ok") }
                    let job = gateway.topic(.awkward, "job")
                    // What observers are told comes a moment after the results.
                    let last = sent.last
                    _ = try await gateway.hear("the last step") {
                        $0.topic == job && $0.json["status"] == "started" && $0.json["id"].text == last
                    }
                    let started = gateway.caller.all(job).filter { $0.json["status"] == "started" }
                    #expect(started.compactMap(\.json["id"].text).filter(Set(sent).contains) == sent)
                }
            }
        }
    }
}

/// Carries a journal to its loop.
private final class StoreBox: @unchecked Sendable {
    // Safe because: used on the loop alone.
    let store: JournalStore

    init(_ store: JournalStore) { self.store = store }
}
