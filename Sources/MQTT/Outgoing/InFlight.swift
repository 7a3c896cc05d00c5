/// What libmosquitto has and has not settled, by packet identifier, for one link.
struct InFlight {
    private var entries: [Int32: (order: Int, entry: OutgoingQueue.Entry)] = [:]
    private var lastOrder = 0

    /// Those that wait for the broker.
    private(set) var unacknowledged = 0
    var isEmpty: Bool { entries.isEmpty }

    func contains(_ id: Int32) -> Bool { entries[id] != nil }

    mutating func insert(_ id: Int32, _ entry: OutgoingQueue.Entry) {
        lastOrder += 1
        entries[id] = (lastOrder, entry)
        if entry.publication.qos > .atMostOnce { unacknowledged += 1 }
    }

    mutating func remove(_ id: Int32) -> OutgoingQueue.Entry? {
        guard let entry = entries.removeValue(forKey: id)?.entry else { return nil }
        if entry.publication.qos > .atMostOnce { unacknowledged -= 1 }
        return entry
    }

    /// Takes out everything, in the order of handing over.
    mutating func removeAll() -> [OutgoingQueue.Entry] {
        defer {
            entries = [:]
            unacknowledged = 0
        }
        return entries.values.sorted { $0.order < $1.order }.map(\.entry)
    }
}
