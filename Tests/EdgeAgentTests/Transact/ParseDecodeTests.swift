import BleCore
import EdgeAgent
import Frames
import FramesSupport
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ParseDecodeTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private func text(_ list: String) -> String {
        #"{"verb":"transact","write":1,"notify":2,"data":{"hex":"01"},"parse":"# + list + "}"
    }

    private func field(_ members: String) throws -> ParseField? {
        guard case .transact(let rules) = try fixture.command(text("[{\(members)}]")).request else { return nil }
        return rules.parse.first
    }

    private static func number(_ text: String) -> DecimalNumber? { DecimalNumber(text: text) }
    private static func raw(_ value: Int128) -> ParsedValue { .number(DecimalNumber(mantissa: value)) }

    @Test(
        arguments: [
            (#""name":"t","type":"u8""#, ParseField("t", type: .u8)),
            (#""name":"°C \"x\"","type":"u8""#, ParseField("°C \"x\"", type: .u8)),
            (
                #""name":"t","offset":5,"type":"i16le","scale":0.01,"add":-40,"unit":"°C""#,
                ParseField("t", offset: 5, type: .i16le, scale: number("0.01"), add: number("-40"), unit: "°C")
            ), (#""name":"t","type":"u8","scale":1e-1"#, ParseField("t", type: .u8, scale: number("0.1"))),
            (#""name":"t","type":"u8","bit":3"#, ParseField("t", type: .u8, bits: .init(from: 3))),
            (#""name":"t","type":"bool","bit":7"#, ParseField("t", type: .bool, bits: .init(from: 7))),
            (
                #""name":"t","type":"u16be","bit":4,"bits":12"#,
                ParseField("t", type: .u16be, bits: .init(from: 4, count: 12))
            ),
            (#""name":"t","type":"u64le","bits":64"#, ParseField("t", type: .u64le, bits: .init(from: 0, count: 64))),
            (#""name":"t","type":"utf8","length":8"#, ParseField("t", type: .utf8, length: 8)),
            (#""name":"t","type":"bcd","length":18"#, ParseField("t", type: .bcd, length: 18)),
            (#""name":"t","type":"u16le","none":65535"#, ParseField("t", type: .u16le, none: [raw(65_535)])),
            (#""name":"t","type":"i8","none":[-128,127]"#, ParseField("t", type: .i8, none: [raw(-128), raw(127)])),
            (#""name":"t","type":"f32le","none":1e3"#, ParseField("t", type: .f32le, none: [raw(1000)])),
            (#""name":"t","type":"hex","none":"FFFF""#, ParseField("t", type: .hex, none: [.text("ffff")])),
            (
                #""name":"t","type":"utf8","none":["-","N/A"]"#,
                ParseField("t", type: .utf8, none: [.text("-"), .text("N/A")])
            ),
            (#""name":"t","type":"bool","none":false"#, ParseField("t", type: .bool, none: [.bool(false)])),
            (
                #""name":"t","type":"u8","map":{"0":"off","1":"on","2":true,"3":2.5,"255":null}"#,
                ParseField(
                    "t",
                    type: .u8,
                    map: [
                        .init(raw: raw(0), meaning: .text("off")), .init(raw: raw(1), meaning: .text("on")),
                        .init(raw: raw(2), meaning: .bool(true)),
                        .init(raw: raw(3), meaning: number("2.5").map { .number($0) } ?? .null),
                        .init(raw: raw(255), meaning: .null),
                    ]
                )
            ),
            (
                #""name":"t","type":"bool","map":{"true":"open","false":"shut"}"#,
                ParseField(
                    "t",
                    type: .bool,
                    map: [
                        .init(raw: .bool(true), meaning: .text("open")),
                        .init(raw: .bool(false), meaning: .text("shut")),
                    ]
                )
            ),
            (
                #""name":"t","type":"hex","map":{"0A":"ten"}"#,
                ParseField("t", type: .hex, map: [.init(raw: .text("0a"), meaning: .text("ten"))])
            ),
        ] as [(String, ParseField)]
    ) func `a value's description is read`(members: String, expected: ParseField) throws {
        #expect(try field(members) == expected)
        #expect(try fixture.command(text("[{\(members)}]")).warnings.isEmpty)
    }

    @Test(arguments: ParseType.allCases) func `every type is known by its name`(type: ParseType) throws {
        #expect(try field("\"name\":\"t\",\"type\":\"\(type.rawValue)\"")?.type == type)
    }

    @Test func `the types are those of the contract`() {
        let names =
            "u8 i8 u16le u16be i16le i16be u24le u24be u32le u32be i32le i32be u64le u64be f32le f32be f64le f64be sfloat "
            + "float bcd bool utf8 hex"
        #expect(ParseType.allCases.map(\.rawValue).sorted() == names.split(separator: " ").map(String.init).sorted())
    }

    @Test(arguments: [
        ("{}", "parse: expected a list of 1 to 64 objects"), ("[]", "parse: expected a list of 1 to 64 objects"),
        ("[7]", "parse[0]: expected an object with name and type, found 7"),
        (#"[{"type":"u8"}]"#, "parse[0].name: expected a text"),
        (#"[{"name":"","type":"u8"}]"#, "parse[0].name: expected a text"),
        (#"[{"name":"t"}]"#, "parse[0].type: expected one of u8, i8"),
        (#"[{"name":"t","type":"u9"}]"#, "parse[0].type: expected one of u8, i8"),
        (#"[{"name":"t","type":"u8"},{"name":"t","type":"i8"}]"#, "parse[1].name: stands twice"),
        (#"[{"name":"t","type":"u8"},{"name":"s","type":"x"},{"type":"i8"}]"#, "parse[2].name"),
        (#"[{"name":"t","type":"u8","offset":-1}]"#, "parse[0].offset"),
        (#"[{"name":"t","type":"u8","length":1}]"#, "parse[0].length: u8 has a length of its own"),
        (#"[{"name":"t","type":"utf8","length":0}]"#, "parse[0].length"),
        (#"[{"name":"t","type":"bcd","length":19}]"#, "parse[0].length: bcd has at most 18 bytes"),
        (#"[{"name":"t","type":"u8","bit":8}]"#, "parse[0].bit: u8 has only 8 bits"),
        (#"[{"name":"t","type":"u16le","bit":10,"bits":7}]"#, "parse[0].bit: u16le has only 16 bits"),
        (#"[{"name":"t","type":"i8","bit":1}]"#, "parse[0].bit: only of unsigned whole numbers and bool"),
        (#"[{"name":"t","type":"f32le","bits":1}]"#, "parse[0].bit: only of unsigned"),
        (#"[{"name":"t","type":"bool","bit":8}]"#, "parse[0].bit: bool has only 8 bits"),
        (#"[{"name":"t","type":"u8","scale":"2"}]"#, "parse[0].scale: expected a number"),
        (#"[{"name":"t","type":"u8","scale":0}]"#, "parse[0].scale: has to differ from 0"),
        (#"[{"name":"t","type":"utf8","scale":2}]"#, "parse[0].scale: utf8 is not a number"),
        (#"[{"name":"t","type":"bool","add":2}]"#, "parse[0].add: bool is not a number"),
        (#"[{"name":"t","type":"u8","unit":7}]"#, "parse[0].unit"),
        (#"[{"name":"t","type":"u8","none":[]}]"#, "parse[0].none: expected a value, or a list"),
        (#"[{"name":"t","type":"u8","none":[[1]]}]"#, "parse[0].none: expected a value, or a list"),
        (#"[{"name":"t","type":"u8","none":"x"}]"#, "parse[0].none: names a value that u8 cannot have"),
        (#"[{"name":"t","type":"utf8","none":7}]"#, "parse[0].none: names a value that utf8 cannot have"),
        (#"[{"name":"t","type":"u8","map":{}}]"#, "parse[0].map: expected an object"),
        (#"[{"name":"t","type":"u8","map":{"on":1}}]"#, "parse[0].map: names a value that u8 cannot have"),
        (#"[{"name":"t","type":"bool","map":{"1":1}}]"#, "parse[0].map: names a value that bool cannot have"),
        (#"[{"name":"t","type":"u8","map":{"1":[]}}]"#, "parse[0].map: expected a text, a number"),
    ]) func `what does not fit is named with its place`(list: String, part: String) throws {
        let refusal = try fixture.refusal(text(list))
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.contains(part), "\(refusal.error.detail)")
    }

    @Test(.apart) func `twenty thousand damaged commands are either read or refused`() throws {
        let seeds = [
            text(#"[{"name":"t","offset":5,"type":"i16le","scale":0.01,"add":-40,"unit":"C","none":[-32768]}]"#),
            text(#"[{"name":"a","type":"u16be","bit":4,"bits":12,"map":{"0":"off","1":null}}]"#),
            #"{"verb":"transact","service":"ffe0","write":"ffe1","notify":20,"data":{"utf8":"x"},"take":{"offset":1},"#
                + #""chunk":{"first":20,"then":512},"accept":{"prefix":{"hex":"aa"},"on":"first"},"gapMs":20,"#
                + #""complete":{"length":{"offset":2,"type":"u16be","adjust":5}},"fail":{"match":{"offset":1,"hex":"ee"}},"#
                + #""checksum":{"kind":"crc16-modbus","order":"little","from":0,"send":true,"verify":true}}"#,
        ]
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "-", "9", "e", ".", "null", "1e308", "99999999999", "\"never\"",
        ]
        var random = SeededRandom(seed: 11)
        var outcomes: [Bool: Int] = [:]
        for round in 0..<Rounds.of(20_000) {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 32...126, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: place)
                }
            }
            let decoded = fixture.decode(bytes)
            outcomes[decoded.command != nil, default: 0] += 1
            if let refusal = decoded.refusal { #expect(!refusal.error.detail.isEmpty) }
            guard case .transact(let rules)? = decoded.command?.request else { continue }
            #expect(rules.command().cmdData == rules.framed)
            _ = exchange(rules, [[0xAA, 0, 0, 5, 1, 2, 3, 4], [1, 2, 3]])
        }
        let least = Rounds.of(2000)
        #expect(outcomes[true, default: 0] > least && outcomes[false, default: 0] > least, "\(outcomes)")
    }
}
