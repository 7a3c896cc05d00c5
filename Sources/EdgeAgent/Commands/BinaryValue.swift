/// Why a binary value could not be read.
struct BinaryFailure: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension FieldReader {
    /// A binary value: `{"hex":"aa 01"}`, `{"base64":"qgE="}` or `{"utf8":"on"}`.
    mutating func binary(_ name: String) -> [UInt8]? {
        nested(name, expected: Self.binaryForm) { $0.binaryMembers() }
    }

    /// The same, demanded.
    mutating func neededBinary(_ name: String) -> [UInt8]? {
        let before = problems.count
        let value = binary(name)
        if value == nil, problems.count == before { problem(name, expected: Self.binaryForm) }
        return value
    }

    static var binaryForm: String { "an object with one of hex, base64 and utf8" }

    /// One of the members `hex`, `base64` and `utf8` of this object.
    mutating func binaryMembers() -> [UInt8]? {
        let hex = take("hex")
        let base64 = take("base64")
        let utf8 = take("utf8")
        let given = [("hex", hex), ("base64", base64), ("utf8", utf8)].compactMap { pair in
            pair.1.map { (pair.0, $0) }
        }
        guard given.count == 1, let (key, value) = given.first else {
            problem(
                "hex",
                given.isEmpty ? "needed: give one of hex, base64 and utf8" : "give only one of hex, base64 and utf8"
            )
            return nil
        }
        guard let text = value.string else {
            problem(key, expected: "a text", found: value)
            return nil
        }
        do throws(BinaryFailure) {
            return switch key {
            case "hex": try bytes(hex: text)
            case "base64": try bytes(base64: text)
            default: Array(text.utf8)
            }
        } catch {
            problem(key, error.reason)
            return nil
        }
    }
}

/// Reads hexadecimal digits in any case, with optional `0x` and spaces, `:` or `-` between bytes.
func bytes(hex text: String) throws(BinaryFailure) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    var mayHavePrefix = true
    var afterSeparator = false
    let digits = Array(text.utf8)
    var place = 0
    while place < digits.count {
        let byte = digits[place]
        if mayHavePrefix, byte == UInt8(ascii: "0"), place + 1 < digits.count,
            digits[place + 1] | 0x20 == UInt8(ascii: "x")
        {
            guard place + 2 < digits.count, hexValue(digits[place + 2]) != nil else {
                throw BinaryFailure("no digit follows 0x at character \(place)")
            }
            place += 2
            mayHavePrefix = false
            continue
        }
        mayHavePrefix = false
        if let nibble = hexValue(byte) {
            if let first = high {
                out.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
            afterSeparator = false
        } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") {
            guard high == nil, !out.isEmpty, !afterSeparator || byte == UInt8(ascii: " ") else {
                throw BinaryFailure("a separator may only stand between two bytes, found one at character \(place)")
            }
            afterSeparator = true
            mayHavePrefix = true
        } else {
            throw BinaryFailure("expected hexadecimal digits, found something else at character \(place)")
        }
        place += 1
    }
    guard high == nil else { throw BinaryFailure("an odd number of hexadecimal digits") }
    guard !afterSeparator else {
        throw BinaryFailure("a separator may only stand between two bytes, found one at the end")
    }
    return out
}

/// Reads base64 with the standard alphabet and full padding (RFC 4648, 4); unused bits have to be 0.
func bytes(base64 text: String) throws(BinaryFailure) -> [UInt8] {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { throw BinaryFailure("the length of base64 is a multiple of 4, padded with =") }
    var out: [UInt8] = []
    out.reserveCapacity(digits.count / 4 * 3)
    let padding = digits.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for (place, byte) in digits.dropLast(padding).enumerated() {
        guard let six = base64Value(byte) else {
            throw BinaryFailure("expected the characters of base64, found something else at character \(place)")
        }
        buffer = buffer << 6 | UInt32(six)
        bits += 6
        if bits >= 8 {
            bits -= 8
            out.append(UInt8(truncatingIfNeeded: buffer >> bits))
            buffer &= (1 << bits) - 1
        }
    }
    guard buffer == 0 else { throw BinaryFailure("base64 ends in bits that are not 0") }
    return out
}

/// The value of one hexadecimal digit in ASCII.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}

private func base64Value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x41...0x5A: byte - 0x41
    case 0x61...0x7A: byte - 0x61 + 26
    case 0x30...0x39: byte - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
}
