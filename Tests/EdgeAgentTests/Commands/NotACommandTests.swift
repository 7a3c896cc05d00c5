import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct NotACommandTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    /// Payloads of which nothing can be read: the answer carries an id of the agent's making, and null in its body.
    static let unreadable: [[UInt8]] = [
        Array("online".utf8), Array("{".utf8), Array("[]".utf8), Array("null".utf8), Array("42".utf8),
        Array("\"x\"".utf8),
        Array(repeating: UInt8(ascii: "["), count: 10_000), Array(#"{"id":"a","id":"b","verb":"ping"}"#.utf8),
        [0xEF, 0xBB, 0xBF] + Array(#"{"verb":"ping"}"#.utf8), [0x7B, 0x00, 0x7D, 0x00], [0xFF, 0xFE],
        Array(#"{"id":"a","verb":"rssi","ttlMs":NaN}"#.utf8), Array(#"{"id":"a","verb":"rssi","ttlMs":1e999}"#.utf8),
        Array(#"{"id":9223372036854775808,"verb":"rssi"}"#.utf8), Array(#"{"id":"a","verb":"rssi\u0000"}"#.utf8),
        [0x7B, 0x22, 0x69, 0x64, 0x22, 0x3A, 0x22, 0x00, 0x22, 0x7D], Array(#"{"id":"\ud800","verb":"rssi"}"#.utf8),
        Array(#"{"verb":"rssi"} x"#.utf8), Array(String(repeating: #"{"a":"#, count: 17).utf8),
    ]

    @Test(arguments: unreadable) func `B53: a payload that is not a command gets one bad-request`(payload: [UInt8])
        throws
    {
        let refusal = try #require(fixture.decode(payload, on: .device("door", client: "ha")).refusal)
        #expect(refusal.error.code == .badRequest)
        #expect(!refusal.error.detail.isEmpty)
        #expect(refusal.origin.id.text == DecoderFixture.madeID)
        #expect(refusal.origin.id.echo == .null)
        #expect(refusal.origin.client == "ha")
        #expect(refusal.origin.reply.topic == "edge/v1/shop-3/res/ha/made-1")
        let body = try parsed(encoded(refusal))
        #expect(body["id"] == .null)
        #expect(body["status"] == .string("rejected"))
    }

    @Test func `B53: an empty payload is ignored`() {
        #expect(fixture.decode("").ignored == .emptyPayload)
        #expect(fixture.decode("", on: .set(device: "door", name: "x")).ignored == .emptyPayload)
    }

    @Test func `B53: an empty object, an unknown verb and an id of another kind are told apart`() throws {
        #expect(try fixture.refusal("{}").error.code == .badRequest)
        #expect(try fixture.refusal("{}").error.detail.contains("verb"))
        #expect(try fixture.refusal(#"{"id":"a","verb":"explode"}"#).error.code == .unknownVerb)
        #expect(try fixture.refusal(#"{"id":"a","verb":"explode"}"#).origin.id.echo == .text("a"))
        #expect(try fixture.refusal(#"{"id":"a","action":"read"}"#).error.code == .badRequest)
        let refusal = try fixture.refusal(#"{"id":{"a":1},"verb":"rssi"}"#)
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.contains("id: expected"))
        #expect(refusal.origin.id.echo == .null)
    }

    @Test func `B53: unknown extra fields are ignored and named`() throws {
        let command = try fixture.command(#"{"verb":"rssi","foo":1,"bar":{"a":[]},"decode":true}"#)
        #expect(command.request == .rssi)
        #expect(
            command.warnings == [
                #"ignored field "foo""#, #"ignored field "bar""#,
                #"ignored field "decode""#,
            ]
        )
    }

    @Test func `warnings are bounded in number and length`() throws {
        let members = (0..<1000).map { "\"\(String(repeating: "x", count: 50))\($0)\":1" }.joined(separator: ",")
        let command = try fixture.command("{\"verb\":\"rssi\",\(members)}")
        #expect(command.warnings.count == 17)
        #expect(command.warnings.last == "ignored 984 more fields")
        #expect(command.warnings.allSatisfy { $0.utf8.count < 100 })
    }

    @Test func `details are bounded whatever stands in the fields`() throws {
        let long = String(repeating: "\\u0007ü\\n", count: 5000)
        let names = [
            "service", "characteristic", "descriptor", "handle", "offset", "timeoutMs", "ttlMs", "expires", "sentAt",
            "adapter",
        ]
        let members = names.map { "\"\($0)\":\"\(long)\"" }.joined(separator: ",")
        let refusal = try DecoderFixture(limits: .init(maxPayloadBytes: 1_000_000)).refusal(
            "{\"verb\":\"read\",\(members)}"
        )
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.utf8.count <= OperationError.maxDetailBytes)
        #expect(!refusal.error.detail.contains { $0.isNewline || $0 == "\u{7}" })
    }

    @Test func `a payload over the limit is too large, and one at the limit is not`() throws {
        let text = #"{"verb":"rssi"}"#
        let small = try DecoderFixture(limits: .init(maxPayloadBytes: text.utf8.count - 1))
        #expect(try small.refusal(text).error.code == .payloadTooLarge)
        #expect(try small.refusal(text).origin.id.echo == .null)
        let fits = try DecoderFixture(limits: .init(maxPayloadBytes: text.utf8.count))
        #expect(try fits.command(text).request == .rssi)
        #expect(try small.refusal(text, on: .set(device: "door", name: "x")).error.code == .payloadTooLarge)
    }

    private func encoded(_ refusal: Refusal) throws -> [UInt8] {
        let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: DecoderFixture.arrivedMs)
        return ResultEncoder().encode(.refused(refusal), stamp: stamp).payload
    }
}
