import MQTT
import TestSupport
import Testing

extension AgentLane3 {
    /// The steps before the result: for callers that ask, and for observers of the device.
    @Suite(.timeLimit(.minutes(10)))
    struct StepTests {
        @Test func `with ack a caller hears of its place, of the start, and of the end, in order`() async throws {
            let late = "{member: ReadValue, nth: 1, steps: [{carryOut: {lateMs: 600}}]}"
            try await withAgent(try JobWorld.setup(faults: [late])) { gateway in
                var ids: [String] = []
                for _ in 0..<3 {
                    ids.append(try await gateway.start("read", JobWorld.one + #","ack":true"#, on: .thing))
                }
                let quiet = try await gateway.start("read", JobWorld.one, on: .thing)
                for id in ids + [quiet] { #expect(try await gateway.result(id).json["status"] == "ok") }
                for (place, id) in ids.enumerated() {
                    #expect(gateway.statuses(of: id) == ["accepted", "started", "ok"])
                    let steps = gateway.caller.all(gateway.topic("res/test/\(id)"))
                    #expect(steps[0].json["place"].number == Double(place), "\(steps[0].text)")
                    #expect(steps.map(\.json["final"]) == [false, false, true])
                    #expect(
                        steps.allSatisfy { $0.json["verb"] == "read" && $0.json["dev"].text == TestDevice.thing.hex }
                    )
                    let numbers = steps.compactMap(\.json["seq"].number)
                    #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
                }
                #expect(gateway.statuses(of: quiet) == ["ok"])
            }
        }

        @Test func `the steps go where the result goes, with the correlation data`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let payload = #"{"id":"s1","verb":"read",\#(JobWorld.one),"ack":true}"#
                let topic = "dev/\(TestDevice.thing.hex)/cmd/test"
                try await gateway.start(payload, to: topic, responseTopic: "reply/me", correlation: "xyz")
                _ = try await gateway.hear("the result") { $0.topic == "reply/me" && $0.json["final"] == true }
                let steps = gateway.caller.all("reply/me")
                #expect(steps.map(\.json["status"]) == ["accepted", "started", "ok"])
                #expect(steps.allSatisfy { $0.message.correlationData == Array("xyz".utf8) })
                #expect(steps.map { $0.properties["status"] } == ["accepted", "started", "ok"])
                #expect(gateway.caller.all(gateway.topic("res/")).isEmpty)
            }
        }

        @Test func `commands of the gateway have the same steps`() async throws {
            try await withAgent(try JobWorld.setup()) { gateway in
                let scan = try await gateway.start("scan", #""durationMs":100,"ack":true"#)
                #expect(try await gateway.result(scan).json["status"] == "ok")
                #expect(gateway.statuses(of: scan) == ["accepted", "started", "ok"])
                // Found first, then queued like any other job of the device.
                let connect = try await gateway.start("connect", #""match":{"name":"Thing 0"},"ack":true"#)
                #expect(try await gateway.result(connect).json["status"] == "ok")
                #expect(gateway.statuses(of: connect) == ["accepted", "started", "ok"])
            }
        }

        @Test func `a group's steps are the group's alone`() async throws {
            let members = (0..<2).map { "\"\(TestDevice.thing($0).address)\"" }.joined(separator: ", ")
            let setup = try JobWorld.setup(devices: 2, keys: ["groups.all-of-them": "[\(members)]"])
            try await withAgent(setup) { gateway in
                let command = #"{"id":"g1","verb":"read",\#(JobWorld.one),"ack":true}"#
                try await gateway.publish(command.utf8, to: "group/all-of-them/cmd/test")
                let answer = try await gateway.result("g1").json
                #expect(answer["status"] == "ok", "\(answer)")
                #expect(gateway.statuses(of: "g1") == ["accepted", "started", "ok"])
            }
        }

        @Test func `of steps that nobody hears only some go out, and who comes later misses none`() async throws {
            var setup = try JobWorld.setup()
            // All but what devices have.
            setup.hears = ["edge/v1/gw/+", "edge/v1/gw/res/#"]
            setup.broker.lines = ["log_type all"]
            try await withAgent(setup) { gateway in
                let topic = gateway.topic(.thing, "job")
                @discardableResult func read() async throws -> String {
                    let id = try await gateway.start("read", JobWorld.one, on: .thing)
                    #expect(try await gateway.result(id).json["status"] == "ok")
                    return id
                }
                func published() -> Int {
                    gateway.broker.log.split(separator: "\n").count {
                        $0.contains("Received PUBLISH") && $0.contains("'\(topic)'")
                    }
                }
                // All of the first go out, and the broker says that nobody subscribes. From then on the first two of a
                // job, which come at once, need one message, however slowly the third follows.
                try await read()
                var fewest = 30
                while fewest > 20 {
                    let before = published()
                    for _ in 0..<10 { try await read() }
                    fewest = published() - before
                }
                // Yet some do go out: the broker is asked again.
                try await gateway.broker.waitForLog("'\(topic)'", count: 4)

                try await gateway.caller.client.subscribe([MQTTSubscription(topic), MQTTSubscription("unused")])
                try await gateway.caller.subscribed(connection: 2)
                var ids: [String] = []
                for _ in 0..<3 { ids.append(try await read()) }
                func steps(of id: String) -> [Json] {
                    gateway.caller.all(topic).filter { $0.json["id"].text == id }.map(\.json["status"])
                }
                for id in ids {
                    _ = try await gateway.hear("the last step of \(id)") {
                        $0.topic == topic && $0.json["id"].text == id && $0.json["final"] == true
                    }
                    #expect(steps(of: id) == ["accepted", "started", "ok"])
                }
                let heard = gateway.caller.all(topic)
                #expect(heard.allSatisfy { $0.message.qos == .atLeastOnce })
                let numbers = heard.compactMap { $0.json["seq"].number.map(Int.init) }
                let first = try #require(numbers.first)
                #expect(numbers == Array(first..<first + heard.count))
            }
        }

        @Test func `what a lost broker was asked about observers is asked anew`() async throws {
            let late = "{member: ReadValue, nth: 2, steps: [{carryOut: {lateMs: 1500}}]}"
            var setup = try JobWorld.setup(faults: [late])
            setup.hears = ["edge/v1/gw/+", "edge/v1/gw/res/#"]
            try await withAgent(setup) { gateway in
                // Nobody subscribes, as the broker says.
                let first = try await gateway.start("read", JobWorld.one, on: .thing)
                #expect(try await gateway.result(first).json["status"] == "ok")
                try await gateway.settle()
                // The broker goes with what it was asked, in the middle of a job.
                try await gateway.start("read", JobWorld.one, on: .thing)
                await gateway.world.waitForCalls(of: "ReadValue", count: 2)
                try await gateway.broker.kill()
                try await gateway.agent.waitForLog("Broker lost")
                try await gateway.broker.start()
                try await gateway.caller.subscribed(connection: 2)
                try await gateway.subscribed(connection: 2)

                let topic = gateway.topic(.thing, "job")
                try await gateway.caller.client.subscribe([MQTTSubscription(topic), MQTTSubscription("unused")])
                try await gateway.caller.subscribed(connection: 3)
                let last = try await gateway.start("read", JobWorld.one, on: .thing)
                _ = try await gateway.hear("its last step") {
                    $0.topic == topic && $0.json["id"].text == last && $0.json["final"] == true
                }
                let steps = gateway.caller.all(topic).filter { $0.json["id"].text == last }.map(\.json["status"])
                #expect(steps == ["accepted", "started", "ok"])
            }
        }

        @Test func `job tells the steps of a job that waits, runs, and has ended`() async throws {
            let late = "{member: ReadValue, nth: 1, steps: [{carryOut: {lateMs: 1500}}]}"
            try await withAgent(try JobWorld.setup(faults: [late])) { gateway in
                let running = try await gateway.start("read", JobWorld.one, on: .thing)
                await gateway.world.waitForCalls(of: "ReadValue")
                let waiting = try await gateway.start("read", JobWorld.three + #","priority":"low""#, on: .thing)
                func job(_ id: String) async throws -> Json {
                    let answer = try await gateway.send("job", #""of":{"client":"test","id":"\#(id)"}"#)
                    #expect(answer["status"] == "ok", "\(answer)")
                    return answer["result"]
                }
                let first = try await job(running)
                #expect(first["job"]["state"] == "running" && first["job"]["stage"] == "operate", "\(first)")
                #expect(first["steps"].list.map(\.["status"]) == ["accepted", "started"], "\(first)")
                let second = try await job(waiting)
                #expect(second["job"]["state"] == "waiting" && second["job"]["place"] == 1, "\(second)")
                #expect(second["job"]["priority"] == "low", "\(second)")
                #expect(try await gateway.result(waiting).json["status"] == "ok")
                let ended = try await job(waiting)
                #expect(ended["job"]["state"] == "ended", "\(ended)")
                #expect(ended["steps"].list.map(\.["status"]) == ["accepted", "started", "ok"], "\(ended)")
                let none = try await gateway.send("job", #""of":{"client":"test","id":"nobody"}"#)
                #expect(none["status"] == "rejected" && none["error"]["code"] == "unknown-job", "\(none)")
            }
        }
    }
}
