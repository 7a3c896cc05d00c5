package import BleCore

/// Which callers want to hear which characteristics, and how their values are published.
///
/// Confined to the agent. Values come once, however many callers hold a subscription.
package final class SubscriptionTable {
    /// One characteristic of one device.
    package struct Key: Hashable {
        let address: DeviceAddress
        let handle: UInt16
    }

    private var subscriptions: [Key: Subscription] = [:]
    private var numbers: [Int: Subscription] = [:]
    /// Asked for at each job: the devices' own, in no order.
    private var byDevice: [DeviceAddress: [Subscription]] = [:]
    private var lastNumber = 0

    package init() {}

    subscript(key: Key) -> Subscription? { subscriptions[key] }

    /// Finds a subscription by its number.
    func numbered(_ number: Int) -> Subscription? { numbers[number] }

    var all: some Collection<Subscription> { subscriptions.values }

    /// Whether there is no subscription of a device.
    package func isEmpty(for address: DeviceAddress) -> Bool { byDevice[address] == nil }

    /// The subscriptions of a device, in the order of their handles.
    package func all(of address: DeviceAddress) -> [Subscription] {
        (byDevice[address] ?? []).sorted { $0.id.handle < $1.id.handle }
    }

    /// The subscription of a device whose read is due the longest.
    func duePoll(of address: DeviceAddress) -> Subscription? {
        byDevice[address]?.filter { $0.poll?.isDue == true }
            .min { ($0.poll?.started ?? .now) < ($1.poll?.started ?? .now) }
    }

    /// Whether it is still one of the table's.
    package func contains(_ subscription: Subscription) -> Bool { subscriptions[subscription.key] === subscription }

    /// The subscription that a selector names.
    package func find(_ selector: AttributeSelector, of address: DeviceAddress) -> Subscription? {
        byDevice[address]?.first { subscription in
            let id = subscription.id
            return (selector.handle.map { $0 == id.handle } ?? true)
                && (selector.characteristic.map { $0 == id.characteristic } ?? true)
                && (selector.service.map { $0 == id.service } ?? true)
        }
    }

    /// Makes a subscription that nobody holds yet.
    package func make(for id: CharacteristicID, of device: DeviceTarget, topic: String) -> Subscription {
        lastNumber += 1
        let subscription = Subscription(number: lastNumber, device: device, id: id, topic: topic)
        if let before = subscriptions[subscription.key] { remove(before) }
        subscriptions[subscription.key] = subscription
        numbers[lastNumber] = subscription
        byDevice[device.address, default: []].append(subscription)
        return subscription
    }

    /// Takes a subscription out that nobody holds any more, or that never came to stand.
    package func remove(_ subscription: Subscription) {
        guard contains(subscription) else { return }
        subscriptions[subscription.key] = nil
        numbers[subscription.number] = nil
        let address = subscription.device.address
        byDevice[address]?.removeAll { $0 === subscription }
        if byDevice[address]?.isEmpty == true { byDevice[address] = nil }
    }

    /// Gives a subscription its characteristic's present handle.
    package func move(_ subscription: Subscription, to id: CharacteristicID, topic: String) {
        guard contains(subscription) else { return }
        subscriptions[subscription.key] = nil
        subscription.place(at: id, topic: topic)
        if let before = subscriptions[subscription.key] { remove(before) }
        subscriptions[subscription.key] = subscription
    }
}
