/// How many slots of a pool there are, and who wants one.
public struct SlotCounts: Equatable, Sendable {
    /// How many devices hold one; more than `limit` when links came up that nobody asked for, or the limit was lowered.
    public let used: Int
    /// How many may be used; nil when there is no bound.
    public let limit: Int?
    /// How many devices wait for one; one whose link is being reclaimed does so only when it is down.
    public let waiting: Int
}

/// The link slots of one adapter.
struct SlotPool {
    var limit: Int?
    /// How many devices hold one.
    var used = 0
    /// How many of them were told to drop their link.
    var reclaims = 0
    /// The lines that want a slot, by the priority of their first job, in the order of their tickets.
    var asking = InlineArray<3, IndexedHeap<Int>>(repeating: IndexedHeap())
    var turns = Turns()
    /// The lines whose link has nothing to do, the longest idle first.
    var idle = IndexedHeap<Int>()

    var waiting: Int { asking[0].count + asking[1].count + asking[2].count }
    var counts: SlotCounts { SlotCounts(used: used, limit: limit, waiting: waiting) }
    var hasFree: Bool { limit.map { used < $0 } ?? true }
    /// Whether more devices wait than links are being reclaimed.
    var isShort: Bool { !hasFree && waiting > reclaims }

    private var oldest: Turns.Oldest {
        [
            asking[0].firstKey ?? Turns.nobody, asking[1].firstKey ?? Turns.nobody, asking[2].firstKey ?? Turns.nobody,
        ]
    }

    mutating func ask(_ line: Place, _ priority: JobPriority, number: Int) {
        asking[priority.rawValue].insert(number, line)
    }

    mutating func withdraw(_ line: Place, _ priority: JobPriority) {
        asking[priority.rawValue].remove(line)
        if asking[priority.rawValue].isEmpty { turns.clear(priority) }
    }

    /// Takes out the line that gets the next slot.
    mutating func popNext(bound: Int) -> Place? {
        guard let priority = turns.next(of: oldest, bound: bound), let line = asking[priority.rawValue].first else {
            return nil
        }
        let number = asking[priority.rawValue].firstKey ?? 0
        withdraw(line, priority)
        turns.served(priority, number: number, before: oldest)
        return line
    }

    /// Whether somebody waits who should not be overtaken for ever by jobs of a priority.
    func isContested(_ priority: JobPriority, bound: Int) -> Bool {
        JobPriority.allCases.contains { other in
            !asking[other.rawValue].isEmpty && (other <= priority || turns.isDue(other, bound: bound))
        }
    }

    /// A job of a device that holds a slot passes those who wait.
    mutating func overtake(by priority: JobPriority) {
        for other in JobPriority.allCases where other > priority && !asking[other.rawValue].isEmpty {
            turns.overtake(other)
        }
    }

    /// Gives the memory back that a crowd has left; no line may be in.
    mutating func removeAllLines() {
        asking = InlineArray(repeating: IndexedHeap())
        idle = IndexedHeap()
    }
}
