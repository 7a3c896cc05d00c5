package import Frames

/// Builds one JSON text as bytes, without intermediate texts.
///
/// Members and elements are separated by the writer; that each object gets its names in turn is up to the caller.
/// The result is always valid UTF-8, because every text that goes in is.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    /// Whether the next value or name is the first after an opening bracket or a name.
    private var isFirst = true

    /// Makes an empty writer.
    ///
    /// - Parameter capacity: The bytes that the text will probably have.
    package init(capacity: Int = 512) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name, which needs no escape; its value has to follow.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        isFirst = true
    }

    /// Writes a member's name that is not known beforehand.
    package mutating func key(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        isFirst = true
    }

    package mutating func null() { literal("null") }
    package mutating func value(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes a fixed text that needs no escape.
    package mutating func value(_ value: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        append(value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a text, escaped as JSON demands.
    package mutating func value(_ value: String) {
        separate()
        quote(value)
    }

    package mutating func value(_ value: Int64) {
        separate()
        append(value)
    }

    package mutating func value(_ value: Int) { self.value(Int64(value)) }

    /// Writes a number in the shortest form that reads back as the same; `null` when it is not finite.
    package mutating func value(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: plainDecimal(value).utf8)
    }

    /// Writes a decimal number with all its digits.
    package mutating func value(_ value: DecimalNumber) {
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Writes bytes as a text of lower-case hexadecimal digits.
    package mutating func hexText(_ data: some Collection<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendHex(data)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a binary value: `{"hex":"aa01"}`.
    package mutating func binary(_ data: some Collection<UInt8>) {
        separate()
        append("{\"hex\":\"")
        appendHex(data)
        append("\"}")
    }

    /// Writes a time in RFC 3339, UTC, with milliseconds.
    ///
    /// - Parameter milliseconds: Since 1970-01-01 UTC.
    package mutating func time(_ milliseconds: Int64) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        UTCTime(millisecondsSince1970: milliseconds).append(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        isFirst = true
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        isFirst = false
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        append(text)
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ value: Int64) {
        var digits: (UInt64, UInt64, UInt32) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { buffer in
            var rest = value.magnitude
            var place = 20
            repeat {
                place -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            if value < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(contentsOf: buffer[place..<20])
        }
    }

    private mutating func appendHex(_ data: some Collection<UInt8>) {
        for byte in data {
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for index in 0..<utf8.count {
                let byte = utf8[index]
                // Everything else may stand in a JSON text as it is (RFC 8259, 7).
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: utf8[start..<index])
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start..<utf8.count])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            append("u00")
            bytes.append(hexDigit(byte >> 4))
            bytes.append(hexDigit(byte & 15))
        }
    }
}

/// The lower-case hexadecimal digit of a number below 16.
func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + (nibble - 10)
}
