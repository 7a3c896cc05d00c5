import Frames
import FramesSupport
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ParseFieldTests {
    private static func number(_ text: String) -> ParsedValue? { DecimalNumber(text: text).map { .number($0) } }

    @Test(
        arguments: [
            (.u8, "00", "0"), (.u8, "ff", "255"), (.i8, "7f", "127"), (.i8, "80", "-128"), (.i8, "ff", "-1"),
            (.u16le, "0100", "1"), (.u16le, "ffff", "65535"), (.u16be, "0100", "256"), (.i16le, "0080", "-32768"),
            (.i16le, "ff7f", "32767"), (.i16be, "8000", "-32768"), (.i16be, "ffff", "-1"), (.i16le, "6608", "2150"),
            (.u24le, "010000", "1"), (.u24le, "ffffff", "16777215"), (.u24be, "010000", "65536"),
            (.u32le, "01000000", "1"), (.u32be, "ffffffff", "4294967295"), (.u32be, "00000100", "256"),
            (.i32le, "00000080", "-2147483648"), (.i32le, "ffffff7f", "2147483647"), (.i32be, "ffffffff", "-1"),
            (.i32be, "80000000", "-2147483648"), (.u64le, "ffffffffffffffff", "18446744073709551615"),
            (.u64le, "0000000000000080", "9223372036854775808"), (.u64be, "0000000000000100", "256"),
            (.f32le, "cdcccc3d", "0.1"), (.f32be, "41ac0000", "21.5"), (.f32be, "80000000", "0"),
            (.f32be, "7f7fffff", "3.4028235e38"), (.f32be, "00000001", "1e-45"),
            (.f64le, "9a9999999999b93f", "0.1"), (.f64be, "4035800000000000", "21.5"),
            (.f64be, "7fefffffffffffff", "1.7976931348623157e308"),
            // Bluetooth SIG, Health Thermometer: 36.4 °C as 364 x 10^-1.
            (.float, "6c0100ff", "36.4"), (.float, "d70000ff", "21.5"), (.float, "ffff7f01", nil),
            (.float, "fdff7f00", "8388605"), (.float, "03008000", "-8388605"), (.float, "feff7f00", nil),
            (.float, "ffff7f00", nil), (.float, "00008000", nil), (.float, "01008000", nil), (.float, "02008000", nil),
            (.float, "0100007f", "1e127"), (.float, "01000080", "1e-128"), (.float, "ffffff00", "-1"),
            (.sfloat, "72f0", "11.4"), (.sfloat, "fd07", "2045"), (.sfloat, "0308", "-2045"), (.sfloat, "fe07", nil),
            (.sfloat, "ff07", nil), (.sfloat, "0008", nil), (.sfloat, "0108", nil), (.sfloat, "0208", nil),
            (.sfloat, "0170", "10000000"), (.sfloat, "0180", "1e-8"), (.sfloat, "ff0f", "-1"), (.sfloat, "ff17", nil),
        ] as [(ParseType, String, String?)]
    ) func `a number is read at its bounds`(type: ParseType, bytes: String, text: String?) throws {
        // Special patterns are special with an exponent of 0 alone.
        let special = ["ffff7f01", "ff17"].contains(bytes)
        let value = try ParseField("x", type: type).read(hex(bytes))
        if special {
            #expect(value == Self.number(bytes == "ff17" ? "20470" : "83886070"))
        } else {
            #expect(value == text.map { Self.number($0) ?? .null } ?? .null)
        }
    }

    @Test(arguments: [
        "7f800000", "ff800000", "7fc00000", "ffffffff",
    ]) func `a number that is none is null`(bytes: String) throws {
        #expect(try ParseField("x", type: .f32be).read(hex(bytes)) == .null)
        #expect(try ParseField("x", type: .f32le).read(hex(bytes).reversed()) == .null)
        let double = bytes.hasPrefix("7fc") || bytes.hasPrefix("fff") ? "7ff8000000000000" : "7ff0000000000000"
        #expect(try ParseField("x", type: .f64be).read(hex(double)) == .null)
    }

    @Test(
        arguments: [
            (.bool, "00", nil, .bool(false)), (.bool, "01", nil, .bool(true)), (.bool, "80", nil, .bool(true)),
            (.bcd, "42", nil, number("42")), (.bcd, "0099", 2, number("99")), (.bcd, "123456", 3, number("123456")),
            (.bcd, String(repeating: "99", count: 18), 18, number(String(repeating: "9", count: 36))),
            (.hex, "aa01", nil, .text("aa01")), (.hex, "aa01", 1, .text("aa")), (.hex, "", nil, .text("")),
            (.utf8, "6f6e", nil, .text("on")), (.utf8, "6f6e", 1, .text("o")), (.utf8, "", nil, .text("")),
            (.utf8, "6f6e0000", nil, .text("on")), (.utf8, "6f00ff", nil, .text("o")), (.utf8, "c3bc", nil, .text("ü")),
            (.utf8, "c3", nil, .null), (.utf8, "ff00", nil, .null), (.utf8, "00", nil, .text("")),
            (.utf8, "efbbbf61", nil, .text("\u{FEFF}a")), (.utf8, "eda080", nil, .null),
        ] as [(ParseType, String, Int?, ParsedValue?)]
    ) func `texts, digits and truth values are read`(
        type: ParseType,
        bytes: String,
        length: Int?,
        value: ParsedValue?
    ) throws {
        #expect(try ParseField("x", type: type, length: length).read(hex(bytes)) == value)
    }

    @Test(
        arguments: [
            (.u8, 0, 1, "a5", "1"), (.u8, 1, 1, "a5", "0"), (.u8, 4, 4, "a5", "10"), (.u8, 0, 4, "a5", "5"),
            (.u8, 0, 8, "a5", "165"), (.u16le, 12, 4, "00a0", "10"), (.u16be, 12, 4, "a000", "10"),
            (.u32le, 31, 1, "00000080", "1"), (.u64be, 63, 1, "8000000000000000", "1"),
            (.u64le, 0, 64, "ffffffffffffffff", "18446744073709551615"),
        ] as [(ParseType, Int, Int, String, String)]
    ) func `bits are counted from the lowest`(
        type: ParseType,
        from: Int,
        count: Int,
        bytes: String,
        text: String
    ) throws {
        let field = ParseField("x", type: type, bits: .init(from: from, count: count))
        #expect(try field.read(hex(bytes)) == Self.number(text))
    }

    @Test func `a bit is a truth value where that is asked for`() throws {
        for (bit, expected) in [(0, true), (1, false), (7, true)] {
            let field = ParseField("x", offset: 1, type: .bool, bits: .init(from: bit))
            #expect(try field.read(hex("0081")) == .bool(expected))
        }
    }

    @Test func `a value is scaled, then added to, in decimals`() throws {
        let scale = DecimalNumber(0.01)
        let add = DecimalNumber(text: "-40")
        #expect(try ParseField("x", type: .i16le, scale: scale).read(hex("6608")) == Self.number("21.5"))
        #expect(try ParseField("x", type: .i16le, scale: scale, add: add).read(hex("6608")) == Self.number("-18.5"))
        #expect(try ParseField("x", type: .u8, add: add).read(hex("3d")) == Self.number("21"))
        for raw in 0...65_535 where raw % 97 == 0 {
            let bytes = [UInt8(raw & 255), UInt8(raw >> 8)]
            let value = try ParseField("x", type: .u16le, scale: DecimalNumber(0.1)).read(bytes)
            #expect(value == Self.number("\(raw / 10).\(raw % 10)"))
        }
    }

    @Test func `a value that stands for none is null, before it is scaled`() throws {
        let none: [ParsedValue] = [.number(DecimalNumber(mantissa: -32_768)), .number(DecimalNumber(mantissa: 32_767))]
        let field = ParseField("x", type: .i16le, scale: DecimalNumber(0.01), none: none)
        #expect(try field.read(hex("0080")) == .null)
        #expect(try field.read(hex("ff7f")) == .null)
        #expect(try field.read(hex("fe7f")) == Self.number("327.66"))
        #expect(try ParseField("x", type: .hex, none: [.text("ffff")]).read(hex("ffff")) == .null)
        #expect(try ParseField("x", type: .bool, none: [.bool(false)]).read(hex("00")) == .null)
    }

    @Test func `a value has the meaning that is given to it`() throws {
        let map: [ParseField.MapEntry] = [
            .init(raw: .number(DecimalNumber(mantissa: 0)), meaning: .text("off")),
            .init(raw: .number(DecimalNumber(mantissa: 1)), meaning: .bool(true)),
            .init(raw: .number(DecimalNumber(mantissa: 255)), meaning: .null),
        ]
        let field = ParseField("x", type: .u8, scale: DecimalNumber(mantissa: 2), map: map)
        #expect(try field.read([0]) == .text("off"))
        #expect(try field.read([1]) == .bool(true))
        #expect(try field.read([255]) == .null)
        #expect(try field.read([7]) == Self.number("14"))
    }

    @Test(
        arguments: [
            (ParseField("a\"b", type: .u8), "", "\"a?b\" ends at byte 1, and the answer has 0"),
            (ParseField("t", offset: 1, type: .u16le), "0102", "\"t\" ends at byte 3, and the answer has 2"),
            (ParseField("t", offset: 3, type: .hex), "0102", "\"t\" ends at byte 3, and the answer has 2"),
            (ParseField("t", type: .utf8, length: 3), "0102", "\"t\" ends at byte 3, and the answer has 2"),
            (ParseField("t", offset: 2, type: .bcd), "0102", "\"t\" ends at byte 3, and the answer has 2"),
            (ParseField("t", type: .bcd), "0a", "\"t\" has a digit that is none of 0 to 9"),
            (ParseField("t", type: .bcd), "a0", "\"t\" has a digit that is none of 0 to 9"),
            (
                ParseField("t", type: .bcd, length: 25), String(repeating: "99", count: 25), "\"t\" has too many digits"
            ),
            (
                ParseField("t", type: .f64be, scale: DecimalNumber(10.0)), "7fefffffffffffff",
                "\"t\" is larger than a number can be"
            ),
        ] as [(ParseField, String, String)]
    ) func `a value that cannot be read is named`(field: ParseField, bytes: String, detail: String) {
        let error = #expect(throws: FrameFailure.self) { try field.read(hex(bytes)) }
        #expect(error?.code == .parseFailed)
        #expect(error?.detail == detail)
    }

    @Test func `a text or digits at the very end of the answer are empty`() throws {
        #expect(try ParseField("t", offset: 2, type: .hex).read(hex("0102")) == .text(""))
        #expect(try ParseField("t", offset: 2, type: .utf8).read(hex("0102")) == .text(""))
    }

    @Test(.apart) func `twenty thousand hostile fields and answers never trap`() {
        var random = SeededRandom(seed: 3)
        var outcomes: [Bool: Int] = [:]
        for _ in 0..<Rounds.of(20_000) {
            let type = ParseType.allCases.randomElement(using: &random) ?? .u8
            let field = ParseField(
                "x",
                offset: Int.random(in: -5...40, using: &random),
                type: type,
                length: [nil, -1, 0, 1, 5, 30].randomElement(using: &random) ?? nil,
                bits: Bool.random(using: &random)
                    ? nil
                    : .init(
                        from: Int.random(in: -70...70, using: &random),
                        count: Int.random(in: -70...70, using: &random)
                    ),
                scale: DecimalNumber(Double(bitPattern: random.next())),
                add: DecimalNumber(Double(bitPattern: random.next()))
            )
            let bytes = randomBytes(Int.random(in: 0...40, using: &random), using: &random)
            do throws(FrameFailure) {
                _ = try field.read(bytes)
                outcomes[true, default: 0] += 1
            } catch {
                outcomes[false, default: 0] += 1
                #expect(error.code == .parseFailed)
            }
        }
        let least = Rounds.of(1000)
        #expect(outcomes[true, default: 0] > least && outcomes[false, default: 0] > least, "\(outcomes)")
    }
}
