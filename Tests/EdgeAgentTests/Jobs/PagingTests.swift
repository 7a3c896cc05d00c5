import MQTT
import TestSupport
import Testing

extension AgentLane4 {
    /// Long answers come in parts.
    @Suite(.timeLimit(.minutes(10)))
    struct PagingTests {
        @Test func `devices come in parts, each once, and the last part says so`() async throws {
            try await withAgent(try JobWorld.setup(devices: 7)) { gateway in
                var seen: [String] = []
                var sizes: [Int] = []
                var after = ""
                while true {
                    let answer = try await gateway.send("devices", #""limit":3"# + after)
                    let page = answer["result"]["devices"].list.compactMap(\.["address"].text)
                    seen += page
                    sizes.append(page.count)
                    guard answer["result"]["truncated"] == true, let last = page.last else { break }
                    after = #","after":"\#(last)""#
                }
                #expect(sizes == [3, 3, 1])
                #expect(seen == (0..<7).map { TestDevice.thing($0).hex })
                let none = try await gateway.send("devices", #""after":"ffffffffffff""#)["result"]
                #expect(none["devices"].list.isEmpty && none["truncated"] == false, "\(none)")
                _ = try await gateway.send("connect", on: .thing(4))
                let linked = try await gateway.send("devices", #""connected":true"#)["result"]["devices"].list
                #expect(linked.map(\.["address"].text) == [TestDevice.thing(4).hex], "\(linked)")
                let others = try await gateway.send("devices", #""connected":false,"limit":6"#)["result"]
                #expect(others["devices"].list.count == 6 && others["truncated"] == false, "\(others)")
            }
        }

        @Test func `jobs come in parts by their numbers, of all devices or of one`() async throws {
            try await withAgent(try JobWorld.setup(devices: 2, faults: ["{member: ReadValue, steps: []}"])) { gateway in
                var ids: [String] = []
                for number in 0..<7 {
                    ids.append(try await gateway.start("read", JobWorld.one, on: .thing(number % 2)))
                }
                await gateway.world.waitForCalls(of: "ReadValue", count: 2)
                var seen: [String] = []
                var sizes: [Int] = []
                var after = ""
                while true {
                    let answer = try await gateway.send("jobs", #""limit":3"# + after)["result"]
                    let page = answer["jobs"].list
                    seen += page.compactMap(\.["id"].text)
                    sizes.append(page.count)
                    guard answer["truncated"] == true, let last = page.last?["job"].number else { break }
                    after = #","after":\#(Int(last))"#
                }
                #expect(seen == ids && sizes == [3, 3, 1])
                let one = try await gateway.send("jobs", #""dev":"\#(TestDevice.thing(1).hex)""#)["result"]["jobs"].list
                #expect(one.map(\.["id"].text) == [ids[1], ids[3], ids[5]], "\(one)")
                #expect(one.map(\.["state"]) == ["running", "waiting", "waiting"], "\(one)")
            }
        }

        @Test func `a list that would be too long for a result is cut, and goes on behind`() async throws {
            let setup = try JobWorld.setup(
                faults: ["{member: ReadValue, steps: []}"],
                keys: ["limits.maxResultBytes": "4096"]
            )
            try await withAgent(setup) { gateway in
                var ids: [String] = []
                for _ in 0..<20 { ids.append(try await gateway.start("read", JobWorld.one, on: .thing)) }
                let first = try await gateway.send("jobs")
                #expect(first["status"] == "ok" && first["result"]["truncated"] == true, "\(first)")
                let page = first["result"]["jobs"].list
                let last = try #require(page.last?["job"].number)
                let second = try await gateway.send("jobs", #""after":\#(Int(last))"#)["result"]["jobs"].list
                #expect(page.count > 4 && page.count < 20)
                #expect((page + second).compactMap(\.["id"].text) == Array(ids[..<(page.count + second.count)]))
            }
        }
    }
}
