import BleCore
import EdgeAgent
import Frames
import FramesSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransactDecodeTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private static let places = #""verb":"transact","service":"ffe0","write":"ffe1","notify":"ffe2""#
    private static let least = "\(places),\"data\":{\"hex\":\"7e020080\"}"

    private func rules(_ fields: String) throws -> TransactRules {
        let command = try fixture.command("{\(fields)}")
        #expect(command.warnings.isEmpty, "\(command.warnings)")
        guard case .transact(let rules) = command.request else { throw Missing() }
        return rules
    }

    private struct Missing: Error {}

    private static func plain(_ change: (inout TransactRules) -> Void = { _ in }) -> TransactRules {
        var rules = TransactRules(
            write: AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1),
            notify: AttributeSelector(service: 0xFFE0, characteristic: 0xFFE2),
            data: hex("7e020080")
        )
        change(&rules)
        return rules
    }

    @Test func `the contract's example is read`() throws {
        let rules = try rules(
            #""verb":"transact","service":"ffe0","write":"ffe1","notify":"ffe2","data":{"hex":"aa0100ff"},"#
                + #""chunk":{"first":20,"then":512,"gapMs":20},"accept":{"prefix":{"hex":"aa"},"on":"first"},"#
                + #""complete":{"length":{"offset":2,"type":"u16be","adjust":5}},"fail":{"prefix":{"hex":"aaee"}},"#
                + #""checksum":{"kind":"crc16-modbus","order":"little","from":0,"send":true,"verify":true},"#
                + #""packetTimeoutMs":20000,"#
                + #""parse":[{"name":"temperature","offset":5,"type":"i16le","scale":0.01,"unit":"°C"}]"#
        )
        let expected = TransactRules(
            write: AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1),
            notify: AttributeSelector(service: 0xFFE0, characteristic: 0xFFE2),
            data: hex("aa0100ff"),
            mode: .auto,
            chunk: Chunk(size: .fixed(first: 20, then: 512), gap: .milliseconds(20)),
            accept: PacketCondition(prefix: [0xAA]),
            scope: .first,
            complete: .length(LengthField(offset: 2, kind: .u16be, adjust: 5)),
            fail: PacketCondition(prefix: [0xAA, 0xEE]),
            checksum: ChecksumRule(.crc16Modbus, order: .little, from: 0, sends: true, verifies: true),
            packetTimeout: .seconds(20),
            parse: [ParseField("temperature", offset: 5, type: .i16le, scale: DecimalNumber(0.01), unit: "°C")]
        )
        #expect(rules == expected)

        // Command, two bytes of length, a byte of payload before the temperature and one after it, and the checksum.
        let body = hex("aa81000500660800")
        let frame = body + ChecksumRule(.crc16Modbus, order: .little, sends: true, verifies: false).bytes(of: body)
        let answer = exchange(rules, [Array(frame.prefix(3)), Array(frame.dropFirst(3))]).answer
        let temperature = try #require(DecimalNumber(text: "21.5"))
        #expect(answer?.value == body)
        #expect(answer?.parsed == [.init(name: "temperature", value: .number(temperature), unit: "°C")])
        #expect(exchange(rules, [hex("bbee"), hex("aaee0100")]) == .refused)
    }

    @Test func `without more than it needs a command has the contract's defaults`() throws {
        #expect(try rules(Self.least) == Self.plain())
        let command = try fixture.command("{\(Self.least)}")
        #expect(command.timeout == .seconds(120))
        #expect(command.request.changesSomething && command.request.name == .transact)
        let rules = Self.plain()
        #expect(rules.packetTimeout == .seconds(20) && rules.complete == .first && rules.chunk == Chunk())
        #expect(rules.chunk.size == .mtu && rules.chunk.gap == .milliseconds(20) && rules.mode == .auto)
    }

    @Test(
        arguments: [
            (#""mode":"request""#, plain { $0.mode = .request }), (#""chunk":"mtu""#, plain()),
            (#""chunk":{"size":20}"#, plain { $0.chunk.size = .fixed(first: 20, then: 20) }),
            (#""chunk":{"gapMs":5}"#, plain { $0.chunk.gap = .milliseconds(5) }),
            (#""gapMs":5"#, plain { $0.chunk.gap = .milliseconds(5) }),
            (
                #""gapMs":5,"chunk":{"size":7,"gapMs":5}"#,
                plain { $0.chunk = Chunk(size: .fixed(first: 7, then: 7), gap: .milliseconds(5)) }
            ),
            (#""packetTimeoutMs":1"#, plain { $0.packetTimeout = .milliseconds(1) }),
            (#""complete":"first""#, plain()),
            (#""complete":{"packets":3}"#, plain { $0.complete = .packets(3) }),
            (
                #""complete":{"bytes":76}"#,
                plain {
                    $0.complete = .bytes(76); $0.scope = .first
                }
            ),
            (
                #""complete":{"length":{"offset":2,"type":"u8","adjust":4}}"#,
                plain {
                    $0.complete = .length(LengthField(offset: 2, kind: .u8, adjust: 4)); $0.scope = .first
                }
            ),
            (
                #""complete":{"length":{"offset":0,"type":"u32le","adjust":-4}}"#,
                plain {
                    $0.complete = .length(LengthField(offset: 0, kind: .u32le, adjust: -4)); $0.scope = .first
                }
            ),
            (
                #""complete":{"suffix":{"hex":"0d0a"}}"#,
                plain {
                    $0.complete = .suffix([13, 10]); $0.scope = .first
                }
            ),
            (
                #""complete":{"match":{"offset":1,"hex":"81"}}"#,
                plain { $0.complete = .match(BytePattern(offset: 1, bytes: [0x81])) }
            ),
            (
                #""complete":{"match":{"utf8":"OK"}}"#,
                plain { $0.complete = .match(BytePattern(bytes: [0x4F, 0x4B])) }
            ),
            (
                #""complete":{"idleMs":500}"#,
                plain {
                    $0.complete = .idle(.milliseconds(500)); $0.scope = .first
                }
            ),
            (#""complete":"never""#, plain { $0.complete = .never }),
            (
                #""complete":"never","leaseMs":60000"#,
                plain {
                    $0.complete = .never; $0.lease = .seconds(60)
                }
            ),
            (
                #""accept":{"prefix":{"hex":"7e"},"match":{"offset":1,"hex":"81"},"minBytes":4}"#,
                plain {
                    $0.accept = PacketCondition(
                        prefix: [0x7E],
                        match: BytePattern(offset: 1, bytes: [0x81]),
                        minBytes: 4
                    )
                }
            ),
            (
                #""accept":{"minBytes":4,"on":"first"}"#,
                plain {
                    $0.accept = PacketCondition(minBytes: 4); $0.scope = .first
                }
            ),
            (
                #""accept":{"on":"first"}"#,
                plain {
                    $0.accept = PacketCondition(); $0.scope = .first
                }
            ),
            (
                #""complete":{"bytes":9},"accept":{"prefix":{"hex":"7e"},"on":"each"}"#,
                plain {
                    $0.complete = .bytes(9); $0.accept = PacketCondition(prefix: [0x7E]); $0.scope = .each
                }
            ),
            (#""take":{"offset":1}"#, plain { $0.take = TakeRule(offset: 1) }),
            (#""take":{"length":2}"#, plain { $0.take = TakeRule(length: 2) }),
            (#""take":{"offset":1,"length":2}"#, plain { $0.take = TakeRule(offset: 1, length: 2) }),
            (#""fail":{"prefix":{"hex":"7eff"}}"#, plain { $0.fail = PacketCondition(prefix: [0x7E, 0xFF]) }),
            (
                #""checksum":{"kind":"sum8","send":true}"#,
                plain { $0.checksum = ChecksumRule(.sum8, sends: true, verifies: false) }
            ),
            (
                #""checksum":{"kind":"crc32","order":"little","from":4,"verify":true,"send":false}"#,
                plain { $0.checksum = ChecksumRule(.crc32, order: .little, from: 4, sends: false, verifies: true) }
            ),
            (#""parse":null,"complete":null,"accept":null,"checksum":null"#, plain()),
        ] as [(String, TransactRules)]
    ) func `every rule is read`(fields: String, expected: TransactRules) throws {
        #expect(try rules("\(Self.least),\(fields)") == expected)
    }

    @Test func `a characteristic is named by its handle where a UUID would not do`() throws {
        let handles = try rules(#""verb":"transact","write":17,"notify":20,"data":{"hex":""}"#)
        #expect(handles.write == AttributeSelector(handle: 17) && handles.notify == AttributeSelector(handle: 20))
        #expect(handles.data.isEmpty)
        let mixed = try rules(#""verb":"transact","service":"ffe0","write":"ffe1","notify":20,"data":{"hex":"01"}"#)
        #expect(mixed.write == AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1))
        #expect(mixed.notify == AttributeSelector(handle: 20, service: 0xFFE0))
        let alone = try rules(
            #""verb":"transact","write":17,"data":{"hex":"01"},"checksum":{"kind":"xor8","send":true}"#
        )
        #expect(alone.notify == nil && alone.framed == [1, 1])
    }

    @Test(arguments: ChecksumKind.allCases)
    func `every checksum is known by its name`(kind: ChecksumKind) throws {
        let rules = try rules("\(Self.least),\"checksum\":{\"kind\":\"\(kind.rawValue)\",\"verify\":true}")
        #expect(rules.checksum?.kind == kind && rules.checksum?.order == .big && rules.checksum?.from == 0)
    }

    @Test(
        arguments: [
            (#""verb":"transact""#, "write: expected a UUID within service, or a handle, found nothing"),
            (#""verb":"transact""#, "data: expected an object with one of hex, base64 and utf8, found nothing"),
            (#""verb":"transact","write":"ffe1","data":{"hex":""}"#, "service: needed beside the UUID in write"),
            (#""verb":"transact","service":"x","write":"ffe1","data":{"hex":""}"#, "service: expected a UUID"),
            (#""verb":"transact","write":0,"data":{"hex":""}"#, "write: expected a UUID of 4, 8 or 32"),
            (#""verb":"transact","write":65536,"data":{"hex":""}"#, "handle from 1 to 65535, found 65536"),
            (#""verb":"transact","write":-1,"data":{"hex":""}"#, "write: expected"),
            (#""verb":"transact","write":1,"notify":true,"data":{"hex":""}"#, "notify: expected a UUID"),
            (#""verb":"transact","write":1,"data":"7e""#, "data: expected an object"),
            (
                #""verb":"transact","write":1,"data":{"hex":""},"parse":[{"name":"a","type":"u8"}]"#,
                "notify: needed beside parse"
            ),
            (#""verb":"transact","write":1,"data":{"hex":""},"complete":"first""#, "notify: needed beside complete"),
            (#""verb":"transact","write":1,"data":{"hex":""},"complete":"never""#, "notify: needed beside complete"),
            (#""verb":"transact","write":1,"data":{"hex":""},"fail":{"minBytes":1}"#, "notify: needed beside fail"),
            (
                #""verb":"transact","write":1,"data":{"hex":""},"checksum":{"kind":"sum8","verify":true}"#,
                "notify: needed beside checksum.verify"
            ), ("\(least),\"mode\":\"fast\"", "mode: expected one of auto, request, command, reliable"),
            ("\(least),\"chunk\":20", "chunk: expected"),
            ("\(least),\"chunk\":{\"first\":20}", "chunk.size: give size"),
            ("\(least),\"gapMs\":-1", "gapMs: expected a whole number from 0 to 10000"),
            ("\(least),\"gapMs\":6,\"chunk\":{\"gapMs\":5}", "gapMs: differs from chunk.gapMs"),
            ("\(least),\"packetTimeoutMs\":0", "packetTimeoutMs: expected"),
            ("\(least),\"packetTimeoutMs\":600001", "packetTimeoutMs: expected"),
            ("\(least),\"complete\":\"last\"", "complete: expected \"first\", \"never\", or an object"),
            ("\(least),\"complete\":3", "complete: expected"),
            ("\(least),\"complete\":{}", "complete.length: needed: give one of packets, bytes, length, suffix"),
            ("\(least),\"complete\":{\"packets\":1,\"bytes\":1}", "complete.length: give only one of"),
            ("\(least),\"complete\":{\"packets\":0}", "complete.packets"),
            ("\(least),\"complete\":{\"bytes\":1048577}", "complete.bytes"),
            ("\(least),\"complete\":{\"length\":2}", "complete.length: expected an object with offset and type"),
            ("\(least),\"complete\":{\"length\":{\"type\":\"u8\"}}", "complete.length.offset: expected a whole number"),
            ("\(least),\"complete\":{\"length\":{\"offset\":2}}", "complete.length.type: expected one of u8, u16le"),
            (
                "\(least),\"complete\":{\"length\":{\"offset\":2,\"type\":\"i16le\"}}",
                "complete.length.type: expected one"
            ),
            ("\(least),\"complete\":{\"length\":{\"offset\":-1,\"type\":\"u8\"}}", "complete.length.offset"),
            (
                "\(least),\"complete\":{\"length\":{\"offset\":1,\"type\":\"u8\",\"adjust\":1.5}}",
                "complete.length.adjust"
            ),
            ("\(least),\"complete\":{\"suffix\":{\"hex\":\"\"}}", "complete.suffix: expected 1 to 512 bytes, found 0"),
            ("\(least),\"complete\":{\"match\":{\"offset\":1}}", "complete.match.hex: needed"),
            ("\(least),\"complete\":{\"match\":{\"hex\":\"\"}}", "complete.match.hex: expected 1 to 512 bytes"),
            ("\(least),\"complete\":{\"match\":\"81\"}", "complete.match: expected an object"),
            ("\(least),\"complete\":{\"idleMs\":0}", "complete.idleMs"),
            ("\(least),\"complete\":{\"idleMs\":20000}", "complete.idleMs: has to be less than packetTimeoutMs"),
            ("\(least),\"accept\":{}", "accept.prefix: needed: give prefix, match or minBytes"),
            ("\(least),\"accept\":\"aa\"", "accept: expected an object"),
            ("\(least),\"accept\":{\"prefix\":\"aa\"}", "accept.prefix: expected an object"),
            ("\(least),\"accept\":{\"on\":\"last\"}", "accept.on: expected one of first, each"),
            ("\(least),\"accept\":{\"minBytes\":513}", "accept.minBytes"),
            ("\(least),\"fail\":{}", "fail.prefix: needed"), ("\(least),\"take\":{}", "take.offset: needed"),
            ("\(least),\"take\":{\"offset\":513}", "take.offset"), ("\(least),\"take\":{\"length\":0}", "take.length"),
            ("\(least),\"checksum\":{\"send\":true}", "checksum.kind: expected one of sum8, xor8, crc8"),
            ("\(least),\"checksum\":{\"kind\":\"md5\",\"send\":true}", "checksum.kind: expected one of"),
            ("\(least),\"checksum\":{\"kind\":\"sum8\"}", "checksum.send: needed: give send or verify as true"),
            ("\(least),\"checksum\":{\"kind\":\"sum8\",\"send\":1}", "checksum.send: expected true or false"),
            ("\(least),\"checksum\":{\"kind\":\"sum8\",\"send\":true,\"order\":\"middle\"}", "checksum.order"),
            (
                "\(least),\"checksum\":{\"kind\":\"sum8\",\"send\":true,\"from\":5}",
                "checksum.from: lies behind the 4 bytes"
            ),
            ("\(least),\"leaseMs\":60000", "leaseMs: only beside complete never"),
            ("\(least),\"complete\":\"never\",\"leaseMs\":999", "leaseMs: expected"),
            (
                "\(least),\"complete\":\"never\",\"parse\":[{\"name\":\"a\",\"type\":\"u8\"}]",
                "parse: not beside complete never"
            ),
            ("\(least),\"complete\":\"never\",\"accept\":{\"minBytes\":1}", "accept: not beside complete never"),
            ("\(least),\"complete\":\"never\",\"take\":{\"offset\":1}", "take: not beside complete never"),
            ("\(least),\"complete\":\"never\",\"fail\":{\"minBytes\":1}", "fail: not beside complete never"),
            (
                "\(least),\"complete\":\"never\",\"checksum\":{\"kind\":\"sum8\",\"verify\":true}",
                "checksum.verify: not beside complete never"
            ),
            (
                "\(least),\"complete\":{\"bytes\":4},\"checksum\":{\"kind\":\"crc32\",\"from\":1,\"verify\":true}",
                "complete.bytes: too few for the checksum from byte 1"
            ),
            (
                "\(least),\"complete\":{\"bytes\":4},\"checksum\":{\"kind\":\"sum8\",\"verify\":true},"
                    + "\"parse\":[{\"name\":\"a\",\"type\":\"u8\"},{\"name\":\"b\",\"offset\":2,\"type\":\"u16le\"}]",
                "parse[1].offset: the value ends at byte 4, and the answer will have 3"
            ),
        ] as [(String, String)]
    ) func `what does not fit is named`(fields: String, part: String) throws {
        let refusal = try fixture.refusal("{\(fields)}")
        #expect(refusal.error.code == .badRequest && refusal.changesSomething)
        #expect(refusal.error.detail.contains(part), "\(refusal.error.detail)")
    }

    @Test func `all that is wrong is told together, and no value of it`() throws {
        let refusal = try fixture.refusal(
            #"{"verb":"transact","service":"x","write":0,"data":{"hex":"5ec2e7x"},"complete":{"packets":0},"take":7}"#
        )
        for name in ["service:", "write:", "data.hex:", "complete.packets:", "take:"] {
            #expect(refusal.error.detail.contains(name), "\(refusal.error.detail)")
        }
        #expect(!refusal.error.detail.contains("5ec2e7"))
    }

    @Test func `unknown names within the rules are warned of with their path`() throws {
        let command = try fixture.command(
            "{\(Self.least),\"accept\":{\"prefix\":{\"hex\":\"7e\"},\"x\":1},\"parse\":[{\"name\":\"a\",\"type\":\"u8\",\"y\":2}],"
                + "\"complete\":{\"match\":{\"hex\":\"01\",\"z\":3}}}"
        )
        let names = ["complete.match.z", "accept.x", "parse[0].y"]
        #expect(command.warnings.sorted() == names.map { "ignored field \"\($0)\"" }.sorted())
    }

    @Test(arguments: [
        ("{\"hex\":\"58 2d 34\"}", "582d34"), ("{\"hex\":\"0x58:2D:34\"}", "582d34"),
        ("{\"base64\":\"WC00\"}", "582d34"),
        ("{\"utf8\":\"X-4\"}", "582d34"), ("{\"hex\":\"00\"}", "00"), ("{\"base64\":\"/wDDKA==\"}", "ff00c328"),
    ]) func `B35: bytes are written in each form wherever they stand`(form: String, bytes: String) throws {
        let inner = form.dropFirst().dropLast()
        let fields =
            "\(Self.places),\"data\":\(form),\"accept\":{\"prefix\":\(form),\"match\":{\(inner)}},"
            + "\"fail\":{\"match\":{\"offset\":1,\(inner)}},\"complete\":{\"suffix\":\(form)}"
        let rules = try rules(fields)
        #expect(rules.data == hex(bytes) && rules.accept?.prefix == hex(bytes))
        #expect(rules.accept?.match == BytePattern(bytes: hex(bytes)))
        #expect(rules.fail?.match == BytePattern(offset: 1, bytes: hex(bytes)))
        #expect(rules.complete == .suffix(hex(bytes)))
    }
}
