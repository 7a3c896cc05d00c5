/// When a device may be paired: while the gateway's window is open, or while somebody here pairs that very device.
///
/// Everything else is refused.
struct PairingWindow {
    private var end: ContinuousClock.Instant?
    private var asked: [DeviceAddress: Int] = [:]

    /// Opens the gateway's window until a time, or closes it.
    mutating func open(until end: ContinuousClock.Instant?) { self.end = end }

    /// Somebody begins to pair a device.
    mutating func begin(_ address: DeviceAddress) { asked[address, default: 0] += 1 }

    /// One who had begun to pair a device has ended.
    mutating func end(_ address: DeviceAddress) {
        guard let count = asked[address] else { return }
        asked[address] = count > 1 ? count - 1 : nil
    }

    /// Whether somebody here pairs that device now.
    func isAsked(_ address: DeviceAddress) -> Bool { asked[address] != nil }

    /// Whether the gateway's window is open.
    func isOpen(now: ContinuousClock.Instant) -> Bool { end.map { now < $0 } ?? false }

    func admits(_ address: DeviceAddress, now: ContinuousClock.Instant) -> Bool {
        isAsked(address) || isOpen(now: now)
    }
}
