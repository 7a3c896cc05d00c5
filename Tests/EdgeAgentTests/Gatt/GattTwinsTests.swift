import TestSupport
import Testing

extension AgentLane3 {
    /// UUIDs that stand more than once.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct GattTwinsTests {
        private static let uuids = ["2a06", "2a06", "2a58", "2a58", "2a58", "bbb1", "bbb1"]

        private static func setup() -> AgentSetup {
            var setup = AgentSetup()
            setup.world.devices = [.twins]
            return setup
        }

        /// The handles of the device's characteristics, in order.
        private func handles(_ gateway: Gateway) async throws -> [Int] {
            let tree = try await gateway.send("discover", on: .twins)["result"]["services"].list
            #expect(tree.map(\.["uuid"]) == ["1802", "1803", "aaa0", "bbb0", "bbb0"])
            let characteristics = tree.flatMap(\.["characteristics"].list)
            #expect(characteristics.map(\.["uuid"].text) == Self.uuids)
            return characteristics.compactMap(\.["handle"].number).map { Int($0) }
        }

        @Test func `B27: discover lists every instance, and a handle always hits the right one`() async throws {
            try await withAgent(Self.setup()) { gateway in
                let handles = try await handles(gateway)
                try #require(Set(handles).count == 7)
                for (index, handle) in handles.enumerated() {
                    let read = try await gateway.send("read", "\"handle\":\(handle)", on: .twins)
                    #expect(read["result"]["value"]["hex"].text == "0\(index + 1)")
                    let fields = "\"handle\":\(handle),\"value\":{\"hex\":\"a\(index)\"}"
                    let written = try await gateway.send("write", fields, on: .twins)
                    #expect(written["status"] == "ok")
                    let digits = String(handle, radix: 16)
                    let end = "char" + String(repeating: "0", count: 4 - digits.count) + digits
                    #expect(await gateway.world.writes().last?.path.hasSuffix(end) == true)
                }
                // Nothing else was written over.
                for (index, handle) in handles.enumerated() {
                    let read = try await gateway.send("read", "\"handle\":\(handle)", on: .twins)
                    #expect(read["result"]["value"]["hex"].text == "a\(index)")
                }
                let wrong = "\"handle\":\(handles[0]),\"service\":\"1803\",\"characteristic\":\"2a06\""
                let mismatch = try await gateway.send("read", wrong, on: .twins)
                #expect(mismatch["error"]["code"] == "no-characteristic")
            }
        }

        @Test func `B27: a service tells one UUID from its twin, and where it does not the handles are named`()
            async throws
        {
            try await withAgent(Self.setup()) { gateway in
                let handles = try await handles(gateway)
                for (service, hex) in [("1802", "01"), ("1803", "02")] {
                    let fields = #""service":"\#(service)","characteristic":"2a06""#
                    #expect(try await gateway.send("read", fields, on: .twins)["result"]["value"]["hex"].text == hex)
                }
                for (service, uuid, twins) in [("aaa0", "2a58", handles[2...4]), ("bbb0", "bbb1", handles[5...6])] {
                    let fields = #""service":"\#(service)","characteristic":"\#(uuid)""#
                    for (verb, more) in [("read", ""), ("write", #","value":{"hex":"ff"}"#), ("subscribe", "")] {
                        let answer = try await gateway.send(verb, fields + more, on: .twins)
                        #expect(answer["status"] == "failed" && answer["error"]["code"] == "ambiguous-characteristic")
                        #expect(answer["error"]["stage"] == "discover" && answer["error"]["retryable"] == false)
                        let detail = try #require(answer["error"]["detail"].text)
                        let named = detail.matches(of: /\b\d+\b/).compactMap { Int($0.output) }
                        #expect(named == Array(twins), "\(detail)")
                    }
                }
                #expect(await gateway.world.writes().isEmpty)
                #expect(await gateway.world.count(of: "StartNotify") == 0)
            }
        }

        @Test func `B27: values of twins go to topics of their own, and transact takes a handle`() async throws {
            try await withAgent(Self.setup()) { gateway in
                let handles = try await handles(gateway)
                for handle in handles[3...4] {
                    #expect(try await gateway.send("subscribe", "\"handle\":\(handle)", on: .twins)["status"] == "ok")
                }
                let paths = await gateway.world.paths(of: "StartNotify")
                #expect(Set(paths).count == 2)
                #expect(
                    try await gateway.send("subscribe", #""service":"1803","characteristic":"2a06""#, on: .twins)[
                        "status"
                    ] == "ok"
                )
                let mark = gateway.caller.mark
                for (index, topic) in [
                    (4, "aaa0/2a58@\(handles[4])"), (3, "aaa0/2a58@\(handles[3])"), (1, "1803/2a06"),
                ] {
                    await gateway.world.notify(.twins, handle: handles[index], [UInt8(index)])
                    let heard = try await gateway.hear(on: "dev/\(TestDevice.twins.hex)/notify/\(topic)", from: mark)
                    #expect(heard.json["value"]["hex"].text == "0\(index)" && heard.json["n"] == 1)
                }
                // Nobody has asked for these.
                for index in [0, 2, 5, 6] { await gateway.world.notify(.twins, handle: handles[index], [0xEE]) }
                try await gateway.settle()
                #expect(gateway.caller.all(from: mark, gateway.topic(.twins, "notify/")).count == 3)
                let fields = "\"service\":\"aaa0\",\"write\":\(handles[2]),\"data\":{\"hex\":\"3c\"}"
                let sent = try await gateway.send("transact", fields, on: .twins)
                #expect(sent["result"] == .object(["bytes": 1, "packets": 1]))
                let read = try await gateway.send("read", "\"handle\":\(handles[2])", on: .twins)
                #expect(read["result"]["value"]["hex"] == "3c")
            }
        }
    }
}
