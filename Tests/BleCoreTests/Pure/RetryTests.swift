import BleCore
import Testing

/// Which failures are worth another try, and after which gap.
@Suite(.timeLimit(.minutes(10)))
struct RetryTests {
    typealias Kind = BleFailure.Kind

    private static func failed(_ text: String) -> BleFailure {
        let error = BleFailure.BusError(name: "org.bluez.Error.Failed", message: text)
        return BleFailure(.connectFailed, at: .connect, dbus: error)
    }

    @Test(
        arguments: [
            ("le-connection-abort-by-local", .abortedLocally), ("br-connection-abort-by-local", .abortedLocally),
            ("le-connection-timeout", .timedOut), ("Operation timed out", .timedOut),
            ("br-connection-page-timeout", .timedOut),
            ("Timeout was reached", .timedOut), ("le-connection-refused", .lost),
            ("Software caused connection abort", .lost),
            ("", .lost),
        ] as [(String, RetryFamily)]
    )
    func `a link that could not be made is told by BlueZ's text`(text: String, family: RetryFamily) {
        #expect(RetryFamily(connecting: Self.failed(text), after: nil) == family)
        #expect(RetryFamily(connecting: Self.failed(text), after: .busGone) == family)
    }

    @Test func `a link that could not be made, for no reason that is known, may be made the next time`() {
        #expect(RetryFamily(connecting: BleFailure(.connectFailed, at: .connect), after: nil) == .lost)
    }

    @Test(
        arguments: [
            (.busy, .inProgress), (.noSlot, .noSlot), (.linkLost, .lost), (.deviceRemoved, .lost), (.busLost, .busGone),
            (.bluetoothUnavailable, .busGone), (.adapterOff, nil), (.adapterMissing, nil), (.adapterBlocked, nil),
            (.unauthorized, nil), (.notInRange, nil), (.needsPairing, nil), (.noService([0x180F]), nil),
            (.notSupported, nil),
            (.timedOut, nil), (.bus, nil),
        ] as [(Kind, RetryFamily?)]
    )
    func `a failure on the way to a link has its family, or none`(kind: Kind, family: RetryFamily?) {
        for stage in [BleFailure.Stage.connect, .discover] {
            #expect(RetryFamily(connecting: BleFailure(kind, at: stage), after: nil) == family)
            #expect(RetryFamily(connecting: BleFailure(kind, at: stage), after: .lost) == family)
        }
    }

    @Test(arguments: [Kind.bluetoothUnavailable, .busLost])
    func `a bus that was away before the operation began is told at once`(kind: Kind) {
        let failure = BleFailure(kind, at: .adapter)
        #expect(RetryFamily(connecting: failure, after: nil) == nil)
        #expect(RetryFamily(connecting: failure, after: .lost) == nil)
        #expect(RetryFamily(connecting: failure, after: .busGone) == .busGone)
    }

    @Test(arguments: [Kind.adapterOff, .adapterMissing])
    func `after bluetoothd went away its adapters may be missing for a while`(kind: Kind) {
        #expect(RetryFamily(connecting: BleFailure(kind, at: .adapter), after: .busGone) == .busGone)
        #expect(RetryFamily(connecting: BleFailure(kind, at: .adapter), after: .timedOut) == nil)
    }

    @Test(
        arguments: [
            (.linkLost, .lost), (.deviceRemoved, .lost), (.busy, .inProgress), (.busLost, .busGone),
            (.timedOut, .timedOut),
            (.att(0x0E), .timedOut), (.att(0x80), nil), (.att(0x05), nil), (.notPermitted, nil), (.needsPairing, nil),
            (.noCharacteristic([0x2A19]), nil), (.valueTooLong(limit: 20), nil), (.responseRejected, nil), (.bus, nil),
        ] as [(Kind, RetryFamily?)]
    )
    func `a failed operation has its family, or none`(kind: Kind, family: RetryFamily?) {
        #expect(RetryFamily(operating: BleFailure(kind, at: .operate, applied: .maybe)) == family)
    }

    @Test(
        arguments: [
            (.abortedLocally, [250, 500, 1000, 2000, 4000, 4000]), (.timedOut, [1000, 2000, 4000, 8000, 8000]),
            (.noSlot, [2000, 4000, 8000, 16_000, 16_000]), (.inProgress, [1000, 2000, 4000, 8000, 8000]),
            (.busGone, [1000, 2000, 4000, 8000, 8000]), (.lost, [250, 500, 1000, 2000, 4000, 4000]),
        ] as [(RetryFamily, [Int])]
    )
    func `each gap is twice the one before, up to the family's longest`(family: RetryFamily, gaps: [Int]) {
        for (count, gap) in gaps.enumerated() { #expect(RetryGaps().gap(family, after: count) == .milliseconds(gap)) }
        #expect(RetryGaps().gap(family, after: .max) == gaps.last.map { .milliseconds($0) })
    }

    @Test func `gaps may be the same for all, also when the longest is no double of the first`() {
        let gaps = RetryGaps(all: .milliseconds(10)...(.milliseconds(25)))
        for family in RetryFamily.allCases {
            #expect((0..<4).map { gaps.gap(family, after: $0) } == [10, 20, 25, 25].map { .milliseconds($0) })
        }
    }

    @Test(
        arguments: [
            (.no, .no, .no), (.no, .maybe, .maybe), (.maybe, .partly(bytes: 3), .partly(bytes: 3)),
            (.partly(bytes: 3), .yes, .yes), (.no, .yes, .yes),
        ] as [(BleFailure.Applied, BleFailure.Applied, BleFailure.Applied)]
    )
    func `of two tries the one that did more counts`(
        left: BleFailure.Applied,
        right: BleFailure.Applied,
        joined: BleFailure.Applied
    ) {
        #expect(left.joined(with: right) == joined)
        #expect(right.joined(with: left) == joined)
    }
}
