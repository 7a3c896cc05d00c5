import BleCore
import EdgeAgent
import Frames
import FramesSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransactResultTests {
    let fixture: DecoderFixture
    let stamp: MessageStamp

    init() throws {
        fixture = try DecoderFixture()
        stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
    }

    private func text(_ payload: ResultPayload) throws -> String {
        let command = try fixture.command(#"{"verb":"transact","write":1,"notify":2,"data":{"hex":"01"}}"#)
        let body = ResultBody.ok(command, confirmed: .notified, payload: payload)
        let bytes = ResultEncoder().encode(body, stamp: stamp).payload
        let whole = String(decoding: bytes, as: UTF8.self)
        let result = try #require(whole.firstMatch(of: /"result":(.*),"attempt"/))
        _ = try parsed(bytes)
        return String(result.1)
    }

    @Test func `an answer without rules is its packets and bytes`() throws {
        let answer = TransactAnswer(packets: 2, value: hex("aa01"))
        #expect(try text(.transact(answer)) == #"{"packets":2,"value":{"hex":"aa01"}}"#)
        let nothing = TransactAnswer(packets: 0, value: [])
        #expect(try text(.transact(nothing)) == #"{"packets":0,"value":{"hex":""}}"#)
    }

    @Test func `values are flat, with their units beside them and the surplus behind`() throws {
        let number = try #require(DecimalNumber(text: "21.5"))
        let large = DecimalNumber(mantissa: Int128(UInt64.max))
        let answer = TransactAnswer(
            packets: 1,
            value: [1],
            surplus: hex("ff"),
            parsed: [
                .init(name: "temperature", value: .number(number), unit: "°C"),
                .init(name: "counter", value: .number(large)), .init(name: "a \"b\"", value: .text("x\ny")),
                .init(name: "open", value: .bool(true)), .init(name: "humidity", value: .null, unit: "%"),
            ]
        )
        #expect(
            try text(.transact(answer))
                == #"{"packets":1,"value":{"hex":"01"},"parsed":{"temperature":21.5,"counter":1.8446744073709551615e19,"#
                + #""a \"b\"":"x\ny","open":true,"humidity":null},"units":{"temperature":"°C","humidity":"%"},"#
                + #""surplus":{"hex":"ff"}}"#
        )
    }

    @Test func `a long connection says where its packets go`() throws {
        let connection = ResultPayload.LongConnection(
            service: 0xFFE0,
            characteristic: 0xFFE2,
            handle: 20,
            topic: "edge/v1/shop-3/dev/door/notify/ffe0/ffe2",
            lease: nil,
            already: true
        )
        #expect(
            try text(.longConnection(connection))
                == #"{"subscription":{"service":"ffe0","characteristic":"ffe2","handle":20,"#
                + #""topic":"edge/v1/shop-3/dev/door/notify/ffe0/ffe2","leaseMs":null,"already":true}}"#
        )
    }

    @Test(arguments: [
        ("582d3436fffe00", ParsedValue.null), ("", .text("")), ("00", .text("")), ("582d343600", .text("X-46")),
        ("ff00c328", .null), (String(repeating: "ff", count: 512), .null),
        (String(repeating: "41", count: 512), .text(String(repeating: "A", count: 512))),
    ]) func `B35: bytes come out whole in hex, and as text only where they are one`(bytes: String, label: ParsedValue)
        throws
    {
        let rules = TransactRules.about(complete: .idle(.seconds(1)), parse: [ParseField("label", type: .utf8)])
        let answer = try #require(exchange(rules, [hex(bytes)]).answer)
        #expect(answer.value == hex(bytes) && answer.parsed == [.init(name: "label", value: label)])
        let written = try text(.transact(answer))
        let shown =
            switch label {
            case .text(let text): "\"\(text)\""
            default: "null"
            }
        #expect(written == "{\"packets\":1,\"value\":{\"hex\":\"\(bytes)\"},\"parsed\":{\"label\":\(shown)}}")
        #expect(try text(.value(hex(bytes))) == "{\"value\":{\"hex\":\"\(bytes)\"}}")
        let notified = NotifyMessage(device: fixture.door, value: hex(bytes), count: 1, kind: .notify)
        #expect(try parsed(notified.encode(stamp))["value"]?.object?["hex"] == .string(bytes))
    }

    @Test func `an answer that is larger than a result may be is said to be`() throws {
        let command = try fixture.command(#"{"verb":"transact","write":1,"notify":2,"data":{"hex":"01"}}"#)
        let answer = TransactAnswer(packets: 1, value: [UInt8](repeating: 1, count: 70_000))
        let body = ResultBody.ok(command, confirmed: .notified, payload: .transact(answer))
        #expect(ResultEncoder().encode(body, stamp: stamp).code == .resultTooLarge)
    }
}
