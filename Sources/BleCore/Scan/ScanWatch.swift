/// Notices a scanner that has gone quiet although BlueZ says that it listens, and says when to start it anew.
///
/// The gaps double, because there may truly be nobody to hear; they begin anew with the first that is heard. A value
/// without a clock.
package struct ScanWatch: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// How long nothing may be heard, at first and at most.
    private let limits: ClosedRange<Duration>
    private var gap: Duration
    /// The last sign of life, or the start; nil while nobody listens.
    private var last: Instant?

    package init(_ limits: ClosedRange<Duration>) {
        self.limits = limits
        gap = limits.lowerBound
    }

    /// Listening has begun, or has ended.
    package mutating func listening(_ isOn: Bool, at now: Instant) {
        if isOn { last = last ?? now } else { last = nil }
    }

    /// Something was heard.
    ///
    /// - Returns: whether that ends a silence that was noticed.
    @discardableResult
    package mutating func heard(at now: Instant) -> Bool {
        guard last != nil else { return false }
        last = now
        defer { gap = limits.lowerBound }
        return gap > limits.lowerBound
    }

    /// When to look next.
    package var deadline: Instant? { last.map { $0 + gap } }

    /// Whether the scanner is to be started anew now; the next gap is twice as long.
    package mutating func isDue(at now: Instant) -> Bool {
        guard let deadline, deadline <= now else { return false }
        last = now
        gap = min(gap * 2, limits.upperBound)
        return true
    }
}
