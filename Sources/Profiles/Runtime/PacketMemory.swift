/// What is remembered of a device's packets, so that a repeated one is known.
struct PacketMemory: Sendable {
    /// What a packet is to those before it.
    enum Novelty: Equatable {
        case new
        /// It was the last one already: what happened in it is told already.
        case repeated
        /// An older one that comes late, or that somebody plays again.
        case old
    }

    /// The packets of one profile.
    private struct Trail {
        var counter: UInt64?
        /// What counters of encrypted packets, which only ever grow, have come to.
        var sealed: UInt64?
        var payload: [UInt8] = []
        var heard: Duration
    }

    /// How much older than the last a counter of some bits may be, and for how long, to be taken for a late one.
    private static let lateCount: UInt64 = 64
    private static let lateTime: Duration = .seconds(4)
    /// For how long equal bytes without a counter are one and the same packet.
    private static let echoTime: Duration = .seconds(5)
    /// Near its end a counter of 32 bits may begin anew.
    private static let wrap: UInt64 = 1024

    private var trails: [String: Trail] = [:]
    /// When the device was heard last.
    private(set) var heard: Duration

    init(at now: Duration) { heard = now }

    /// Judges an authentic packet by its counter, which never falls.
    mutating func judge(sealed counter: UInt64, of profile: String, at now: Duration) -> Novelty {
        heard = now
        let last = trails[profile]?.sealed
        let restarts = last.map { $0 > UInt64(UInt32.max) - Self.wrap && counter < Self.wrap } ?? false
        if let last, counter < last, !restarts { return .old }
        trails[profile, default: Trail(heard: now)].sealed = counter
        return last == counter ? .repeated : .new
    }

    /// Judges a packet by its counter of some bits, which begins anew after its last value.
    mutating func judge(counter: UInt64, bits: Int, of profile: String, at now: Duration) -> Novelty {
        heard = now
        let last = trails[profile]
        let mask: UInt64 = bits >= 64 ? .max : 1 << UInt64(max(1, bits)) - 1
        if let last, let before = last.counter {
            if before == counter {
                trails[profile]?.heard = now
                return .repeated
            }
            let isBehind = (1..<Self.lateCount).contains((before &- counter) & mask)
            if isBehind, now - last.heard < Self.lateTime { return .old }
        }
        trails[profile, default: Trail(heard: now)].counter = counter
        trails[profile]?.heard = now
        return .new
    }

    /// Judges a packet without a counter by its bytes.
    mutating func judge(payload: [UInt8], of profile: String, at now: Duration) -> Novelty {
        heard = now
        let last = trails[profile]
        trails[profile, default: Trail(heard: now)].payload = payload
        trails[profile]?.heard = now
        guard let last, last.payload == payload, now - last.heard < Self.echoTime else { return .new }
        return .repeated
    }
}
