import Foundation
import TestSupport
import Testing

extension AgentLane2 {
    /// What is remembered of jobs, and for how long.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct JobRecordTests {
        @Test func `a job whose device is not free yet stands in the list with its own time, in order and on its page`()
            async throws
        {
            var setup = AgentSetup()
            setup.world.attDelay = .milliseconds(1500)
            try await withAgent(setup) { gateway in
                _ = try await gateway.send("connect", on: .battery)
                let first = try await gateway.start("read", Gateway.level, on: .battery)
                try await gateway.hear(on: "dev/\(TestDevice.battery.hex)/job") {
                    $0["id"].text == first && $0["status"] == "started"
                }
                let running = try await gateway.send("jobs")["result"]["jobs"][0]
                #expect(running["id"].text == first && running["state"] == "running")
                #expect(
                    try await gateway.send("cancel", #""dev":"\#(TestDevice.battery.hex)""#)["result"]["count"] == 1
                )
                #expect(try await gateway.result(first).json["status"] == "cancelled")
                let second = try await gateway.start("read", Gateway.level, on: .battery)
                let whole = try await gateway.send("jobs")["result"]
                #expect(whole["jobs"].list.map(\.["id"].text) == [first, second])
                #expect(whole["jobs"].list.map(\.["state"].text) == ["settling", "waiting"])
                #expect(whole["jobs"][0]["accepted"] == running["accepted"])
                #expect(whole["jobs"][0]["job"] == running["job"])
                let page = try await gateway.send("jobs", #""limit":1"#)["result"]
                #expect(page["jobs"].list.map(\.["id"].text) == [first] && page["truncated"] == true)
                let number = Int(try #require(page["jobs"][0]["job"].number))
                let next = try await gateway.send("jobs", #""limit":1,"after":\#(number)"#)["result"]
                #expect(next["jobs"].list.map(\.["id"].text) == [second] && next["truncated"] == false)
                #expect(try await gateway.result(second).json["status"] == "ok")
            }
        }

        @Test func `what a group's members warn of stands in the group's result, once`() async throws {
            var setup = AgentSetup()
            setup.aliases = [("cell", .battery), ("pulse", .heart)]
            setup.keys = ["groups.all": "[cell, pulse]", "stateDir": "\"/proc/none\""]
            try await withAgent(setup) { gateway in
                let fields = #""durable":true,"x":1,"# + Gateway.level
                let command = #"{"id":"g1","verb":"subscribe",\#(fields)}"#
                try await gateway.publish(command.utf8, to: "group/all/cmd/test")
                let result = try await gateway.result("g1").json
                #expect(result["status"] == "ok" && result["result"]["members"].list.count == 2)
                let warnings = result["warnings"].list.compactMap(\.text)
                #expect(warnings.count == 2)
                #expect(warnings.first == #"ignored field "x""#)
                #expect(warnings.last?.hasPrefix("durable: not kept: ") == true)
            }
        }

        @Test func `an answer that the broker refuses does not keep its command remembered for ever`() async throws {
            try await withStateFolder { folder in
                var setup = AgentSetup()
                setup.keys = ["limits.replayCommands": "100"]
                let list = "topic readwrite #\ntopic deny edge/v1/gw/res/locked/#\n"
                try list.write(toFile: folder + "/acl", atomically: true, encoding: .utf8)
                setup.broker.lines = ["acl_file \(folder)/acl"]
                try await withAgent(setup) { gateway in
                    let device = TestDevice.battery.hex
                    let topic = gateway.topic("dev/\(device)/job")
                    let command = Array(#"{"id":"lost","verb":"rssi"}"#.utf8)
                    try await gateway.publish(command, to: "dev/\(device)/cmd/locked")
                    let isEnd: @Sendable (Received) -> Bool = {
                        $0.topic == topic && $0.json["id"] == "lost" && $0.json["final"] == true
                    }
                    _ = try await gateway.hear("the end of the first", where: isEnd)
                    // Within the window's bounds it is known by its id, whatever became of the answer.
                    try await gateway.publish(command, to: "dev/\(device)/cmd/locked")
                    for _ in 0..<100 { _ = try await gateway.send("ping") }
                    #expect(gateway.caller.all(topic).filter { $0.json["status"] == "started" }.count == 1)
                    try await gateway.publish(command, to: "dev/\(device)/cmd/locked")
                    _ = try await gateway.hear("the end of the second", count: 2, where: isEnd)
                    #expect(gateway.caller.all(gateway.topic("res/locked")).isEmpty)
                }
            }
        }
    }
}
