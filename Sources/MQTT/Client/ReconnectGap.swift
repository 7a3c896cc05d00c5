/// How long to wait before the next attempt: grows with each failure, and anew after a link that held.
package struct ReconnectGap {
    private let policy: MQTTReconnectPolicy
    private var failures = 0

    package init(_ policy: MQTTReconnectPolicy) { self.policy = policy }

    /// Tells how long a link was up; a short one, as between two clients with one id, counts as a failure.
    package mutating func linkEnded(after held: Duration) {
        if held >= policy.resetAfter { failures = 0 }
    }

    /// Counts a failure.
    ///
    /// - Parameter random: 0…1, the place within the jitter.
    /// - Returns: the gap before the next attempt.
    package mutating func next(random: Double) -> Duration {
        let doublings = min(failures, 30)
        failures = min(failures + 1, 1000)
        let jitter = min(max(policy.jitter, 0), 0.9)
        let spread = 1 - jitter + 2 * jitter * min(max(random, 0), 1)
        return min(min(policy.first * (1 << doublings), policy.longest) * spread, policy.longest)
    }
}
