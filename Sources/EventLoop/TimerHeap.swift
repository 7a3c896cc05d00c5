/// Deadlines in a binary heap.
///
/// A cancelled timer loses its handler at once and its place when it comes up: most are cancelled, and long before that.
struct TimerHeap {
    /// What happens at a deadline, for who wants to cancel it.
    final class Timer: @unchecked Sendable {
        // Safe because: `handler` is touched by the loop's thread alone; others only hold the timer.

        fileprivate let deadline: ContinuousClock.Instant
        /// Nil once it has fired or was cancelled: what it holds may hold the timer.
        fileprivate var handler: (() -> Void)?

        fileprivate init(_ deadline: ContinuousClock.Instant, _ handler: @escaping () -> Void) {
            self.deadline = deadline
            self.handler = handler
        }
    }

    private struct Entry {
        /// Nanoseconds from `epoch` to the deadline: an instant is of a size that only the running program knows, and
        /// slow to be moved.
        let key: Int64
        let number: UInt64
        let timer: Timer

        func isBefore(_ other: Entry) -> Bool { key == other.key ? number < other.number : key < other.key }
    }

    private let epoch = ContinuousClock.now
    private var heap: [Entry] = []
    private var live = 0

    /// The earliest deadline.
    var first: ContinuousClock.Instant? { heap.first?.timer.deadline }

    /// Adds a timer; its number says which of two with one deadline comes first.
    mutating func insert(
        _ deadline: ContinuousClock.Instant,
        _ number: UInt64,
        _ handler: @escaping () -> Void
    ) -> Timer {
        let timer = Timer(deadline, handler)
        let (seconds, attoseconds) = (deadline - epoch).components
        // Within 285 years.
        let key = min(max(seconds, -9_000_000_000), 9_000_000_000) * 1_000_000_000 + attoseconds / 1_000_000_000
        heap.append(Entry(key: key, number: number, timer: timer))
        live += 1
        siftUp(heap.count - 1)
        return timer
    }

    /// Cancels a timer; harmless when it has fired.
    mutating func remove(_ timer: Timer) {
        guard timer.handler != nil else { return }
        timer.handler = nil
        live -= 1
        // Cancelled entries at the front would wake the loop for nothing; many of them would be a leak.
        while let front = heap.first, front.timer.handler == nil { popFront() }
        if heap.count > 64, heap.count > 4 * live { compact() }
    }

    /// Takes the handler of one timer that is due.
    mutating func popDue(_ now: ContinuousClock.Instant) -> (() -> Void)? {
        while let front = heap.first, front.timer.deadline <= now {
            popFront()
            guard let handler = front.timer.handler else { continue }
            front.timer.handler = nil
            live -= 1
            return handler
        }
        return nil
    }

    /// Takes all out; none fires any more.
    mutating func removeAll() {
        let all = heap
        (heap, live) = ([], 0)
        for entry in all { entry.timer.handler = nil }
    }

    private mutating func compact() {
        heap.removeAll { $0.timer.handler == nil }
        for place in heap.indices.reversed() { siftDown(place) }
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
            guard heap[index].isBefore(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
