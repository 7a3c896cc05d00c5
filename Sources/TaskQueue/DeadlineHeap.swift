/// Deadlines with what they are for, the earliest first.
///
/// Those of jobs that have started meanwhile are harmless.
struct DeadlineHeap<Time: Comparable, Value> {
    private var entries: [(deadline: Time, value: Value)] = []

    var count: Int { entries.count }
    var first: Time? { entries.first?.deadline }

    mutating func insert(_ deadline: Time, _ value: Value) {
        entries.append((deadline, value))
        var index = entries.count - 1
        while index > 0, entries[index].deadline < entries[(index - 1) / 2].deadline {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes out the earliest entry when it is due.
    mutating func popDue(_ now: Time) -> Value? {
        guard let first = entries.first, first.deadline <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < entries.count {
                if entries[child].deadline < entries[least].deadline { least = child }
            }
            guard least != index else { return first.value }
            entries.swapAt(index, least)
            index = least
        }
    }
}
