/// Hexadecimal digits.
package enum Hex {
    /// The value of one digit of either case; nil for another byte.
    package static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Writes the two digits of a byte.
    package static func append(_ byte: UInt8, uppercase: Bool = false, to out: inout [UInt8]) {
        for nibble in [byte >> 4, byte & 15] {
            let letter = uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")
            out.append(nibble < 10 ? UInt8(ascii: "0") + nibble : letter + nibble - 10)
        }
    }

    /// The lower-case digits of all bytes.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var out: [UInt8] = []
        for byte in bytes { append(byte, to: &out) }
        return String(decoding: out, as: UTF8.self)
    }
}
