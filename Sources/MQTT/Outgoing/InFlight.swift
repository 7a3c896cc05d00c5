/// What libmosquitto has and has not settled, by packet identifier, for one link.
struct InFlight {
    private struct Item {
        var order: Int
        var entry: OutgoingQueue.Entry
        /// As sent: a broker may take less than was asked for.
        var qos: MQTTQoS
    }

    private var items: [Int32: Item] = [:]
    private var lastOrder = 0

    /// Those that wait for the broker.
    private(set) var unacknowledged = 0
    var isEmpty: Bool { items.isEmpty }

    func contains(_ id: Int32) -> Bool { items[id] != nil }

    mutating func insert(_ id: Int32, _ entry: OutgoingQueue.Entry, qos: MQTTQoS) {
        lastOrder += 1
        items[id] = Item(order: lastOrder, entry: entry, qos: qos)
        if qos > .atMostOnce { unacknowledged += 1 }
    }

    mutating func remove(_ id: Int32) -> (entry: OutgoingQueue.Entry, qos: MQTTQoS)? {
        guard let item = items.removeValue(forKey: id) else { return nil }
        if item.qos > .atMostOnce { unacknowledged -= 1 }
        return (item.entry, item.qos)
    }

    /// Takes out everything, in the order of handing over.
    mutating func removeAll() -> [OutgoingQueue.Entry] {
        defer {
            items = [:]
            unacknowledged = 0
        }
        return items.values.sorted { $0.order < $1.order }.map(\.entry)
    }
}
