/// Why a link did not come to be, or an operation did not come to its end, by what has to pass before another try makes
/// sense.
///
/// Another try after a failure of no family would only fail again.
package enum RetryFamily: String, CaseIterable, Sendable {
    /// The controller gave up at once: `le-connection-abort-by-local`.
    case abortedLocally
    /// The device did not answer in time.
    case timedOut
    /// The controller has no room for one more link, and a slot is free later than the link that had it.
    case noSlot
    /// bluetoothd is busy with another attempt at the same link.
    case inProgress
    /// bluetoothd or the bus went away.
    case busGone
    /// The link ended, BlueZ forgot the device, or whatever else may be better the next time.
    case lost

    /// The family of a failed connect or discovery; nil when another try would not help.
    ///
    /// - Parameters:
    ///   - failure: What failed.
    ///   - last: The family of the failure before it in the same operation: after bluetoothd went away everything may be
    ///     missing for a while.
    package init?(connecting failure: BleFailure, after last: RetryFamily?) {
        switch failure.kind {
        case .connectFailed: self = Self.family(of: failure.dbus?.message ?? "")
        case .busy: self = .inProgress
        case .noSlot: self = .noSlot
        // BlueZ forgets a device that it only knew from the air when making the link fails.
        case .linkLost, .deviceRemoved: self = .lost
        case .bluetoothUnavailable, .busLost:
            // What was away before the operation began is told at once.
            guard failure.stage != .adapter || last == .busGone else { return nil }
            self = .busGone
        case .adapterOff, .adapterMissing:
            guard last == .busGone else { return nil }
            self = .busGone
        default: return nil
        }
    }

    /// The family of a failed operation that may be done twice; nil when another try would not help.
    package init?(operating failure: BleFailure) {
        switch failure.kind {
        case .linkLost, .deviceRemoved: self = .lost
        case .busy: self = .inProgress
        case .busLost: self = .busGone
        // No packet came in time, or no answer to a request: bluetoothd tells that as ATT 0x0E, Unlikely Error.
        case .timedOut, .att(0x0E): self = .timedOut
        default: return nil
        }
    }

    private static func family(of text: String) -> RetryFamily {
        if text.contains(substring: "abort-by-local") { return .abortedLocally }
        if text.contains(substring: "imeout") || text.contains(substring: "timed out") { return .timedOut }
        return .lost
    }
}

/// The gaps before another try, the first and the longest of each family; each is twice the one before.
public struct RetryGaps: Sendable {
    package var range: [RetryFamily: ClosedRange<Duration>] = [
        .abortedLocally: .milliseconds(250) ... .seconds(4),
        .timedOut: .seconds(1) ... .seconds(8),
        .noSlot: .seconds(2) ... .seconds(16),
        .inProgress: .seconds(1) ... .seconds(8),
        .busGone: .seconds(1) ... .seconds(8),
        .lost: .milliseconds(250) ... .seconds(4),
    ]

    /// The gaps that suit real radios.
    public init() {}

    /// The same gaps whatever has failed.
    public init(all range: ClosedRange<Duration>) {
        for family in RetryFamily.allCases { self.range[family] = range }
    }

    /// The gap before a try.
    ///
    /// - Parameters:
    ///   - family: Why the last one failed.
    ///   - count: How many of the same family have failed already in this operation, that one not counted.
    /// - Returns: The gap without jitter.
    package func gap(_ family: RetryFamily, after count: Int) -> Duration {
        let range = range[family] ?? .milliseconds(250) ... .seconds(4)
        var gap = range.lowerBound
        for _ in 0..<min(count, 32) where gap < range.upperBound { gap *= 2 }
        return min(gap, range.upperBound)
    }
}

/// How often an operation may be tried, and what of it.
package struct RetryPolicy: Sendable, Equatable {
    /// The most tries after the first; nil: as many as the deadline allows.
    package var max: Int?
    /// Whether the operation itself may be done twice, not only the making of the link.
    package var repeatsOperation: Bool

    package init(max: Int? = nil, repeatsOperation: Bool = false) {
        self.max = max
        self.repeatsOperation = repeatsOperation
    }
}

/// What has been tried in one operation.
struct Retries {
    private var counts: [RetryFamily: Int] = [:]
    private(set) var last: RetryFamily?
    private(set) var total = 0

    /// Counts a failure and gives the gap before the next try, with jitter.
    mutating func next(_ family: RetryFamily, _ gaps: RetryGaps) -> Duration {
        let gap = gaps.gap(family, after: counts[family, default: 0])
        counts[family, default: 0] += 1
        total += 1
        last = family
        return gap * Double.random(in: 0.9...1.1)
    }
}
