internal import Cryptography

/// Finds whose private address an address is, at a bounded cost.
///
/// Anybody may send any number of addresses: what fits no key is remembered as such, within bounds, and there is a limit
/// to the computations of a second, beyond which an address stays unresolved for now. Confined to the manager's loop.
package final class AddressResolver {
    /// What is known of an address.
    package enum Answer: Equatable {
        case identity(IdentityKey)
        /// It belongs to none of the keys, or is no private address.
        case none
        /// There was no time to find out; ask again with the next report.
        case later
    }

    /// How many computations a second there may be; one takes about 0.1 µs.
    package let perSecond: Int
    /// How many addresses are remembered in each of two generations.
    package let memory: Int
    /// All computations so far.
    package private(set) var computations = 0

    private let keys: [(key: IdentityKey, cipher: BlockCipher)]
    /// Addresses that fitted a key; devices change theirs every few minutes.
    private var found = Generations<IdentityKey>()
    private var strangers = Generations<Void>()
    private var spent = 0
    private var second: Int64 = 0

    /// Makes a resolver; a key that libcrypto does not take is left out.
    package init(_ keys: IdentityKeys, perSecond: Int = 20_000, memory: Int = 4096) {
        self.keys = keys.keys.compactMap { key in BlockCipher(key: key.bytes).map { (key, $0) } }
        self.perSecond = perSecond
        self.memory = memory
    }

    /// Whose address it is.
    ///
    /// - Parameters:
    ///   - address: the address on the air, of whatever kind.
    ///   - now: milliseconds since 1970-01-01 UTC.
    /// - Returns: the answer; `later` only beyond the limit of a second.
    package func resolve(_ address: DeviceAddress, now: Int64) -> Answer {
        guard !keys.isEmpty, address.isResolvable else { return .none }
        if let key = found.value(of: address, memory: memory) { return .identity(key) }
        if strangers.value(of: address, memory: memory) != nil { return .none }
        if now / 1000 != second {
            second = now / 1000
            spent = 0
        }
        guard spent == 0 || spent + keys.count <= perSecond else { return .later }
        for (key, cipher) in keys {
            spent += 1
            computations += 1
            if Self.belongs(address, cipher) {
                found.set(key, of: address, memory: memory)
                return .identity(key)
            }
        }
        strangers.set((), of: address, memory: memory)
        return .none
    }

    /// How many addresses are remembered.
    package var remembered: Int { found.count + strangers.count }

    /// Whether an address was made with a key: its lower 24 bits are the hash of its upper 24.
    ///
    /// Source: Bluetooth Core Specification 5.4, Vol 3, Part H, 2.2.2 (ah) and Vol 6, Part B, 1.3.2.3.
    private static func belongs(_ address: DeviceAddress, _ cipher: BlockCipher) -> Bool {
        let random = address.rawValue >> 24
        guard let block = cipher.encrypt(BlockCipher.Block(high: 0, low: random)) else { return false }
        return block.low & 0xFF_FFFF == address.rawValue & 0xFF_FFFF
    }
}

/// Values by address that are forgotten when they have not been asked for while many others came.
private struct Generations<Value> {
    private var young: [DeviceAddress: Value] = [:]
    private var old: [DeviceAddress: Value] = [:]

    var count: Int { young.count + old.count }

    mutating func value(of address: DeviceAddress, memory: Int) -> Value? {
        if let value = young[address] { return value }
        guard let value = old.removeValue(forKey: address) else { return nil }
        set(value, of: address, memory: memory)
        return value
    }

    mutating func set(_ value: Value, of address: DeviceAddress, memory: Int) {
        if young.count >= memory {
            old = young
            young = [:]
        }
        young[address] = value
    }
}
