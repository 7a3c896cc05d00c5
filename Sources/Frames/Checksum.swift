/// The checksums that a command may ask for.
///
/// The CRCs are given in the terms of the Rocksoft model (Ross N. Williams, "A Painless Guide to CRC Error Detection
/// Algorithms", 1993), with the parameters of the catalogue of parametrised CRC algorithms at
/// reveng.sourceforge.io/crc-catalogue, under the name beside each.
package enum ChecksumKind: String, Sendable, CaseIterable {
    /// The sum of all bytes modulo 256.
    case sum8
    /// All bytes, exclusively or-ed.
    case xor8
    /// CRC-8/SMBUS.
    case crc8
    /// CRC-8/MAXIM-DOW.
    case crc8Maxim = "crc8-maxim"
    /// CRC-16/MODBUS.
    case crc16Modbus = "crc16-modbus"
    /// CRC-16/IBM-3740, often called CRC-16/CCITT-FALSE.
    case crc16Ccitt = "crc16-ccitt"
    /// CRC-16/XMODEM.
    case crc16Xmodem = "crc16-xmodem"
    /// CRC-32/ISO-HDLC.
    case crc32

    /// How many bytes it takes.
    package var width: Int {
        switch self {
        case .sum8, .xor8, .crc8, .crc8Maxim: 1
        case .crc16Modbus, .crc16Ccitt, .crc16Xmodem: 2
        case .crc32: 4
        }
    }

    /// The checksum of bytes.
    package func value(of bytes: some Sequence<UInt8>) -> UInt32 {
        switch self {
        case .sum8: UInt32(bytes.reduce(0 as UInt8, &+))
        case .xor8: UInt32(bytes.reduce(0 as UInt8, ^))
        case .crc8: CRC(width: 8, polynomial: 0x07).value(of: bytes)
        case .crc8Maxim: CRC(width: 8, polynomial: 0x31, isReflected: true).value(of: bytes)
        case .crc16Modbus:
            CRC(width: 16, polynomial: 0x8005, initial: 0xFFFF, isReflected: true).value(of: bytes)
        case .crc16Ccitt: CRC(width: 16, polynomial: 0x1021, initial: 0xFFFF).value(of: bytes)
        case .crc16Xmodem: CRC(width: 16, polynomial: 0x1021).value(of: bytes)
        case .crc32:
            CRC(width: 32, polynomial: 0x04C1_1DB7, initial: .max, isReflected: true, final: .max).value(of: bytes)
        }
    }
}

/// A cyclic redundancy check in the Rocksoft model, with equal reflection of input and output.
private struct CRC {
    /// 8, 16 or 32 bits.
    let width: UInt32
    let polynomial: UInt32
    var initial: UInt32 = 0
    var isReflected = false
    var final: UInt32 = 0

    /// Bit by bit: a frame has some hundred bytes, so that a table would not pay.
    func value(of bytes: some Sequence<UInt8>) -> UInt32 {
        // A register at the upper end of 32 bits serves every width; a reflected one stands at the lower end.
        let shift = 32 - width
        let reflected = reversedBits(polynomial << shift)
        var register = isReflected ? reversedBits(initial << shift) : initial << shift
        for byte in bytes {
            if isReflected {
                register ^= UInt32(byte)
                for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ reflected : register >> 1 }
            } else {
                register ^= UInt32(byte) << 24
                for _ in 0..<8 {
                    register = register >> 31 == 1 ? register << 1 ^ polynomial << shift : register << 1
                }
            }
        }
        return (isReflected ? register : register >> shift) ^ final
    }

    private func reversedBits(_ value: UInt32) -> UInt32 {
        (0..<32).reduce(0) { $0 | (value >> UInt32($1) & 1) << UInt32(31 - $1) }
    }
}

/// A checksum at the end of a frame.
package struct ChecksumRule: Sendable, Hashable {
    /// Which byte of a checksum comes first.
    package enum Order: String, Sendable, CaseIterable { case big, little }

    package var kind: ChecksumKind
    package var order: Order
    /// The first byte that counts.
    package var from: Int
    /// Whether it is appended to what is sent.
    package var sends: Bool
    /// Whether the answer's is checked and removed.
    package var verifies: Bool

    package init(_ kind: ChecksumKind, order: Order = .big, from: Int = 0, sends: Bool, verifies: Bool) {
        self.kind = kind
        self.order = order
        self.from = from
        self.sends = sends
        self.verifies = verifies
    }

    /// The bytes of the checksum of a frame that ends before it.
    package func bytes(of frame: some Sequence<UInt8>) -> [UInt8] {
        let value = kind.value(of: frame.dropFirst(max(0, from)))
        let little = (0..<kind.width).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        return order == .little ? little : little.reversed()
    }

    /// The frame without the checksum at its end.
    ///
    /// - Throws: ``FrameFailure`` with `bad-checksum` when it does not fit, or the frame is too short to have one.
    func verified(_ frame: [UInt8]) throws(FrameFailure) -> [UInt8] {
        guard frame.count >= from + kind.width else {
            throw FrameFailure(
                .badChecksum,
                detail: "the answer has \(frame.count) bytes: too few for \(kind.rawValue) from byte \(from)"
            )
        }
        let body = Array(frame.dropLast(kind.width))
        guard frame.suffix(kind.width).elementsEqual(bytes(of: body)) else {
            let covered = "\(kind.rawValue) of the answer's bytes from \(from) to \(body.count)"
            let detail =
                "the \(covered) is not what its last \(kind.width == 1 ? "byte says" : "\(kind.width) bytes say")"
            throw FrameFailure(
                .badChecksum,
                detail: detail
            )
        }
        return body
    }
}
