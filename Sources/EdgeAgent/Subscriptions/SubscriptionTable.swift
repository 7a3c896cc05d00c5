package import BleCore
package import EventLoop

/// Which callers want to hear which characteristics, and how their values are published.
///
/// Confined to the agent. Values come once, however many callers hold a subscription.
package final class SubscriptionTable {
    /// One characteristic of one device.
    package struct Key: Hashable {
        let address: DeviceAddress
        let handle: UInt16
    }

    /// What one characteristic's values are published as, and for whom.
    package final class Subscription {
        let device: DeviceTarget
        let id: CharacteristicID
        package let topic: String
        var retainsLast = false
        /// Values published.
        var count: Int64 = 0
        /// Values that found no place since the last that did.
        var dropped = 0
        fileprivate(set) var holders: [String: EventLoop.TimerID?] = [:]

        init(device: DeviceTarget, id: CharacteristicID, topic: String) {
            self.device = device
            self.id = id
            self.topic = topic
        }

        /// The characteristic by its handle, which always names it.
        package var selector: AttributeSelector {
            AttributeSelector(handle: id.handle, service: id.service, characteristic: id.characteristic)
        }
    }

    private let loop: EventLoop
    private var subscriptions: [Key: Subscription] = [:]

    /// Makes an empty table; leases run on the loop.
    package init(loop: EventLoop) { self.loop = loop }

    subscript(key: Key) -> Subscription? { subscriptions[key] }

    /// Whether there is no subscription of a device.
    package func isEmpty(for address: DeviceAddress) -> Bool { !subscriptions.keys.contains { $0.address == address } }

    /// The subscription that a selector names.
    package func find(_ selector: AttributeSelector, of address: DeviceAddress) -> Subscription? {
        subscriptions.values.first { subscription in
            let id = subscription.id
            return subscription.device.address == address && (selector.handle.map { $0 == id.handle } ?? true)
                && (selector.characteristic.map { $0 == id.characteristic } ?? true)
                && (selector.service.map { $0 == id.service } ?? true)
        }
    }

    /// The subscription to a characteristic, made when there is none: its first value may come before its holder is
    /// told that it stands.
    package func entry(for id: CharacteristicID, of device: DeviceTarget, topic: () -> String) -> Subscription {
        let key = Key(address: device.address, handle: id.handle)
        if let known = subscriptions[key] { return known }
        let subscription = Subscription(device: device, id: id, topic: topic())
        subscriptions[key] = subscription
        return subscription
    }

    /// Adds a holder or renews its lease; true when the holder had the subscription already.
    package func hold(
        _ subscription: Subscription,
        holder: String,
        lease: Duration?,
        expired: @escaping () -> Void
    ) -> Bool {
        let before = subscription.holders[holder]
        if let timer = before ?? nil { loop.cancel(timer) }
        subscription.holders[holder] = .some(lease.map { loop.schedule(after: $0, expired) })
        return before != nil
    }

    /// Drops the entries of a device that nobody holds: those of a subscribing that failed.
    package func removeUnheld(of address: DeviceAddress) {
        subscriptions = subscriptions.filter { $0.key.address != address || !$0.value.holders.isEmpty }
    }

    /// Lets a holder go.
    ///
    /// - Returns: whether it held the subscription, and whether it was the last.
    package func release(_ subscription: Subscription, holder: String) -> (held: Bool, wasLast: Bool) {
        guard let lease = subscription.holders.removeValue(forKey: holder) else { return (false, false) }
        if let lease { loop.cancel(lease) }
        guard subscription.holders.isEmpty else { return (true, false) }
        subscriptions[Key(address: subscription.device.address, handle: subscription.id.handle)] = nil
        return (true, true)
    }
}
