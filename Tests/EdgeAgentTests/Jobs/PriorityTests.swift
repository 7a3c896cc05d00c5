import Foundation
import MQTT
import TestSupport
import Testing

extension AgentLane2 {
    /// Who comes first, who waits no longer, and who finds no place.
    @Suite(.timeLimit(.minutes(10)))
    struct PriorityTests {
        /// The first read holds its device up long enough for others to gather behind it.
        private static let slowStart = "{member: ReadValue, nth: 1, steps: [{carryOut: {lateMs: 1500}}]}"

        /// Begins a job that holds the device up.
        private func hold(_ gateway: Gateway, _ device: TestDevice = .thing) async throws -> String {
            let before = await gateway.world.count(of: "ReadValue")
            let id = try await gateway.start("read", JobWorld.one, on: device)
            await gateway.world.waitForCalls(of: "ReadValue", count: before + 1)
            return id
        }

        private func starts(_ gateway: Gateway, count: Int) async throws -> [String] {
            let topic = gateway.topic(.thing, "job")
            _ = try await gateway.hear("the last end", count: count) { $0.topic == topic && $0.json["final"] == true }
            return gateway.observed(.thing).filter { $0.hasSuffix(" started") }.map { String($0.dropLast(8)) }
        }

        @Test func `urgent overtakes what waits and interrupts nothing`() async throws {
            try await withAgent(try JobWorld.setup(faults: [Self.slowStart])) { gateway in
                let first = try await hold(gateway)
                let low = try await gateway.start("read", JobWorld.three + #","priority":"low""#, on: .thing)
                let normal = try await gateway.start("read", JobWorld.three, on: .thing)
                let urgent = try await gateway.start("read", JobWorld.three + #","priority":"urgent""#, on: .thing)
                let last = try await gateway.start("read", JobWorld.three + #","priority":"urgent""#, on: .thing)
                for id in [first, low, normal, urgent, last] {
                    #expect(try await gateway.result(id).json["status"] == "ok")
                }
                #expect(try await starts(gateway, count: 5) == [first, urgent, last, normal, low])
            }
        }

        @Test func `low is overtaken so often and no more`() async throws {
            try await withAgent(try JobWorld.setup(faults: [Self.slowStart])) { gateway in
                _ = try await hold(gateway)
                let low = try await gateway.start("read", JobWorld.three + #","priority":"low""#, on: .thing)
                for _ in 0..<14 { try await gateway.start("read", JobWorld.three, on: .thing) }
                #expect(try await gateway.result(low).json["status"] == "ok")
                let place = try #require(try await starts(gateway, count: 16).firstIndex(of: low))
                #expect((2...9).contains(place), "\(place)")
            }
        }

        @Test(arguments: ["ttlMs", "expires"])
        func `a job whose time is over while it waits is told so then, and never runs`(field: String) async throws {
            try await withAgent(try JobWorld.setup(faults: ["{member: ReadValue, nth: 1, steps: []}"])) { gateway in
                let held = try await hold(gateway)
                let time = Date(timeIntervalSinceNow: 0.5).ISO8601Format(.init(includingFractionalSeconds: true))
                let bound = field == "ttlMs" ? #""ttlMs":500"# : #""expires":"\#(time)""#
                let fields = "\(JobWorld.three),\(JobWorld.value),\(bound)"
                let id = try await gateway.start("write", fields, on: .thing)
                let answer = try await gateway.result(id).json
                #expect(answer["status"] == "expired" && answer["error"]["code"] == "expired", "\(answer)")
                #expect(answer["error"]["stage"] == "queue" && answer["error"]["retryable"] == false, "\(answer)")
                #expect(answer["applied"] == "no", "\(answer)")
                #expect(gateway.finals(of: held).isEmpty)
                #expect(await gateway.world.count(of: "WriteValue") == 0)
                _ = try await gateway.send("cancel", #""all":true"#)
            }
        }

        @Test func `past the bound of a device, and past that of all, the answer is queue-full at once`() async throws {
            let keys = ["limits.maxQueuedPerDevice": "2", "limits.maxQueuedTotal": "3"]
            let setup = try JobWorld.setup(devices: 3, faults: ["{member: ReadValue, steps: []}"], keys: keys)
            try await withAgent(setup) { gateway in
                let devices = (0..<3).map { TestDevice.thing($0) }
                for device in devices { _ = try await hold(gateway, device) }
                let write = "\(JobWorld.three),\(JobWorld.value)"
                for _ in 0..<2 { try await gateway.start("write", write, on: devices[0]) }
                let perDevice = try await gateway.send("write", write, on: devices[0])
                try await gateway.start("write", write, on: devices[1])
                let total = try await gateway.send("write", write, on: devices[2])
                for answer in [perDevice, total] {
                    #expect(answer["status"] == "rejected" && answer["error"]["code"] == "queue-full", "\(answer)")
                    #expect(answer["error"]["stage"] == "queue" && answer["error"]["retryable"] == true, "\(answer)")
                    #expect(answer["applied"] == "no" && answer["error"]["retryAfterMs"].number != nil, "\(answer)")
                }
                #expect(perDevice["error"]["detail"] != total["error"]["detail"])
                // Only these have an answer: everything else waits or runs.
                #expect(gateway.caller.all(gateway.topic("res/")).count == 2)
                #expect(await gateway.world.count(of: "WriteValue") == 0)
            }
        }

        @Test func `a device whose Connect is never answered delays nobody else`() async throws {
            let dead = "{member: Connect, device: \"\(TestDevice.thing(0).address)\", steps: []}"
            try await withAgent(try JobWorld.setup(devices: 3, faults: [dead])) { gateway in
                var stuck: [String] = []
                for _ in 0..<3 { stuck.append(try await gateway.start("read", JobWorld.one, on: .thing(0))) }
                await gateway.world.waitForCalls(of: "Connect")
                for number in 1...2 {
                    for _ in 0..<3 {
                        #expect(try await gateway.send("read", JobWorld.one, on: .thing(number))["status"] == "ok")
                    }
                }
                #expect(stuck.allSatisfy { gateway.finals(of: $0).isEmpty })
            }
        }
    }
}
