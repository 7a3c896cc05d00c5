import Foundation
import Glibc
import MQTT
import TestSupport
import Testing

extension AgentSetup {
    /// An agent whose state outlives it.
    static func lasting(_ state: String) -> AgentSetup {
        var setup = AgentSetup()
        setup.keys = ["stateDir": "\"\(state)\""]
        return setup
    }
}

extension Gateway {
    /// Publishes a command whose id the test has chosen.
    func send(again id: String, _ verb: String, _ fields: String, on device: TestDevice? = nil) async throws {
        let payload = "{\"id\":\"\(id)\",\"verb\":\"\(verb)\",\(fields)}"
        let topic = device.map { self.topic($0, "cmd/test") } ?? self.topic("cmd/test")
        try await caller.publish(MQTTPublication(topic: topic, payload: Array(payload.utf8)))
    }

    /// All final results of a command that the caller has heard.
    func results(_ id: String) -> [Received] {
        caller.all(topic("res/test/\(id)")).filter { $0.json["final"] == true }
    }

    /// Waits until that many results of a command have been heard, and gives the last.
    func result(_ id: String, number: Int) async throws -> Received {
        let topic = topic("res/test/\(id)")
        return try await hear("result \(number) of \(id)", count: number) {
            $0.topic == topic && $0.json["final"] == true
        }
    }

    /// Answers when the journal has taken in all that was asked of it before.
    func settleJournal() async throws { _ = try await send("scan.stop", #""session":"none""#) }

    /// The next start of the same agent: the same state directory, world and broker.
    func restarted() async throws -> Gateway {
        let next = try await startAgent(setup, world, broker, caller)
        try await next.subscribed()
        return next
    }
}

extension AgentLane2 {
    /// What becomes of commands when the agent dies.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct RecoveryTests {
        private static let write = #""service":"fff0","characteristic":"fff5","value":{"hex":"2a"}"#

        private static let read = #""service":"fff0","characteristic":"fff3""#

        @Test func `a write that was out when the agent died is unknown, and is not sent again`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.world.attDelay = .seconds(20)
                try await withAgent(setup) { first in
                    let id = try await first.start("write", Self.write, on: .awkward)
                    await first.world.waitForCalls(of: "WriteValue")
                    _ = try await first.stop(SIGKILL)
                    let second = try await first.restarted()
                    let result = try await second.result(id)
                    #expect(result.json["status"] == "unknown" && result.json["applied"] == "maybe")
                    #expect(result.json["error"]["code"] == "outcome-unknown")
                    #expect(result.json["error"]["stage"] == "operate" && result.json["error"]["retryable"] == false)
                    try await second.send(again: id, "write", Self.write, on: .awkward)
                    let repeated = try await second.result(id, number: 2)
                    #expect(repeated.text == result.text.dropLast() + #","replayed":true}"#)
                    try await second.settle()
                    #expect(await second.world.times(of: "WriteValue").count == 1)
                    _ = try await second.stop(SIGKILL)
                }
            }
        }

        @Test func `a write that may be sent twice is sent again`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.world.attDelay = .milliseconds(1500)
                try await withAgent(setup) { first in
                    let fields = Self.write + #","retry":{"idempotent":true}"#
                    let id = try await first.start("write", fields, on: .awkward)
                    await first.world.waitForCalls(of: "WriteValue")
                    _ = try await first.stop(SIGKILL)
                    let second = try await first.restarted()
                    #expect(try await second.result(id).json["status"] == "ok")
                    // More than once again while the device is at work on the first one.
                    #expect(await second.world.count(of: "WriteValue") >= 2)
                    _ = try await second.stop()
                }
            }
        }

        @Test func `what waited when the agent died runs afterwards; what expired meanwhile does not`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.world.attDelay = .milliseconds(1500)
                try await withAgent(setup) { first in
                    _ = try await first.start("read", Self.read, on: .awkward)
                    await first.world.waitForCalls(of: "ReadValue")
                    let waiting = try await first.start("write", Self.write, on: .awkward)
                    let late = try await first.start("write", Self.write + #","ttlMs":300"#, on: .awkward)
                    let job = "dev/\(TestDevice.awkward.hex)/job"
                    try await first.hear(on: job, count: 3) { $0["status"] == "accepted" }
                    _ = try await first.stop(SIGKILL)
                    // Its time is over when the next start reads it: 300 ms are less than any start takes, nearly.
                    try await Task.sleep(for: .milliseconds(350))
                    let second = try await first.restarted()
                    let expired = try await second.result(late).json
                    #expect(expired["status"] == "expired" && expired["applied"] == "no")
                    #expect(try await second.result(waiting).json["status"] == "ok")
                    #expect(await second.world.times(of: "WriteValue").count == 1)
                    _ = try await second.stop()
                }
            }
        }

        @Test func `of two that came in one breath only the first is in doubt when the agent dies`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.world.attDelay = .milliseconds(1500)
                try await withAgent(setup) { first in
                    _ = try await first.send("connect", on: .awkward)
                    // So that it reads both in one turn.
                    first.agent.send(SIGSTOP)
                    let begun = try await first.start("write", Self.write, on: .awkward)
                    let waiting = try await first.start("write", Self.write, on: .awkward)
                    first.agent.send(SIGCONT)
                    await first.world.waitForCalls(of: "WriteValue")
                    let job = "dev/\(TestDevice.awkward.hex)/job"
                    try await first.hear(on: job, count: 3) { $0["status"] == "accepted" }
                    _ = try await first.stop(SIGKILL)
                    let second = try await first.restarted()
                    #expect(try await second.result(begun).json["error"]["code"] == "outcome-unknown")
                    // It runs; the device may still be at work on the first one, and refuse it.
                    let ran = try await second.result(waiting).json
                    #expect(ran["status"] == "ok" || ran["error"]["code"] == "busy")
                    _ = try await second.stop()
                }
            }
        }

        @Test func `a command that ended is answered from the journal, and another one of its id is a conflict`()
            async throws
        {
            try await withStateFolder { state in
                try await withAgent(.lasting(state)) { first in
                    let id = try await first.start("write", Self.write, on: .awkward)
                    let result = try await first.result(id)
                    #expect(result.json["status"] == "ok")
                    // With it the journal knows that the broker has the result; else that is sent once more.
                    try await first.settleJournal()
                    _ = try await first.stop(SIGKILL)
                    let second = try await first.restarted()
                    try await second.send(again: id, "write", Self.write + #","ttlMs":60000"#, on: .awkward)
                    let repeated = try await second.result(id, number: 2)
                    #expect(repeated.text == result.text.dropLast() + #","replayed":true}"#)
                    let other = #""service":"fff0","characteristic":"fff5","value":{"hex":"00"}"#
                    try await second.send(again: id, "write", other, on: .awkward)
                    let conflict = try await second.result(id, number: 3).json
                    #expect(conflict["error"]["code"] == "duplicate-conflict" && conflict["replayed"] == .missing)
                    // A time that has passed since does not make another answer of it.
                    let past = #","expires":"2020-01-01T00:00:00.000Z""#
                    try await second.send(again: id, "write", Self.write + past, on: .awkward)
                    #expect(try await second.result(id, number: 4).text == repeated.text)
                    #expect(second.agent.lines(with: "code=expired").isEmpty)
                    #expect(await second.world.times(of: "WriteValue").count == 1)
                    _ = try await second.stop()
                }
            }
        }

        @Test func `a result that the broker never had is sent by the next start, byte for byte`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.world.attDelay = .milliseconds(1500)
                setup.broker.isPersistent = true
                try await withAgent(setup) { first in
                    let boot = try await first.send("ping")["boot"]
                    let id = try await first.start("write", Self.write, on: .awkward)
                    await first.world.waitForCalls(of: "WriteValue")
                    try await first.broker.kill()
                    try await first.agent.waitForLog("Broker lost")
                    try await within("the result on disk") {
                        // The agent says nothing of a result that it keeps.
                        while try !journalHas(state, id) { try await Task.sleep(for: .milliseconds(20)) }
                    }
                    _ = try await first.stop(SIGKILL)
                    try await first.broker.start()
                    try await first.caller.subscribed(connection: 2)
                    let second = try await startAgent(first.setup, first.world, first.broker, first.caller)
                    let result = try await second.result(id).json
                    #expect(result["status"] == "ok" && result["boot"] == boot)
                    #expect(await second.world.times(of: "WriteValue").count == 1)
                    _ = try await second.stop()
                }
            }
        }

        @Test func `a stop in order leaves what waits to the next start`() async throws {
            try await withStateFolder { state in
                var setup = AgentSetup.lasting(state)
                setup.world.attDelay = .milliseconds(1500)
                try await withAgent(setup) { first in
                    let running = try await first.start("read", Self.read, on: .awkward)
                    await first.world.waitForCalls(of: "ReadValue")
                    let waiting = try await first.start("write", Self.write, on: .awkward)
                    let read = try await first.start("read", Self.read, on: .awkward)
                    let job = "dev/\(TestDevice.awkward.hex)/job"
                    try await first.hear(on: job, count: 3) { $0["status"] == "accepted" }
                    #expect(try await first.stop() == 0)
                    #expect(try await first.result(running).json["status"] == "ok")
                    #expect(try await first.result(read).json["error"]["code"] == "shutting-down")
                    #expect(first.results(waiting).isEmpty)
                    let second = try await first.restarted()
                    #expect(try await second.result(waiting).json["status"] == "ok")
                    _ = try await second.stop()
                }
            }
        }

        @Test func `a damaged journal is told, refuses what changes something, and lets reads go on`() async throws {
            try await withStateFolder { state in
                try Data(repeating: 0x5A, count: 20_000).write(to: URL(filePath: state + "/journal.sqlite"))
                try await withAgent(.lasting(state)) { gateway in
                    let refused = try await gateway.send("write", Self.write, on: .awkward)
                    #expect(refused["status"] == "rejected" && refused["error"]["code"] == "storage-failed")
                    #expect(refused["applied"] == "no" && refused["error"]["retryable"] == true)
                    #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                    let info = try await gateway.send("info")["result"]
                    #expect(
                        info["journal"]["problem"].text?.contains("damaged") == true
                            || info["journal"]["problem"] != .missing
                    )
                    let health = try await gateway.hear(on: "health").json
                    #expect(health["journal"]["working"] == false)
                    #expect(await gateway.world.times(of: "WriteValue").isEmpty)
                }
            }
        }

        @Test func `without a state directory everything works, and info says that nothing is kept`() async throws {
            try await withAgent(.lasting("/proc/none")) { gateway in
                #expect(try await gateway.send("write", Self.write, on: .awkward)["status"] == "ok")
                let info = try await gateway.send("info")["result"]
                #expect(info["journal"]["kept"] == false && info["journal"]["durability"] == "none")
                #expect(info["state"]["kept"] == false)
            }
        }

        @Test func `a full disk refuses what changes something until there is room again`() async throws {
            try await withStateFolder { state in
                try await withAgent(.lasting(state)) { gateway in
                    #expect(try await gateway.send("write", Self.write, on: .awkward)["status"] == "ok")
                    try await limitFiles(of: gateway.agent.pid, to: "0")
                    let refused = try await gateway.send("write", Self.write, on: .awkward)
                    #expect(refused["error"]["code"] == "storage-failed" && refused["applied"] == "no")
                    #expect(try await gateway.send("read", Gateway.level, on: .battery)["status"] == "ok")
                    try await gateway.agent.waitForLog("Journal fails")
                    try await limitFiles(of: gateway.agent.pid, to: "unlimited")
                    try await gateway.agent.waitForLog("Journal works again")
                    #expect(try await gateway.send("write", Self.write, on: .awkward)["status"] == "ok")
                }
            }
        }
    }
}

/// How many bytes a file of a process may grow to: what a full disk looks like, without a disk.
private func limitFiles(of process: pid_t, to bytes: String) async throws {
    try await ChildProcess.run("/usr/bin/prlimit", ["--pid", "\(process)", "--fsize=\(bytes):unlimited"])
}

/// Whether a result with an id stands in the files of a journal.
private func journalHas(_ state: String, _ id: String) throws -> Bool {
    try ["journal.sqlite", "journal.sqlite-wal"].contains { name in
        let file = URL(filePath: "\(state)/\(name)")
        guard FileManager.default.fileExists(atPath: file.path) else { return false }
        return try Data(contentsOf: file).range(of: Data("{\"id\":\"\(id)\"".utf8 + [0x2C, 0x22, 0x63])) != nil
    }
}
