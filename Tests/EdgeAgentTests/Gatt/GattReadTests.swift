import TestSupport
import Testing

extension AgentLane3 {
    /// Reads that begin somewhere else than at the beginning.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct GattReadTests {
        @Test func `a value that the device gives from its beginning alone is read from any offset`() async throws {
            let device = TestDevice.hasty(precedesNotifying: false)
            var setup = AgentSetup()
            setup.world.devices = [device]
            try await withAgent(setup) { gateway in
                func read(_ offset: Int) async throws -> Json {
                    let fields = #""service":"ddd0","characteristic":"ddd3","offset":\#(offset)"#
                    return try await gateway.send("read", fields, on: device)
                }
                for (offset, rest) in [(0, "01020304"), (1, "020304"), (3, "04"), (4, "")] {
                    let answer = try await read(offset)
                    #expect(answer["status"] == "ok" && answer["result"]["value"]["hex"].text == rest, "\(answer)")
                }
                let beyond = try await read(5)
                #expect(beyond["status"] == "failed" && beyond["error"]["code"] == "att-error")
                #expect(beyond["error"]["att"] == "0x07" && beyond["error"]["stage"] == "operate")
            }
        }
    }
}
