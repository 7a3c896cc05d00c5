/// The 48-bit address of a Bluetooth device, as BlueZ shows it (public or random).
public struct DeviceAddress: Hashable, Sendable, Comparable {
    /// The address as a number: its first printed octet is the most significant one.
    ///
    /// Below 2^48.
    public let rawValue: UInt64

    /// Makes an address of its 48 bits.
    ///
    /// - Returns: `nil` when more than 48 bits are set.
    public init?(rawValue: UInt64) {
        guard rawValue >> 48 == 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Reads `AA:BB:CC:DD:EE:FF`, `AA-BB-CC-DD-EE-FF`, `AA_BB_CC_DD_EE_FF` or `aabbccddeeff`, in any case.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let address = text.withUTF8({ DeviceAddress(ascii: $0) }) else { return nil }
        self = address
    }

    private init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        var value: UInt64 = 0
        var digits = 0
        var separator: UInt8?
        var separators = 0
        for byte in bytes {
            if let nibble = hexNibble(byte) {
                guard digits < 12 else { return nil }
                // A separator is missing where the text has used one before.
                if let _ = separator, digits > 0, digits % 2 == 0, separators != digits / 2 { return nil }
                value = value << 4 | UInt64(nibble)
                digits += 1
            } else {
                guard byte == 0x3A || byte == 0x2D || byte == 0x5F, byte == separator ?? byte else { return nil }
                separators += 1
                guard digits == separators * 2, digits < 12 else { return nil }
                separator = byte
            }
        }
        guard digits == 12, separators == 0 || separators == 5 else { return nil }
        rawValue = value
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Twelve lower-case hexadecimal digits: `aabbccddeeff`.
    public var hex: String { text(digits: lowerHexDigits, separator: nil) }

    func text(digits table: StaticString, separator: UInt8?) -> String {
        // Without room for more than there is a short text needs no memory of its own.
        String(unsafeUninitializedCapacity: separator == nil ? 12 : 17) { buffer in
            var length = 0
            for octet in stride(from: 40, through: 0, by: -8) {
                if let separator, length > 0 {
                    buffer[length] = separator
                    length += 1
                }
                let byte = UInt8(truncatingIfNeeded: rawValue >> UInt64(octet))
                buffer[length] = table.utf8Start[Int(byte >> 4)]
                buffer[length + 1] = table.utf8Start[Int(byte & 15)]
                length += 2
            }
            return length
        }
    }
}

extension DeviceAddress: CustomStringConvertible {
    /// `AA:BB:CC:DD:EE:FF`, as BlueZ prints it.
    public var description: String { text(digits: upperHexDigits, separator: 0x3A) }
}

let lowerHexDigits: StaticString = "0123456789abcdef"
let upperHexDigits: StaticString = "0123456789ABCDEF"

/// The value of one hexadecimal digit in ASCII.
func hexNibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
}
