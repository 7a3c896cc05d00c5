/// Tells a bond that the device has lost from a link that is merely bad.
///
/// BlueZ 5.66 says nothing of it: it answers `Connect` with success, then the kernel asks for encryption, the device does
/// not know the key, and the link ends at once, before services are known.
struct BondDoubt {
    /// So many links in a row have to end like that.
    private static let enough = 3
    /// How soon a link ends whose encryption fails.
    private static let soon = Duration.seconds(2)

    private var losses = 0
    private var linkedAt: ContinuousClock.Instant?

    static var failure: BleFailure {
        BleFailure(
            .staleBond,
            at: .connect,
            detail: "the device ends each link as soon as it is to be encrypted: it has lost its half of the bond"
        )
    }

    /// A link stands whose services are not known yet.
    mutating func linked(bonded: Bool) { linkedAt = bonded ? .now : nil }

    /// A link has ended before its services were known: whether that was once too often.
    mutating func isStale(afterLossAt now: ContinuousClock.Instant) -> Bool {
        guard let linkedAt, now - linkedAt < Self.soon else {
            losses = 0
            return false
        }
        losses += 1
        return losses >= Self.enough
    }
}

extension DeviceRecord {
    /// What a failure means for this device: where there is a bond, it does not do when the device wants pairing.
    func judged(_ failure: BleFailure) -> BleFailure {
        guard bonded, failure.kind == .needsPairing else { return failure }
        var failure = failure
        failure.kind = .staleBond
        if failure.detail.isEmpty { failure.detail = "the device does not accept the bond: unpair it and pair again" }
        return failure
    }
}
