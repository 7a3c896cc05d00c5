import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// The end in order, and the end at once.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct StoppingTests {
        private static let sigint: Int32 = 2
        private static let sigterm: Int32 = 15

        @Test func `restart is answered first, and then the agent ends in order with the code for another start`()
            async throws
        {
            try await withStateFolder { state in
                try await withAgent(.lasting(state)) { gateway in
                    let id = try await gateway.start("restart")
                    #expect(try await gateway.result(id).json["status"] == "ok")
                    try await gateway.hear("offline", on: "status")
                    #expect(try await gateway.ended() == 75)
                    // The next start has nothing left to do of it.
                    let mark = gateway.caller.mark
                    let next = try await gateway.restarted()
                    try await next.send(again: id, "restart", #""ack":false"#)
                    let again = try await next.hear("the same answer", from: mark) { $0.topic.hasSuffix("/\(id)") }
                    #expect(again.json["replayed"] == true)
                    try await next.settle()
                }
            }
        }

        @Test(arguments: [sigterm, sigint], [true, false])
        func `a signal lets the running job finish, leaves or refuses the rest, releases links and says offline`(
            signal: Int32,
            hasJournal: Bool
        ) async throws {
            var setup = AgentSetup()
            if !hasJournal { setup.keys["stateDir"] = "/proc/none" }
            setup.world.attDelay = .milliseconds(500)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .heart)
                _ = try await gateway.send("scan.start", #""session":"long""#)
                let scan = try await gateway.start("scan", #""durationMs":30000"#)
                let running = try await gateway.start("read", Gateway.level, on: .battery)
                await gateway.world.waitForCalls(of: "ReadValue")
                var queued: [String] = []
                for _ in 0..<2 {
                    queued.append(
                        try await gateway.start("write", Gateway.level + #","value":{"hex":"00"}"#, on: .battery)
                    )
                }
                let reading = try await gateway.start("read", Gateway.level, on: .battery)
                try await gateway.hear(on: "dev/\(TestDevice.battery.hex)/job", count: 4) { $0["status"] == "accepted" }
                gateway.agent.send(signal)
                try await gateway.agent.waitForLog("Agent is stopping")
                let late = try await gateway.start("ping")
                #expect(try await gateway.ended() == 0)
                let offline = try await gateway.hear("offline", on: "status")
                #expect(offline.message.retain)
                let done = try await gateway.result(running)
                #expect(done.json["status"] == "ok")
                for id in [reading] + (hasJournal ? [] : queued) {
                    let answer = try await gateway.result(id)
                    #expect(answer.json["status"] == "rejected" && answer.json["error"]["code"] == "shutting-down")
                    #expect(answer.json["error"]["retryable"] == true)
                    #expect(answer.json["applied"] == (id == reading ? .missing : "no"))
                    #expect(answer.number < done.number)
                }
                // What the journal has is the next start's to do.
                if hasJournal { for id in queued { #expect(gateway.results(id).isEmpty) } }
                #expect(try await gateway.result(late).json["error"]["code"] == "shutting-down")
                #expect(try await gateway.result(scan).json["status"] == "cancelled")
                let stopped = try await gateway.hear("stopped", on: "scan/long/state")
                #expect(stopped.json["reason"] == "shutdown")
                #expect(gateway.caller.all(gateway.topic("")).last?.number == offline.number)
                #expect(gateway.caller.all(gateway.topic("res/")).count == (hasJournal ? 6 : 8))
                #expect(await !gateway.world.isConnected(.heart))
                #expect(await !gateway.world.isConnected(.battery))
                let link = gateway.caller.all(gateway.topic(.battery, "link")).last
                #expect(link?.json["state"] == "disconnected")
                #expect(try await gateway.retained()[gateway.topic("status")]?["state"] == "offline")
                #expect(gateway.agent.lines(with: "Agent has stopped").count == 1)
            }
        }

        @Test func `a job that does not end within the grace is cancelled`() async throws {
            var setup = AgentSetup()
            setup.keys = ["shutdownGraceMs": "200"]
            setup.world.attDelay = .seconds(20)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                let write = #""service":"fff0","characteristic":"fff5","value":{"hex":"01"}"#
                let id = try await gateway.start("write", write, on: .awkward)
                await gateway.world.waitForCalls(of: "WriteValue")
                #expect(try await gateway.stop() == 0)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "cancelled" && answer["applied"] == "maybe")
                try await gateway.hear("offline", on: "status")
            }
        }

        @Test(arguments: [[sigterm, sigterm], [sigint, sigterm]])
        func `a second signal ends the agent at once`(signals: [Int32]) async throws {
            var setup = AgentSetup()
            setup.world.attDelay = .seconds(20)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .awkward)
                try await gateway.start("read", #""service":"fff0","characteristic":"fff3""#, on: .awkward)
                await gateway.world.waitForCalls(of: "ReadValue")
                gateway.agent.send(signals[0])
                try await gateway.agent.waitForLog("Agent is stopping")
                let begin = ContinuousClock.now
                #expect(try await gateway.stop(signals[1]) == 128 + signals[1])
                #expect(ContinuousClock.now - begin < .seconds(20))
            }
        }

        @Test func `an agent whose broker has gone stops within a moment`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("connect", on: .heart)
                try await gateway.broker.kill()
                try await gateway.agent.waitForLog("Broker lost")
                let begin = ContinuousClock.now
                #expect(try await gateway.stop() == 0)
                #expect(ContinuousClock.now - begin < .seconds(30))
                #expect(await !gateway.world.isConnected(.heart))
            }
        }

        @Test func `a broker that is silent holds the end up for seconds only`() async throws {
            try await withAgent { gateway in
                gateway.broker.freeze()
                let begin = ContinuousClock.now
                let status = try await gateway.stop()
                #expect(status == 0)
                #expect(ContinuousClock.now - begin < .seconds(40))
                gateway.broker.thaw()
            }
        }

        @Test func `an agent stops in order when the bus has gone`() async throws {
            try await withAgent { gateway in
                _ = try await gateway.send("connect", on: .heart)
                try await gateway.world.killBus()
                try await gateway.hear("absent", on: "bluetooth")
                #expect(try await gateway.stop() == 0)
                try await gateway.hear("offline", on: "status")
            }
        }
    }
}
