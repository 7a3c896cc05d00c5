/// How long the packets are into which a command's bytes are cut.
public protocol PeripheralCommandLengthProtocol: Sendable {
    /// The most bytes of the packet at a place, counted from 0.
    ///
    /// - Parameters:
    ///   - index: The packet's place.
    ///   - mtu: The link's ATT MTU in bytes; nil when BlueZ does not tell it.
    /// - Returns: At least 1.
    func length(ofPacket index: Int, mtu: Int?) -> Int
}

/// All packets of one length, 20 bytes as a rule: what an ATT MTU of 23 carries.
public struct DefaultPeripheralCommandLength: PeripheralCommandLengthProtocol {
    public let length: Int

    public init(_ length: Int = 20) { self.length = max(1, length) }

    public func length(ofPacket index: Int, mtu: Int?) -> Int { length }
}

/// A first packet of one length, and the others of another: for devices whose first packet carries a header.
public struct FirstPeripheralCommandLength: PeripheralCommandLengthProtocol {
    public let first: Int
    public let then: Int

    public init(first: Int, then: Int) {
        self.first = max(1, first)
        self.then = max(1, then)
    }

    public func length(ofPacket index: Int, mtu: Int?) -> Int { index == 0 ? first : then }
}

/// The most bytes that an attribute's value has (Bluetooth Core Specification 5.4, Vol 3, Part F, 3.2.9).
let attributeBytes = 512

/// As much as the link carries in one packet: the MTU less three bytes for opcode and handle, 512 at most.
///
/// Source: Bluetooth Core Specification 5.4, Vol 3, Part F, 3.4.5.3 and 3.2.9. Without a known MTU, or with one that
/// cannot be, it is what the least one, 23, carries.
public struct MTUPeripheralCommandLength: PeripheralCommandLengthProtocol {
    public init() {}

    public func length(ofPacket index: Int, mtu: Int?) -> Int {
        min(max(mtu ?? 23, 23) - 3, attributeBytes)
    }
}

extension PeripheralCommandLengthProtocol {
    /// Cuts bytes into packets; no bytes are one empty packet.
    ///
    /// - Parameters:
    ///   - bytes: What is to be cut.
    ///   - mtu: The link's ATT MTU in bytes; nil when BlueZ does not tell it.
    ///   - limit: The most bytes of a packet, whatever the protocol says.
    /// - Returns: The packets in their order.
    public func cut(_ bytes: [UInt8], mtu: Int?, limit: Int = .max) -> [[UInt8]] {
        guard !bytes.isEmpty else { return [[]] }
        var packets: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let length = max(1, min(limit, length(ofPacket: packets.count, mtu: mtu)))
            packets.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return packets
    }
}
