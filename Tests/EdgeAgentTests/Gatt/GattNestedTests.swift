import TestSupport
import Testing

extension AgentLane3 {
    /// Services within services, and writes that are verified before they count.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct GattNestedTests {
        private static func setup() -> AgentSetup {
            var setup = AgentSetup()
            setup.world.devices = [.nested]
            return setup
        }

        @Test func `discover tells secondary services and what a service includes`() async throws {
            try await withAgent(Self.setup()) { gateway in
                let tree = try await gateway.send("discover", on: .nested)["result"]["services"].list
                try #require(tree.map(\.["uuid"].text) == ["eee0", "eee2"])
                #expect(tree[0]["primary"] == false && tree[0]["includes"].list.isEmpty)
                let inner = try #require(tree[0]["handle"].number)
                #expect(tree[1]["primary"] == true && tree[1]["includes"].list.map(\.number) == [inner])
                let read = #""service":"eee0","characteristic":"eee1""#
                #expect(try await gateway.send("read", read, on: .nested)["result"]["value"]["hex"] == "01")
            }
        }

        @Test func `a reliable write goes out as one, and is acknowledged`() async throws {
            try await withAgent(Self.setup()) { gateway in
                let place = #""service":"eee2","characteristic":"eee3""#
                let fields = place + #","value":{"hex":"0102"},"mode":"reliable""#
                let answer = try await gateway.send("write", fields, on: .nested)
                #expect(answer["status"] == "ok" && answer["confirmed"] == "response")
                let write = try #require(await gateway.world.writes().last)
                #expect(write.type == "reliable" && write.bytes == [1, 2])
                #expect(try await gateway.send("read", place, on: .nested)["result"]["value"]["hex"] == "0102")
            }
        }
    }
}
