import EventLoop
import Foundation
import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// Very large and very many messages.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct FloodCaseTests {
        private static let mib = 1 << 20

        /// Waits until the agent holds no more than so many bytes above what it held; how long that takes is not what is
        /// meant.
        private func holds(_ gateway: Gateway, above before: Int, atMost bytes: Int) async throws {
            let limit = before + AgentProgram.resident(bytes)
            for _ in 0..<50 {
                if try gateway.agent.residentBytes() <= limit { break }
                try await gateway.settle()
            }
            let after = try gateway.agent.residentBytes()
            #expect(after <= limit, "\(before >> 10) KiB before, \(after >> 10) KiB after")
        }

        @Test(arguments: [1, 50])
        func `B61: a command over the limit is refused unread, and its memory is given back`(mebibytes: Int)
            async throws
        {
            try await withAgent(try JobWorld.setup()) { gateway in
                for _ in 0..<5 { try await gateway.settle() }
                let before = try gateway.agent.residentBytes()
                let filler = String(repeating: "a", count: mebibytes * Self.mib)
                let payload = #"{"id":"big","verb":"read","x":"\#(filler)"}"#
                let arguments = ["-h", "127.0.0.1", "-p", "\(gateway.broker.port)", "-q", "1", "-s"]
                let mark = gateway.caller.mark
                for place in ["cmd/test", "dev/\(TestDevice.thing.hex)/cmd/test", "group/hall/cmd/test"] {
                    try await ChildProcess.run(
                        "/usr/bin/mosquitto_pub",
                        arguments + ["-t", gateway.topic(place)],
                        input: payload
                    )
                }
                let topic = gateway.topic("res/test/")
                _ = try await gateway.hear("the refusals", from: mark, count: 3) { $0.topic.hasPrefix(topic) }
                try await gateway.settle()
                let answers = gateway.caller.all(from: mark, topic).filter { $0.json["verb"] != "ping" }
                #expect(answers.count == 3)
                for answer in answers.map(\.json) {
                    #expect(
                        answer["status"] == "rejected" && answer["error"]["code"] == "payload-too-large",
                        "\(answer)"
                    )
                    #expect(answer["id"] == nil, "\(answer)")
                }
                try await holds(gateway, above: before, atMost: 16 * Self.mib)
                #expect(try await gateway.send("read", JobWorld.one, on: .thing)["status"] == "ok")
            }
        }

        /// A case: how many commands, what they say, the code of all but those that find a place.
        struct Flood: Sendable, CustomTestStringConvertible {
            var count: Int
            var members: String
            var rest: String
            var code: String
            /// How many may be carried out.
            var places: Int
            var testDescription: String { "\(count) times \(code)" }
        }

        /// The field's ten thousand commands are all here, of its hundred thousand unknown ones a fifth: more would take
        /// too long.
        private static let floods = [
            Flood(
                count: 10_000,
                members: #""verb":"read",\#(JobWorld.one)"#,
                rest: "dev/\(TestDevice.thing.hex)/cmd/flood",
                code: "queue-full",
                places: 33
            ),
            Flood(count: 20_000, members: #""verb":"fly""#, rest: "cmd/flood", code: "unknown-verb", places: 0),
        ]

        @Test(arguments: floods)
        func `B61: a flood of commands is answered one by one, and leaves neither a long log nor memory behind`(
            flood: Flood
        ) async throws {
            // The first read never ends: what is taken beyond it waits.
            var setup = try JobWorld.setup(
                faults: ["{member: ReadValue, nth: 1, steps: []}"],
                keys: [
                    "limits.maxQueuedPerDevice": "32", "limits.replayCommands": "100", "limits.replayBytes": "65536",
                ]
            )
            // To read all that is answered would be most of the work.
            setup.hears = ["edge/v1/gw/res/test/#", "edge/v1/gw/bluetooth"]
            try await withAgent(setup) { gateway in
                for _ in 0..<5 { try await gateway.settle() }
                let before = try gateway.agent.residentBytes()
                try await withTally(gateway) { tally in
                    let lines = (0..<flood.count).map { "{\"id\":\($0),\(flood.members)}\n" }.joined()
                    try await ChildProcess.run(
                        "/usr/bin/mosquitto_pub",
                        [
                            "-h", "127.0.0.1", "-p", "\(gateway.broker.port)", "-q", "1", "-l", "-t",
                            gateway.topic(flood.rest),
                        ],
                        input: lines
                    )
                    let refused = flood.count - flood.places
                    try await within("\(refused) answers", seconds: 100) { try await tally.wait(for: refused) }
                    try await gateway.settle()
                    if flood.places > 0 {
                        // Meanwhile it has been told of what waits, and nobody else was held up.
                        let jobs = try await gateway.send("jobs", #""limit":1000"#)["result"]["jobs"].list
                        #expect(jobs.count == flood.places)
                        _ = try await gateway.send("cancel", #""all":true"#)
                    }
                    try await within("all answers") { try await tally.wait(for: flood.count) }
                    let counts = tally.counts
                    #expect(counts[flood.code] == refused, "\(counts)")
                    #expect(counts["cancelled"] ?? 0 == flood.places, "\(counts)")
                    #expect(tally.topics.count == flood.count && tally.topics.values.allSatisfy { $0 == 1 })
                }
                #expect(gateway.agent.lines(with: "info agent: Command refused").count <= 20)
                #expect(gateway.agent.lines(with: "found no place").isEmpty)
                #expect(gateway.agent.lines(with: " agent: ").filter { !$0.contains("debug") }.count < 200)
                try await holds(gateway, above: before, atMost: 48 * Self.mib)
            }
        }

        @Test func `B85: a crowd of advertisements that nobody wants delays no command and leaves nothing behind`()
            async throws
        {
            var setup = try AgentSetup(scenario: "B85")
            setup.keys = ["limits.healthIntervalSeconds": "1"]
            try await withAgent(setup) { gateway in
                // Somebody listens, for a device that is not there: all that is heard is unwanted.
                let filter = #""session":"none","addresses":["c05a0000ffff"],"emit":"all""#
                #expect(try await gateway.send("scan.start", filter)["status"] == "ok")
                let value = #""service":"ffe0","characteristic":"ffe1""#
                #expect(try await gateway.send("read", value, on: .thing)["status"] == "ok")
                let first = try await gateway.hear(on: "health") { $0["counters"]["advertisements"].number ?? 0 > 1000 }
                let before = try gateway.agent.residentBytes()
                var slowest = Duration.zero
                for _ in 0..<100 {
                    let start = ContinuousClock.now
                    #expect(try await gateway.send("read", value, on: .thing)["status"] == "ok")
                    slowest = max(slowest, .now - start)
                }
                #expect(slowest < .seconds(5), "\(slowest)")
                // The crowd was there all the while.
                let heard = first.json["counters"]["advertisements"].number ?? 0
                try await gateway.hear(on: "health", from: first.number) {
                    $0["counters"]["advertisements"].number ?? 0 > heard + 2000
                }
                try await holds(gateway, above: before, atMost: 8 * Self.mib)
                #expect(gateway.caller.all(suffix: "scan/none").isEmpty)
            }
        }

        /// Counts results by topic and code: a caller that keeps and reads every message would be what is measured.
        private final class Tally: Sendable {
            private let heard = Locked<(codes: [String: Int], topics: [String: Int])>(([:], [:]))
            private let waiters = Waiters()

            func hear(_ message: MQTTMessage) {
                let code = message.userProperties.first { $0.name == "code" }?.value ?? ""
                heard.withLock { heard in
                    heard.codes[code, default: 0] += 1
                    heard.topics[message.topic, default: 0] += 1
                }
                waiters.check()
            }

            func wait(for count: Int) async throws {
                _ = try await waiters.wait { self.heard.withLock { $0.topics.count >= count } ? true : nil }
            }

            var counts: [String: Int] { heard.withLock { $0.codes } }
            var topics: [String: Int] { heard.withLock { $0.topics } }
        }

        private func withTally(_ gateway: Gateway, _ body: (Tally) async throws -> Void) async throws {
            let loop = try EventLoop.startThread()
            defer { loop.stop() }
            let tally = Tally()
            let events = Log<MQTTEvent>()
            let client = MQTTClient(
                MQTTConfiguration(host: "127.0.0.1", port: gateway.broker.port, clientID: "tally"),
                on: loop,
                onMessage: { tally.hear($0) },
                onEvent: { events.append($0) }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: loop) { try await client.run() }
                try await client.subscribe([MQTTSubscription(gateway.topic("res/flood/+"))])
                let result: Result<Void, any Error>
                do {
                    try await within("the subscription") {
                        try await events.wait { if case .subscription(_, .granted) = $0 { true } else { false } }
                    }
                    result = .success(try await body(tally))
                } catch {
                    result = .failure(error)
                }
                await client.close(timeout: .milliseconds(200))
                group.cancelAll()
                try await group.waitForAll()
                try result.get()
            }
        }
    }
}
