/// Lets the same event through once in a while and counts the others.
///
/// ```swift
/// if let suppressed = limiter.admit("queue-full") {
///     log.warning("Commands were refused", [.suppressed: String(suppressed)])
/// }
/// ```
package struct LogRateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var last: ContinuousClock.Instant
        var suppressed = 0
    }

    private let gap: Duration
    private let capacity: Int
    private var entries: [Key: Entry] = [:]

    /// Makes a limiter that remembers at most `capacity` keys; beyond it the one longest silent is forgotten.
    package init(gap: Duration = .seconds(60), capacity: Int = 256) {
        self.gap = gap
        self.capacity = max(capacity, 1)
    }

    /// The number of events suppressed since the last admitted one when this one may be logged, else nil.
    package mutating func admit(_ key: Key, at now: ContinuousClock.Instant = .now) -> Int? {
        if var entry = entries[key] {
            if now - entry.last < gap {
                entry.suppressed += 1
                entries[key] = entry
                return nil
            }
            entries[key] = Entry(last: now)
            return entry.suppressed
        }
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.last < $1.value.last })?.key {
            entries[oldest] = nil
        }
        entries[key] = Entry(last: now)
        return 0
    }
}
