/// When an answer is complete.
package enum CompletionRule: Sendable, Hashable {
    /// With its first packet.
    case first
    /// With so many packets.
    case packets(Int)
    /// With so many bytes.
    case bytes(Int)
    /// With as many bytes as a field of it says.
    case length(LengthField)
    /// As soon as it ends with these bytes, at the end of a packet.
    case suffix([UInt8])
    /// As soon as it has these bytes.
    case match(BytePattern)
    /// After this silence, once a packet has come.
    case idle(Duration)
    /// Never: the packets go on to come.
    case never

    /// The most bytes that an answer may have.
    package static let maxAnswerBytes = 1 << 20

    /// Which packets are looked at where the command does not say.
    package var usualScope: PacketScope {
        switch self {
        case .length, .bytes, .suffix, .idle: .first
        case .first, .packets, .match, .never: .each
        }
    }
}

/// A number in an answer that says how long the answer is.
package struct LengthField: Sendable, Hashable {
    /// How the number is written.
    package enum Kind: String, Sendable, CaseIterable {
        case u8, u16le, u16be, u24le, u24be, u32le, u32be

        package var format: IntegerFormat {
            switch self {
            case .u8: IntegerFormat(width: 1)
            case .u16le: IntegerFormat(width: 2)
            case .u16be: IntegerFormat(width: 2, isBigEndian: true)
            case .u24le: IntegerFormat(width: 3)
            case .u24be: IntegerFormat(width: 3, isBigEndian: true)
            case .u32le: IntegerFormat(width: 4)
            case .u32be: IntegerFormat(width: 4, isBigEndian: true)
            }
        }
    }

    /// What the field says of an answer.
    package enum Reading: Equatable {
        /// The field has not arrived.
        case notYet
        /// The whole answer has so many bytes.
        case bytes(Int)
        /// No answer has so many bytes: fewer than up to the end of the field, or more than are taken.
        case absurd(Int)
    }

    /// Its first byte in the joined data.
    package var offset: Int
    package var kind: Kind
    /// What is added to the number for the length of the whole answer; may be negative.
    package var adjust: Int

    package init(offset: Int, kind: Kind, adjust: Int = 0) {
        self.offset = offset
        self.kind = kind
        self.adjust = adjust
    }

    /// The place behind the field.
    package var end: Int { offset + kind.format.width }

    package func read(_ joined: [UInt8]) -> Reading {
        guard let number = kind.format.read(joined, at: offset) else { return .notYet }
        // At most 32 bits and an adjustment that is bounded: no sum of the two overflows.
        let length = Int(truncatingIfNeeded: number) + adjust
        return (max(1, end)...CompletionRule.maxAnswerBytes).contains(length) ? .bytes(length) : .absurd(length)
    }
}

/// How a whole number is laid out in bytes.
package struct IntegerFormat: Sendable, Hashable {
    /// 1 to 8 bytes.
    package var width: Int
    package var isBigEndian: Bool
    package var isSigned: Bool

    package init(width: Int, isBigEndian: Bool = false, isSigned: Bool = false) {
        self.width = width
        self.isBigEndian = isBigEndian
        self.isSigned = isSigned
    }

    /// The bits of the number at a place, or nil when the bytes end before it does.
    package func read(_ bytes: [UInt8], at offset: Int) -> UInt64? {
        guard offset >= 0, offset <= bytes.count - width else { return nil }
        var number: UInt64 = 0
        for index in 0..<width {
            let place = isBigEndian ? offset + index : offset + width - 1 - index
            number = number << 8 | UInt64(bytes[place])
        }
        return number
    }

    /// The number that bits of this width stand for.
    package func value(of bits: UInt64) -> Int128 {
        guard isSigned else { return Int128(bits) }
        let shift = UInt64(64 - 8 * width)
        return Int128(Int64(bitPattern: bits << shift) >> Int64(shift))
    }
}
