/// Decides which values of one subscription go out together, and when.
///
/// A value without a clock of its own: its owner says what time it is, and wakes it at `nextDeadline`.
package struct NotificationCoalescer: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// One value as the device sent it.
    package struct Value: Sendable, Equatable {
        package let bytes: [UInt8]
        /// Its number in the subscription.
        package let number: Int64

        package init(_ bytes: [UInt8], number: Int64) {
            self.bytes = bytes
            self.number = number
        }
    }

    /// What one message carries.
    package enum Release: Sendable, Equatable {
        case single(Value)
        /// In the order of their arrival; at least one.
        case batch([Value])
    }

    /// A batch goes out before its values come to more bytes than this.
    package static let maxBatchBytes = 16_384

    package private(set) var rule: Coalesce
    private var waiting: [Value] = []
    private var waitingBytes = 0
    /// When the last message of `latest` went out.
    private var lastRelease: Instant?
    /// When what waits has to go out; nil when nothing waits.
    package private(set) var nextDeadline: Instant?

    package init(_ rule: Coalesce = .every) { self.rule = rule }

    /// Takes a value in and gives back what goes out now.
    package mutating func arrived(_ value: Value, at now: Instant) -> [Release] {
        switch rule {
        case .every: return [.single(value)]
        case .latest(let span):
            if let lastRelease, now < lastRelease + span {
                waiting = [value]
                nextDeadline = lastRelease + span
                return []
            }
            take()
            lastRelease = now
            return [.single(value)]
        case .batch(let count, let delay):
            var releases: [Release] = []
            if waitingBytes + value.bytes.count > Self.maxBatchBytes { releases = flush(at: now) }
            if waiting.isEmpty { nextDeadline = now + delay }
            waiting.append(value)
            waitingBytes += value.bytes.count
            if waiting.count >= count { releases += flush(at: now) }
            return releases
        }
    }

    /// Gives back what is due.
    package mutating func due(at now: Instant) -> [Release] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        return flush(at: now)
    }

    /// Gives back all that waits.
    package mutating func flush(at now: Instant) -> [Release] {
        guard let last = waiting.last else { return [] }
        let all = waiting
        take()
        guard case .batch = rule else {
            lastRelease = now
            return [.single(last)]
        }
        return [.batch(all)]
    }

    /// Goes on by another rule; what waited by the old one goes out.
    package mutating func change(to rule: Coalesce, at now: Instant) -> [Release] {
        guard rule != self.rule else { return [] }
        let releases = flush(at: now)
        self.rule = rule
        lastRelease = nil
        return releases
    }

    private mutating func take() {
        waiting.removeAll(keepingCapacity: true)
        waitingBytes = 0
        nextDeadline = nil
    }
}
