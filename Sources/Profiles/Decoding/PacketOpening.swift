internal import BleCore
internal import Cryptography

/// What came of a packet that may be encrypted.
enum OpenedPacket: Equatable {
    /// It was in clear.
    case clear([UInt8])
    /// It was decrypted: the packet as it would be in clear, and its counter.
    case opened([UInt8], counter: UInt64)
    case refused(PacketRefusal)
}

extension PacketEncryption {
    /// Opens a packet.
    ///
    /// - Parameters:
    ///   - bytes: The service data.
    ///   - device: Whose they are.
    ///   - key: The device's key; nil when there is none.
    /// - Returns: The packet in clear, or why there is none.
    func open(_ bytes: [UInt8], of device: DeviceAddress, key: [UInt8]?) -> OpenedPacket {
        switch self {
        case .bthome2: Self.bthome(bytes, device, key)
        case .mibeacon: Self.mibeacon(bytes, device, key)
        }
    }

    /// Source: bthome.io/encryption: information byte, maybe the address, what is encrypted, counter, signature.
    private static func bthome(_ bytes: [UInt8], _ device: DeviceAddress, _ key: [UInt8]?) -> OpenedPacket {
        guard let info = bytes.first else { return .refused(.malformed) }
        guard info >> 5 == 2 else { return .refused(.unsupported) }
        guard info & 1 == 1 else { return key == nil ? .clear(bytes) : .refused(.notEncrypted) }
        guard let key else { return .refused(.noKey) }
        let head = info & 2 == 0 ? 1 : 7
        guard bytes.count > head + 8 else { return .refused(.malformed) }
        let address = head == 7 ? Array(bytes[1..<7].reversed()) : device.octets
        let counter = Array(bytes[(bytes.count - 8)..<(bytes.count - 4)])
        let clear = CounterCipher.open(
            Array(bytes[head..<(bytes.count - 8)]),
            signature: Array(bytes.suffix(4)),
            key: key,
            nonce: address + [0xD2, 0xFC, info] + counter
        )
        guard let clear else { return .refused(.notAuthentic) }
        return .opened([info & ~1] + bytes[1..<head] + clear, counter: number(counter))
    }

    /// Source: Xiaomi's MiBeacon, versions 4 and 5: frame control, product, counter, maybe address and capability,
    /// what is encrypted, the upper part of the counter, signature.
    private static func mibeacon(_ bytes: [UInt8], _ device: DeviceAddress, _ key: [UInt8]?) -> OpenedPacket {
        guard bytes.count >= 5 else { return .refused(.malformed) }
        let control = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        let hasObject = control & 0x40 != 0
        // A frame without an object says nothing that a key could protect.
        guard control & 0x08 != 0 else { return key == nil || !hasObject ? .clear(bytes) : .refused(.notEncrypted) }
        guard control >> 12 >= 4 else { return .refused(.unsupported) }
        guard hasObject else { return .refused(.malformed) }
        guard let key else { return .refused(.noKey) }
        var head = 5
        var address = device.octets
        if control & 0x10 != 0 {
            guard bytes.count >= head + 6 else { return .refused(.malformed) }
            address = Array(bytes[head..<head + 6].reversed())
            head += 6
        }
        if control & 0x20 != 0 {
            guard bytes.count > head else { return .refused(.malformed) }
            head += bytes[head] & 0x20 == 0 ? 1 : 2
        }
        guard bytes.count > head + 7 else { return .refused(.malformed) }
        let upper = Array(bytes[(bytes.count - 7)..<(bytes.count - 4)])
        let clear = CounterCipher.open(
            Array(bytes[head..<(bytes.count - 7)]),
            signature: Array(bytes.suffix(4)),
            key: key,
            nonce: address.reversed() + bytes[2..<5] + upper,
            associated: [0x11]
        )
        guard let clear else { return .refused(.notAuthentic) }
        let open = [bytes[0] & ~0x08] + bytes[1..<head] + clear
        return .opened(open, counter: number([bytes[4]] + upper))
    }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

extension DeviceAddress {
    /// The six octets, the first printed one first.
    var octets: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: rawValue >> UInt64(40 - 8 * $0)) } }
}
