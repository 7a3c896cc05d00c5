/// Deadlines in a binary heap.
///
/// A cancelled timer loses its handler at once and its place when it comes up.
struct TimerHeap {
    private struct Entry {
        let deadline: ContinuousClock.Instant
        let number: UInt64
    }

    private var heap: [Entry] = []
    private var handlers: [UInt64: () -> Void] = [:]

    /// The earliest deadline.
    var first: ContinuousClock.Instant? { heap.first?.deadline }

    mutating func insert(_ deadline: ContinuousClock.Instant, _ number: UInt64, _ handler: @escaping () -> Void) {
        handlers[number] = handler
        heap.append(Entry(deadline: deadline, number: number))
        siftUp(heap.count - 1)
    }

    mutating func remove(_ number: UInt64) {
        guard handlers.removeValue(forKey: number) != nil else { return }
        // Cancelled entries at the front would wake the loop for nothing; many of them would be a leak.
        while let front = heap.first, handlers[front.number] == nil { popFront() }
        if heap.count > 64, heap.count > 4 * handlers.count { compact() }
    }

    /// Takes the handler of one timer that is due.
    mutating func popDue(_ now: ContinuousClock.Instant) -> (() -> Void)? {
        while let front = heap.first, front.deadline <= now {
            popFront()
            if let handler = handlers.removeValue(forKey: front.number) { return handler }
        }
        return nil
    }

    private mutating func compact() {
        let live = heap.filter { handlers[$0.number] != nil }
        heap = []
        for entry in live {
            heap.append(entry)
            siftUp(heap.count - 1)
        }
    }

    private mutating func popFront() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard before(heap[index], heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && before(heap[child], heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private func before(_ left: Entry, _ right: Entry) -> Bool {
        (left.deadline, left.number) < (right.deadline, right.number)
    }
}
