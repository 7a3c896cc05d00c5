internal import BleCore
internal import Frames

extension ByteCondition {
    /// Whether it holds; a number that lies behind the packet's end has no value.
    func holds(for bytes: [UInt8]) -> Bool {
        switch self {
        case .bytes(let lengths): return lengths.contains { $0.contains(bytes.count) }
        case .number(let number, let allowed):
            guard let format = number.type.integer, let whole = format.read(bytes, at: number.offset) else {
                return false
            }
            let value = number.bits.map { whole >> UInt64($0.from) & (1 << UInt64($0.count) &- 1) } ?? whole
            return allowed.contains { $0.contains(value) }
        }
    }
}

extension OwnAddress {
    /// Whether the bytes have the address of a device.
    func holds(for bytes: [UInt8], of device: DeviceAddress) -> Bool {
        guard bytes.count >= offset + 6 else { return false }
        let octets = isReversed ? device.octets.reversed() : device.octets
        return bytes[offset..<offset + 6].elementsEqual(octets)
    }
}
