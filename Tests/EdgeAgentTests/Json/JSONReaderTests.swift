import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct JSONReaderTests {
    private func read(_ bytes: [UInt8], maxBytes: Int = 65_536) throws(JSONFailure) -> JSONValue {
        try JSONReader(maxBytes: maxBytes).read(bytes)
    }

    private func read(_ text: String) throws(JSONFailure) -> JSONValue { try read(Array(text.utf8)) }

    @Test func `every kind of value is read as what it is`() throws {
        let text =
            #"{"a":null,"b":true,"c":false,"d":7,"e":-9223372036854775808,"f":7.0,"g":"x\u00e4\ud83d\ude00","h":[1,"2"],"i":{}}"#
        let object = try #require(try read(text).object)
        #expect(object["a"] == .null)
        #expect(object["b"] == .bool(true))
        #expect(object["c"] == .bool(false))
        #expect(object["d"] == .integer(7))
        #expect(object["e"] == .integer(.min))
        #expect(object["f"] == .real(7))
        #expect(object["g"] == .string("xä😀"))
        #expect(object["h"] == .array([.integer(1), .string("2")]))
        #expect(object["i"]?.object?.count == 0)
        #expect(object["j"] == nil)
        #expect(object.entries.map(\.key) == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
    }

    @Test func `a whole number is neither a real number nor true`() throws {
        let array = try #require(try read("[7,7.0,7e0,true]").array)
        #expect(array[0] == .integer(7))
        #expect(array[1] == .real(7) && array[1] != array[0])
        #expect(array[2] == .real(7))
        #expect(array[3].integer == nil)
    }

    @Test(arguments: [
        ("", JSONFailure.incomplete), ("{", .incomplete), ("null", .syntax(at: 4)), ("42", .syntax(at: 2)),
        (#""x""#, .syntax(at: 3)), ("{} x", .trailing(at: 4)), ("{}{}", .trailing(at: 3)),
        (#"{"a":1,"a":2}"#, .duplicateKey(at: 10)), (#"{"a":NaN}"#, .syntax(at: 8)),
        (#"{"a":1e999}"#, .numberOutOfRange(at: 10)), (#"{"a":9223372036854775808}"#, .numberOutOfRange(at: 24)),
        (#"{"a":"\u0000"}"#, .nul(at: 13)), (#"{"\u0000":1}"#, .nul(at: 10)), (#"{"a":"\ud800"}"#, .syntax(at: 13)),
        (#"{"a":'x'}"#, .syntax(at: 6)), ("{a:1}", .syntax(at: 2)), (#"{"a":01}"#, .syntax(at: 7)),
    ]) func `a text that is no single object or array is refused`(text: String, failure: JSONFailure) {
        let found = #expect(throws: JSONFailure.self) { try read(text) }
        // Where the error stands is jansson's word; of what kind it is matters.
        #expect(found.map { kind($0) } == kind(failure), "\(text): \(String(describing: found))")
    }

    private func kind(_ failure: JSONFailure) -> String { failure.description.filter { !$0.isNumber } }

    @Test(
        arguments: [
            [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D], [0xFF, 0xFE],
            [0x7B, 0x22, 0xC0, 0xAF, 0x22, 0x3A, 0x31, 0x7D],
            [0x7B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x3A, 0x31, 0x7D],
            [0x7B, 0x22, 0xF4, 0x90, 0x80, 0x80, 0x22, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]]
    ) func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        #expect(throws: JSONFailure.self) { try read(bytes) }
    }

    @Test func `a byte order mark is refused, and so is UTF-16`() {
        #expect(throws: JSONFailure.byteOrderMark) { try read([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) }
        let utf16: [UInt8] = [0x7B, 0x00, 0x7D, 0x00]
        #expect(throws: JSONFailure.self) { try read(utf16) }
    }

    @Test func `sixteen levels are taken, seventeen are not, and brackets in texts do not count`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try read(nested(16)).array?.count == 1)
        #expect(throws: JSONFailure.tooDeep(limit: 16)) { try read(nested(17)) }
        #expect(throws: JSONFailure.tooDeep(limit: 16)) { try read(String(repeating: "[", count: 10_000)) }
        let text = #"{"a":"[[[[[[[[[[[[[[[[[[[[[[\"[[[[\\"}"#
        #expect(try read(text).object?["a"]?.string?.count == 28)
    }

    @Test func `the limit of bytes is exact`() throws {
        #expect(try read(Array("[1]".utf8), maxBytes: 3).array?.count == 1)
        #expect(throws: JSONFailure.tooLarge(bytes: 3, limit: 2)) { try read(Array("[1]".utf8), maxBytes: 2) }
    }

    @Test func `members of a large object are found`() throws {
        let members = (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let object = try #require(try read("{\(members)}").object)
        #expect((0..<1000).allSatisfy { object["k\($0)"] == .integer(Int64($0)) })
        #expect(object["k1000"] == nil)
    }

    @Test func `names that Swift takes for equal are two members, and two texts`() throws {
        let value = try read(#"{"\u00e9":1,"e\u0301":2}"#)
        #expect(value.object?.count == 2)
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
    }

    @Test func `objects are equal whatever their order`() throws {
        #expect(try read(#"{"a":1,"b":[2]}"#) == read(#"{"b":[2],"a":1}"#))
        #expect(try read(#"{"a":1}"#) != read(#"{"a":1.0}"#))
        #expect(try read(#"{"a":1}"#) != read(#"{"a":1,"b":2}"#))
    }
}
