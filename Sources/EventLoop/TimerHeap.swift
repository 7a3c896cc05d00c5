/// Deadlines in a binary heap, each timer with its place in it, so that one that is cancelled leaves at once.
struct TimerHeap {
    /// A deadline, and what happens then.
    final class Timer: @unchecked Sendable {
        // Safe because: what changes is touched by the loop's thread alone; others only hold it.

        fileprivate let deadline: ContinuousClock.Instant
        fileprivate let number: UInt64
        /// Nil once it has left: what it holds may hold the timer.
        fileprivate var handler: (() -> Void)?
        /// Where it stands in the heap; -1 once it has left.
        fileprivate var place = -1

        fileprivate init(_ deadline: ContinuousClock.Instant, _ number: UInt64, _ handler: @escaping () -> Void) {
            self.deadline = deadline
            self.number = number
            self.handler = handler
        }

        /// Whether it comes first; of two with one deadline that with the lower number does.
        fileprivate func isBefore(_ other: Timer) -> Bool {
            deadline == other.deadline ? number < other.number : deadline < other.deadline
        }
    }

    private var heap: [Timer] = []

    /// The earliest deadline.
    var first: ContinuousClock.Instant? { heap.first?.deadline }

    /// Adds a timer; its number says which of two with one deadline comes first.
    mutating func insert(
        _ deadline: ContinuousClock.Instant,
        _ number: UInt64,
        _ handler: @escaping () -> Void
    ) -> Timer {
        let timer = Timer(deadline, number, handler)
        heap.append(timer)
        timer.place = heap.count - 1
        siftUp(timer.place)
        return timer
    }

    /// Takes a timer out, if it is there.
    mutating func remove(_ timer: Timer) {
        let place = timer.place
        guard heap.indices.contains(place), heap[place] === timer else { return }
        timer.place = -1
        timer.handler = nil
        let last = heap.removeLast()
        guard last !== timer else { return }
        heap[place] = last
        last.place = place
        siftUp(place)
        siftDown(last.place)
    }

    /// Takes the handler of one timer that is due.
    mutating func popDue(_ now: ContinuousClock.Instant) -> (() -> Void)? {
        guard let timer = heap.first, timer.deadline <= now else { return nil }
        let handler = timer.handler
        remove(timer)
        return handler
    }

    /// Takes all out; none fires any more.
    mutating func removeAll() {
        let all = heap
        heap = []
        for timer in all {
            timer.place = -1
            timer.handler = nil
        }
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].isBefore(heap[parent]) else { return }
            swap(index, parent)
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
            swap(index, least)
            index = least
        }
    }

    private mutating func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].place = left
        heap[right].place = right
    }
}
