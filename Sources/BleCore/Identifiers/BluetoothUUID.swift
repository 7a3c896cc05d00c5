/// A UUID of the attribute protocol: 16 or 32 bits on the Bluetooth base, or 128 bits.
///
/// Two forms of one UUID are equal: `180f` is `0000180f-0000-1000-8000-00805f9b34fb`.
/// Source: Bluetooth Core Specification 5.4, Vol 3, Part B, 2.5.1 (the base UUID).
public struct BluetoothUUID: Hashable, Sendable, Comparable {
    /// The upper and lower halves of the 128 bits, in printing order.
    public let high: UInt64
    public let low: UInt64

    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    private static let baseLow: UInt64 = 0x8000_0080_5F9B_34FB

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A 16- or 32-bit UUID on the Bluetooth base.
    public init(short: UInt32) {
        high = UInt64(short) << 32 | Self.baseHigh
        low = Self.baseLow
    }

    /// Reads 4, 8 or 32 hexadecimal digits in any case; 32 with all four hyphens at their places or with none.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let uuid = text.withUTF8({ BluetoothUUID(ascii: $0) }) else { return nil }
        self = uuid
    }

    /// The same of the bytes of a text.
    init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var hyphens = 0
        for byte in bytes {
            if byte == 0x2D {
                // Behind 8, 12, 16 and 20 digits.
                guard hyphens < 4, digits == 8 + 4 * hyphens else { return nil }
                hyphens += 1
                continue
            }
            guard let nibble = hexNibble(byte), digits < 32 else { return nil }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(nibble)
            } else {
                halves.1 = halves.1 << 4 | UInt64(nibble)
            }
            digits += 1
        }
        switch (digits, hyphens) {
        case (4, 0), (8, 0): self.init(short: UInt32(truncatingIfNeeded: halves.0))
        case (32, 0), (32, 4): self.init(high: halves.0, low: halves.1)
        default: return nil
        }
    }

    public static func < (left: Self, right: Self) -> Bool { (left.high, left.low) < (right.high, right.low) }

    /// The 16- or 32-bit form, when the UUID is on the Bluetooth base.
    public var short: UInt32? {
        low == Self.baseLow && high & 0xFFFF_FFFF == Self.baseHigh ? UInt32(truncatingIfNeeded: high >> 32) : nil
    }

    /// All 128 bits, lower case, with hyphens: the form that BlueZ uses.
    public var full: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var length = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    buffer[length] = 0x2D
                    length += 1
                }
                let half = digit < 16 ? high : low
                buffer[length] = lowerHexDigits.utf8Start[Int(half >> UInt64(60 - digit % 16 * 4) & 15)]
                length += 1
            }
            return length
        }
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// The shortest form, lower case: `180f`, `12345678`, or all 128 bits with hyphens.
    public var description: String {
        guard let short else { return full }
        return hexText(UInt64(short), digits: short >> 16 == 0 ? 4 : 8)
    }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt32) { self.init(short: value) }
}

private func hexText(_ value: UInt64, digits: Int) -> String {
    String(unsafeUninitializedCapacity: digits) { buffer in
        for index in 0..<digits {
            let nibble = Int(truncatingIfNeeded: value >> UInt64(4 * (digits - 1 - index)) & 15)
            buffer[index] = lowerHexDigits.utf8Start[nibble]
        }
        return digits
    }
}
