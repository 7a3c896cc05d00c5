import EdgeAgent
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct JSONWriterTests {
    static let hostileNames = [
        "a\nb", "\"}", "\u{FFFD}\u{FFFD}\u{FFFD}", "👩‍🔧\u{200D}", "x/+/#", String(repeating: "n", count: 248),
        " trailing ", "$SYS",
        "\u{202E}abc", String(String.UnicodeScalarView((1...31).compactMap { Unicode.Scalar($0) })), "\\",
        "\u{7F}\u{2028}",
        "",
    ]

    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `members and elements are separated`() {
        let text = written { writer in
            writer.beginObject()
            writer.field("n", 1)
            writer.key("list")
            writer.beginArray()
            writer.value(1)
            writer.value("two")
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.beginArray()
            writer.endArray()
            writer.endArray()
            writer.object("o") { $0.field("x", true) }
            writer.field(orNull: "none", nil as Int?)
            writer.field(ifPresent: "absent", nil as Int?)
            writer.field("b", binary: [0xAA, 0x01])
            writer.endObject()
        }
        #expect(text == #"{"n":1,"list":[1,"two",{},null,[]],"o":{"x":true},"none":null,"b":{"hex":"aa01"}}"#)
    }

    @Test(arguments: hostileNames) func `B07: a hostile name comes back as it was, and stays one line`(name: String)
        throws
    {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key(name)
        writer.value(name)
        writer.endObject()
        #expect(!writer.bytes.contains { $0 < 0x20 })
        let object = try JSONReader(maxBytes: 10_000).read(writer.bytes).object
        #expect(object?.entries.first?.key == name)
        #expect(object?.entries.first?.value == .string(name))
    }

    @Test func `control characters are escaped as JSON demands`() {
        #expect(
            written { $0.value("\u{1}\u{1F}\t\r\n\"\\/ä\u{7F}" as String) }
                == "\"\\u0001\\u001f\\t\\r\\n\\\"\\\\/ä\u{7F}\""
        )
    }

    /// A text goes in eight bytes at a time.
    @Test(arguments: 0..<20) func `each byte is escaped or left alone wherever it stands`(place: Int) {
        let before = String(repeating: "é", count: place / 2) + String(repeating: "a", count: place % 2)
        let behind = String(repeating: "z", count: 19 - place)
        for byte: UInt8 in 0..<0x80 {
            let escaped =
                switch byte {
                case UInt8(ascii: "\""): #"\""#
                case UInt8(ascii: "\\"): #"\\"#
                case 0x09: #"\t"#
                case 0x0A: #"\n"#
                case 0x0D: #"\r"#
                case ..<0x20: #"\u00"# + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                default: String(UnicodeScalar(byte))
                }
            let text = before + String(UnicodeScalar(byte)) + behind
            #expect(written { $0.value(text) } == "\"\(before)\(escaped)\(behind)\"")
        }
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (-1, "-1"), (10, "10"), (1_234_567_890, "1234567890"),
            (Int64.max, "9223372036854775807"),
            (Int64.min, "-9223372036854775808"),
        ] as [(Int64, String)]
    ) func `whole numbers are written digit by digit`(number: Int64, text: String) {
        #expect(written { $0.value(number) } == text)
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (7, "7"), (-7.5, "-7.5"), (0.1, "0.1"), (0.01, "0.01"), (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.25e-9, "1.25e-9"), (1e20, "100000000000000000000"), (1e21, "1e21"), (1.5e300, "1.5e300"),
            (123_456.789, "123456.789"),
            (.leastNonzeroMagnitude, "5e-324"), (9_007_199_254_740_992, "9007199254740992"),
            (1e16, "10000000000000000"),
        ] as [(Double, String)]
    ) func `numbers are short, and read back as the same`(number: Double, text: String) {
        #expect(written { $0.value(number) } == text)
        #expect(Double(text) == number)
    }

    @Test func `a number that is not finite is null`() {
        #expect(written { $0.value(Double.nan) } == "null")
        #expect(written { $0.value(-Double.infinity) } == "null")
    }

    @Test func `random numbers read back as the same`() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<5000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            #expect(Double(written { $0.value(number) }) == number)
        }
    }
}
