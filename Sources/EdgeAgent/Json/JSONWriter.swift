package import Frames

/// Builds one JSON text as bytes, without intermediate texts.
///
/// Members and elements are separated by the writer; that each object gets its names in turn is up to the caller.
/// The result is always valid UTF-8, because every text that goes in is.
package struct JSONWriter {
    /// What is written, and room behind it.
    private var storage: [UInt8]
    private var count = 0
    /// Whether the next value or name is the first after an opening bracket or a name.
    private var isFirst = true

    /// What has been written.
    package var bytes: [UInt8] { Array(storage[..<count]) }

    /// Ends the writing, without a copy of what has been written: for what is not kept, as it may lie in more room than
    /// it needs.
    package consuming func finish() -> [UInt8] {
        storage.removeLast(storage.count - count)
        return storage
    }

    /// Makes an empty writer.
    ///
    /// - Parameter capacity: The bytes that the text will probably have.
    package init(capacity: Int = 512) {
        storage = [UInt8](repeating: 0, count: capacity)
    }

    /// Makes a writer that goes on within an object behind what another one has written.
    init(behind bytes: some Collection<UInt8>) {
        storage = Array(bytes)
        count = storage.count
        isFirst = false
    }

    /// How many bytes have been written.
    var length: Int { count }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name, which needs no escape; its value has to follow.
    package mutating func key(_ name: StaticString) {
        quote(name, colon: true)
        isFirst = true
    }

    /// Writes a member's name that is not known beforehand.
    package mutating func key(_ name: String) {
        separate()
        quote(name)
        put(UInt8(ascii: ":"))
        isFirst = true
    }

    package mutating func null() { literal("null") }
    package mutating func value(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes a fixed text that needs no escape.
    package mutating func value(_ value: StaticString) { quote(value, colon: false) }

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
        append(Array(plainDecimal(value).utf8))
    }

    /// Writes a decimal number with all its digits.
    package mutating func value(_ value: DecimalNumber) {
        separate()
        append(Array(value.description.utf8))
    }

    /// Writes bytes as a text of lower-case hexadecimal digits.
    package mutating func hexText(_ data: some Collection<UInt8>) {
        separate()
        put(UInt8(ascii: "\""))
        appendHex(data)
        put(UInt8(ascii: "\""))
    }

    /// Writes a binary value: `{"hex":"aa01"}`.
    package mutating func binary(_ data: some Collection<UInt8>) {
        literal("{\"hex\":\"")
        appendHex(data)
        append("\"}")
    }

    /// Writes a time in RFC 3339, UTC, with milliseconds.
    ///
    /// - Parameter milliseconds: Since 1970-01-01 UTC.
    package mutating func time(_ milliseconds: Int64) {
        separate()
        put(atMost: UTCTime.length + 2) { place in
            place[0] = UInt8(ascii: "\"")
            UTCTime(millisecondsSince1970: milliseconds).write(to: place + 1)
            place[UTCTime.length + 1] = UInt8(ascii: "\"")
            return UTCTime.length + 2
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        put(bracket)
        isFirst = true
    }

    private mutating func close(_ bracket: UInt8) {
        put(bracket)
        isFirst = false
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        append(text)
    }

    private mutating func separate() {
        if !isFirst { put(UInt8(ascii: ",")) }
        isFirst = false
    }

    /// Makes room and has it filled; `fill` answers how much of it.
    ///
    /// A text is made of many small pieces: one look at the array for each is what costs.
    @inline(__always)
    private mutating func put(atMost most: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Int) {
        if storage.count - count < most { grow(by: most) }
        let start = count
        // Safe because: there are `most` bytes behind `start`, and no fill writes more.
        count += storage.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map { fill($0 + start) } ?? 0 }
    }

    private mutating func grow(by most: Int) {
        storage.append(contentsOf: repeatElement(0, count: max(most, storage.count, 64)))
    }

    private mutating func put(_ byte: UInt8) {
        put(atMost: 1) { place in
            place[0] = byte
            return 1
        }
    }

    private mutating func append(_ text: StaticString) {
        put(atMost: text.utf8CodeUnitCount) { place in
            place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
            return text.utf8CodeUnitCount
        }
    }

    private mutating func append(_ text: [UInt8]) {
        put(atMost: text.count) { place in
            for (index, byte) in text.enumerated() { place[index] = byte }
            return text.count
        }
    }

    private mutating func quote(_ text: StaticString, colon: Bool) {
        let hasComma = !isFirst
        isFirst = false
        put(atMost: text.utf8CodeUnitCount + 4) { start in
            var place = start
            func put(_ byte: UInt8) {
                place.pointee = byte
                place += 1
            }
            if hasComma { put(UInt8(ascii: ",")) }
            put(UInt8(ascii: "\""))
            place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
            place += text.utf8CodeUnitCount
            put(UInt8(ascii: "\""))
            if colon { put(UInt8(ascii: ":")) }
            return place - start
        }
    }

    private mutating func append(_ value: Int64) {
        put(atMost: 20) { place in
            var digits = 1
            var rest = value.magnitude / 10
            while rest > 0 {
                digits += 1
                rest /= 10
            }
            let sign = value < 0 ? 1 : 0
            place[0] = UInt8(ascii: "-")
            rest = value.magnitude
            for index in stride(from: sign + digits - 1, through: sign, by: -1) {
                place[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            return sign + digits
        }
    }

    private mutating func appendHex(_ data: some Collection<UInt8>) {
        put(atMost: 2 * data.count) { start in
            var place = start
            for byte in data {
                place[0] = hexDigit(byte >> 4)
                place[1] = hexDigit(byte & 15)
                place += 2
            }
            return place - start
        }
    }

    private mutating func quote(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            // The longest escape is `\u0000`.
            put(atMost: 6 * utf8.count + 2) { start in
                var place = start
                place.pointee = UInt8(ascii: "\"")
                place += 1
                let plain = Self.copyPlain(utf8, to: place)
                place += plain
                for index in plain..<utf8.count {
                    let byte = utf8[index]
                    // Everything else may stand in a JSON text as it is (RFC 8259, 7).
                    if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                        place += Self.escape(byte, at: place)
                    } else {
                        place.pointee = byte
                        place += 1
                    }
                }
                place.pointee = UInt8(ascii: "\"")
                return place + 1 - start
            }
        }
    }

    /// Copies a text's beginning, eight bytes at a time, as far as nothing in them needs an escape.
    ///
    /// - Returns: How many bytes that were.
    private static func copyPlain(_ utf8: UnsafeBufferPointer<UInt8>, to place: UnsafeMutablePointer<UInt8>) -> Int {
        let source = UnsafeRawBufferPointer(utf8)
        let target = UnsafeMutableRawPointer(place)
        var count = 0
        while utf8.count - count >= 8 {
            let eight = source.loadUnaligned(fromByteOffset: count, as: UInt64.self)
            guard !needsEscape(eight) else { break }
            target.storeBytes(of: eight, toByteOffset: count, as: UInt64.self)
            count += 8
        }
        return count
    }

    /// Whether one of eight bytes is below 0x20, a quotation mark or a backslash.
    @inline(__always)
    private static func needsEscape(_ eight: UInt64) -> Bool {
        let each: UInt64 = 0x0101_0101_0101_0101
        // The subtraction borrows from a byte's highest bit where the byte is below the limit.
        func isBelow(_ limit: UInt64, _ bytes: UInt64) -> UInt64 { (bytes &- each &* limit) & ~bytes }
        let found =
            isBelow(0x20, eight)
            | isBelow(1, eight ^ each &* UInt64(UInt8(ascii: "\"")))
            | isBelow(1, eight ^ each &* UInt64(UInt8(ascii: "\\")))
        return found & (each &* 0x80) != 0
    }

    /// Writes at most 6 bytes.
    private static func escape(_ byte: UInt8, at place: UnsafeMutablePointer<UInt8>) -> Int {
        place[0] = UInt8(ascii: "\\")
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): place[1] = byte
        case 0x0A: place[1] = UInt8(ascii: "n")
        case 0x0D: place[1] = UInt8(ascii: "r")
        case 0x09: place[1] = UInt8(ascii: "t")
        default:
            let form: StaticString = "u00"
            (place + 1).update(from: form.utf8Start, count: 3)
            place[4] = hexDigit(byte >> 4)
            place[5] = hexDigit(byte & 15)
            return 6
        }
        return 2
    }
}

/// The lower-case hexadecimal digit of a number below 16.
func hexDigit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + (nibble - 10)
}
