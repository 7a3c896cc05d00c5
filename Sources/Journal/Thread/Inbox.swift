internal import EventLoop
internal import Glibc

/// What one thread sleeps for and others put in, in order.
final class Inbox<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item] = []
        var isAsleep = false
    }

    private let state = Locked(State())
    private let bell = Bell()

    /// Adds an item, and wakes the thread when it sleeps.
    ///
    /// Any thread; does not block.
    func put(_ item: Item) {
        let wake = state.withLock { state in
            state.items.append(item)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if wake { bell.ring() }
    }

    /// Whether nothing is there; the thread may begin what can wait.
    var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

    /// Takes all that is there, and waits for something when it is nothing.
    ///
    /// - Parameter deadline: nil: as long as it takes.
    /// - Returns: nothing at the deadline.
    func take(until deadline: ContinuousClock.Instant?) -> [Item] {
        while true {
            let items = state.withLock { state in
                state.isAsleep = state.items.isEmpty
                defer { if !state.items.isEmpty { state.items = [] } }
                return state.items
            }
            if !items.isEmpty { return items }
            guard bell.wait(until: deadline) else {
                state.withLock { $0.isAsleep = false }
                return []
            }
        }
    }
}

/// A bell that is heard once, also by one who comes later.
private final class Bell: @unchecked Sendable {
    // Safe because: `hasRung` is touched with the mutex held only, and both others are made for several threads.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasRung = false

    init() {
        pthread_mutex_init(mutex, nil)
        // The default would be the wall clock, which may be set.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_mutex_unlock(mutex)
        pthread_cond_signal(condition)
    }

    /// Waits for a ring; false at the deadline.
    func wait(until deadline: ContinuousClock.Instant?) -> Bool {
        let end = deadline.map(Self.monotonic)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !hasRung {
            if var end {
                guard pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT else { return false }
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
        hasRung = false
        return true
    }

    private static func monotonic(_ deadline: ContinuousClock.Instant) -> timespec {
        let left = max(.zero, deadline - .now).components
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(left.attoseconds / 1_000_000_000)
        time.tv_sec += Int(min(left.seconds, 1_000_000)) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }
}
