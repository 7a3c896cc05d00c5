import BleCore

/// The fields of subscriptions.
extension FieldReader {
    mutating func subscribe() -> VerbRequest? {
        let attribute = characteristic(withDescriptor: false)
        let lease = milliseconds("leaseMs", 1000...Self.longestMs)
        let isDurable = flag("durable") ?? false
        let retainLast = flag("retainLast") ?? false
        let coalesce = self.coalesce() ?? .every
        let poll = self.poll()
        guard let attribute else { return nil }
        return .subscribe(
            SubscribeRequest(
                attribute: attribute,
                lease: lease,
                isDurable: isDurable,
                retainLast: retainLast,
                coalesce: coalesce,
                poll: poll
            )
        )
    }

    mutating func poll() -> Duration? {
        milliseconds("pollMs", SubscribeRequest.shortestPollMs...SubscribeRequest.longestPollMs)
    }

    /// `"every"`, `{"latestMs":1000}` or `{"batch":20,"maxMs":1000}`.
    mutating func coalesce() -> Coalesce? {
        guard let value = take("coalesce") else { return nil }
        if value.string == "every" { return .every }
        guard let object = value.object else {
            problem(
                "coalesce",
                expected: "\"every\", or an object with latestMs, or with batch and maxMs",
                found: value
            )
            return nil
        }
        return nested("coalesce", object) { reader in
            let before = reader.problems.count
            let latest = reader.milliseconds("latestMs", 10...Coalesce.longestMs)
            let batch = reader.whole("batch", 1...Coalesce.longestBatch)
            let delay = reader.milliseconds("maxMs", 10...Coalesce.longestMs)
            guard reader.problems.count == before else { return nil }
            switch (latest, batch, delay) {
            case (let latest?, nil, nil): return .latest(latest)
            case (nil, let batch?, let delay?): return .batch(count: batch, maxDelay: delay)
            default:
                reader.problem("latestMs", "give latestMs alone, or batch and maxMs")
                return nil
            }
        }
    }
}
