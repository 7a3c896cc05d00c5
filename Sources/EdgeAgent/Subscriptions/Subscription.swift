package import BleCore
package import EventLoop

/// One characteristic whose values are published: for whom, and how.
///
/// Confined to the agent.
package final class Subscription {
    /// One caller that wants the values.
    package struct Holder {
        package var isDurable: Bool
        package var lease: Lease?
    }

    /// The time after which a holder that has not renewed it is let go.
    package struct Lease {
        package let span: Duration
        /// In milliseconds since 1970-01-01 UTC.
        package let endsMs: Int64
        fileprivate let timer: EventLoop.TimerID
    }

    /// The reading of a characteristic that cannot notify.
    struct Poll {
        var interval: Duration
        /// The present gap: longer than the interval after failures.
        var gap: Duration
        /// When the last read began.
        var started = ContinuousClock.now
        var timer: EventLoop.TimerID?
        /// The gap is over, and the device was busy or away.
        var isDue = false
        /// Observers were told that values stay away: the reading fails, or there is no link.
        var isInterrupted = false

        init(every interval: Duration) {
            self.interval = interval
            gap = interval
        }
    }

    /// Names it as long as the process runs, whatever becomes of its handle.
    let number: Int
    package let device: DeviceTarget
    package private(set) var id: CharacteristicID
    package private(set) var topic: String
    /// The characteristic is listened to, or read; false after a restart until it has been found again.
    var stands = true
    /// Observers were told that it does not stand again.
    var isMissed = false
    /// How often a caller wants it read where it cannot notify.
    var pollInterval: Duration?
    var poll: Poll?
    var retainsLast = false
    var coalescer = NotificationCoalescer()
    var flushTimer: EventLoop.TimerID?
    var kind = NotifyMessage.Kind.notify
    /// Values that the device sent.
    var count: Int64 = 0
    /// Values that found no place since the last that did.
    var dropped = 0
    package private(set) var holders: [String: Holder] = [:]

    /// How many callers may hold one subscription.
    package static let maxHolders = 100

    init(number: Int, device: DeviceTarget, id: CharacteristicID, topic: String) {
        self.number = number
        self.device = device
        self.id = id
        self.topic = topic
    }

    var key: SubscriptionTable.Key { SubscriptionTable.Key(address: device.address, handle: id.handle) }

    /// The characteristic by its handle, which always names it.
    package var selector: AttributeSelector {
        AttributeSelector(handle: id.handle, service: id.service, characteristic: id.characteristic)
    }

    /// The characteristic by its UUIDs, where they name it: handles may be others after a change of firmware.
    package var lastingSelector: AttributeSelector {
        id.isAmbiguous ? selector : AttributeSelector(service: id.service, characteristic: id.characteristic)
    }

    /// Whether one of the holders wants it to survive a restart.
    package var isDurable: Bool { holders.values.contains { $0.isDurable } }

    /// Whether there is room for a holder, or it is one already.
    package func mayHold(_ holder: String) -> Bool { holders[holder] != nil || holders.count < Self.maxHolders }

    /// Adds a holder or renews its lease; true when the holder had the subscription already.
    package func hold(
        _ holder: String,
        isDurable: Bool,
        lease: (span: Duration, endsMs: Int64)?,
        after delay: Duration?,
        on loop: EventLoop,
        expired: @escaping () -> Void
    ) -> Bool {
        let before = holders[holder]
        if let timer = before?.lease?.timer { loop.cancel(timer) }
        holders[holder] = Holder(
            isDurable: isDurable,
            lease: lease.map { lease in
                let timer = loop.schedule(after: delay ?? lease.span, expired)
                return Lease(span: lease.span, endsMs: lease.endsMs, timer: timer)
            }
        )
        return before != nil
    }

    /// Lets a holder go; nil when it was none.
    package func release(_ holder: String, on loop: EventLoop) -> Holder? {
        let held = holders.removeValue(forKey: holder)
        if let timer = held?.lease?.timer { loop.cancel(timer) }
        return held
    }

    /// Gives the characteristic its present place.
    func place(at id: CharacteristicID, topic: String) {
        self.id = id
        self.topic = topic
    }

    /// Takes the timers back.
    func cancelTimers(on loop: EventLoop) {
        for timer in [flushTimer, poll?.timer].compactMap({ $0 }) { loop.cancel(timer) }
        flushTimer = nil
        poll?.timer = nil
    }
}
