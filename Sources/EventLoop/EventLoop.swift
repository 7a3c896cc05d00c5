internal import CLinux
internal import Glibc
internal import Synchronization

/// One epoll loop that is the executor of every actor and task that touches D-Bus or MQTT.
///
/// `run()` takes the calling thread until `stop()`. All other members, save those marked *any thread*, may be used on
/// the loop's thread only: from handlers, or from actors whose executor the loop is.
package final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    // Safe because: what is not behind `inbox` or atomic is touched by the loop's thread alone; `preconditionOnLoop`
    // guards the entries.

    /// What a file descriptor is ready for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
        package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
        /// The other side has gone, or the descriptor is in error.
        ///
        /// Always reported.
        package static let hangup = Readiness(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    }

    /// Names a timer so that it can be cancelled.
    package struct TimerID: Hashable, Sendable {
        fileprivate let timer: TimerHeap.Timer

        package static func == (left: Self, right: Self) -> Bool { left.timer === right.timer }
        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(timer)) }
    }

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var closures: [@Sendable () -> Void] = []
        var asleep = false
        var stopped = false
        /// `run()` has returned: a closure would never run, and keep what it holds for ever.
        var ended = false
    }

    private let epoll: Int32
    private let wakeup: Int32
    private let thread = Atomic<UInt>(0)
    private let inbox = Locked(Inbox())

    private nonisolated(unsafe) var jobs = FIFO<UnownedJob>()  // loop's thread only
    private nonisolated(unsafe) var watches: [Int32: Watch] = [:]  // loop's thread only
    private nonisolated(unsafe) var timers = TimerHeap()  // loop's thread only
    private nonisolated(unsafe) var hooks: [(number: UInt64, isLast: Bool, run: () -> Bool)] = []  // loop's thread only
    private nonisolated(unsafe) var lastNumber: UInt64 = 0  // loop's thread only
    private nonisolated(unsafe) var turnWanted = false  // loop's thread only

    private struct Watch {
        var number: UInt64
        var handler: (Readiness) -> Void
    }

    /// Makes a loop that does not run yet.
    ///
    /// - Throws: `SystemFailure` when the kernel gives no descriptors.
    package init() throws(SystemFailure) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemFailure("epoll_create1") }
        wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeup >= 0 else {
            let failure = SystemFailure("eventfd")
            close(epoll)
            throw failure
        }
        var event = epoll_event(events: Readiness.readable.rawValue, data: epoll_data_t(fd: wakeup))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
            let failure = SystemFailure("epoll_ctl")
            close(epoll)
            close(wakeup)
            throw failure
        }
    }

    deinit {
        close(epoll)
        close(wakeup)
    }

    /// Starts a thread of its own for a new loop; it ends with `stop()`.
    package static func startThread() throws(SystemFailure) -> EventLoop {
        let loop = try EventLoop()
        try startDetachedThread { loop.run() }
        return loop
    }

    /// Whether the caller is on the loop's thread.
    ///
    /// Any thread.
    package var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    // MARK: Executor

    /// Takes a job to run.
    ///
    /// Any thread.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop {
            jobs.append(job)
            return
        }
        let wake = inbox.withLock { inbox in
            inbox.jobs.append(job)
            defer { inbox.asleep = false }
            return inbox.asleep
        }
        if wake { signalWakeup() }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() { preconditionOnLoop() }

    /// Runs a closure on the loop, soon.
    ///
    /// Any thread.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        let wake = inbox.withLock { inbox in
            guard !inbox.ended else { return false }
            inbox.closures.append(work)
            defer { inbox.asleep = false }
            return inbox.asleep
        }
        if wake { signalWakeup() }
    }

    /// Ends `run()` after the present turn.
    ///
    /// Any thread.
    package func stop() {
        inbox.withLock { $0.stopped = true }
        signalWakeup()
    }

    // MARK: Descriptors

    /// Calls the handler whenever the descriptor is ready, until `unwatch`.
    ///
    /// One watch a descriptor.
    ///
    /// - Throws: `SystemFailure` when epoll refuses the descriptor.
    package func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        handler: @escaping (Readiness) -> Void
    ) throws(SystemFailure) {
        preconditionOnLoop()
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(fd: descriptor))
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw SystemFailure("epoll_ctl") }
        lastNumber += 1
        watches[descriptor] = Watch(number: lastNumber, handler: handler)
    }

    /// Changes what a watched descriptor is watched for.
    package func update(_ descriptor: Int32, interest: Readiness) {
        preconditionOnLoop()
        guard watches[descriptor] != nil else { return }
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(fd: descriptor))
        // A descriptor that its library closed meanwhile is no longer in the set: nothing to change.
        _ = epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
    }

    /// Ends a watch.
    ///
    /// Call it before the descriptor is closed.
    package func unwatch(_ descriptor: Int32) {
        preconditionOnLoop()
        guard watches.removeValue(forKey: descriptor) != nil else { return }
        var event = epoll_event()
        _ = epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    // MARK: Timers and hooks

    /// Calls the handler once, at or soon after the instant (resolution 1 ms).
    @discardableResult
    package func schedule(at deadline: ContinuousClock.Instant, _ handler: @escaping () -> Void) -> TimerID {
        preconditionOnLoop()
        lastNumber += 1
        return TimerID(timer: timers.insert(deadline, lastNumber, handler))
    }

    /// Calls the handler once, after the duration.
    @discardableResult
    package func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> TimerID {
        schedule(at: .now + delay, handler)
    }

    /// Takes a timer back.
    ///
    /// Harmless when it has fired.
    package func cancel(_ timer: TimerID) {
        preconditionOnLoop()
        timers.remove(timer.timer)
    }

    /// Adds a piece of work to each turn, before the loop waits.
    ///
    /// It answers whether it wants another turn at once.
    ///
    /// - Parameters:
    ///   - last: behind those that are not: for what may wait until they have sent what there is.
    ///   - hook: the work.
    /// - Returns: a number for `removeHook`.
    package func addHook(last: Bool = false, _ hook: @escaping () -> Bool) -> UInt64 {
        preconditionOnLoop()
        lastNumber += 1
        let place = last ? hooks.endIndex : hooks.firstIndex(where: \.isLast) ?? hooks.endIndex
        hooks.insert((lastNumber, last, hook), at: place)
        return lastNumber
    }

    /// Has the hooks run once more before the loop waits.
    ///
    /// For work that a hook is to do and that may come up while the hooks run: its own may have had its turn already.
    package func wantTurn() {
        preconditionOnLoop()
        turnWanted = true
    }

    package func removeHook(_ number: UInt64) {
        preconditionOnLoop()
        hooks.removeAll { $0.number == number }
    }

    // MARK: The loop

    /// Runs jobs, timers and handlers on this thread until `stop()`.
    package func run() {
        let entered = thread.compareExchange(
            expected: 0,
            desired: UInt(pthread_self()),
            ordering: .relaxed
        ).exchanged
        precondition(entered, "an event loop runs on one thread")
        // The turns are themselves a job of the loop: the first, as only this thread could have queued one.
        Task(executorPreference: self) { [turns = Turns(self)] in await turns.run() }
        runJobs()
        thread.store(0, ordering: .relaxed)
    }

    /// Runs until `stop()`, as a job.
    fileprivate func runTurns() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while !takeInbox() {
            runJobs()
            runTimers()
            turnWanted = false
            var again = runHooks()
            // Jobs that the hooks woke may have made new work for the hooks: it goes out before more is taken in.
            if runJobs() || turnWanted {
                turnWanted = false
                again = runHooks() || again
            }
            wait(&events, atOnce: again || turnWanted || !jobs.isEmpty)
        }
        // What is still queued may hold continuations whose owners wait for them: run it out.
        runJobs()
        watches = [:]
        hooks = []
        timers.removeAll()
        // Given back outside the lock: what a closure held may come back to the loop as it goes.
        _ = inbox.withLock { inbox in
            inbox.ended = true
            defer { inbox.closures = [] }
            return inbox.closures
        }
    }

    private func runHooks() -> Bool {
        var again = false
        for hook in hooks where hook.run() { again = true }
        return again
    }

    /// Moves what other threads have sent.
    ///
    /// Returns whether the loop has been stopped.
    private func takeInbox() -> Bool {
        let (sent, closures, stopped) = inbox.withLock { inbox in
            defer {
                if !inbox.jobs.isEmpty { inbox.jobs = [] }
                if !inbox.closures.isEmpty { inbox.closures = [] }
            }
            return (inbox.jobs, inbox.closures, inbox.stopped)
        }
        for job in sent { jobs.append(job) }
        for closure in closures { closure() }
        return stopped
    }

    /// Runs queued jobs, but not for ever: a job that always queues another must not keep descriptors waiting.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    private func runJobs() -> Bool {
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        var budget = 4096
        while budget > 0, let job = jobs.popFirst() {
            job.runSynchronously(isolatedTo: serial, taskExecutor: task)
            budget -= 1
        }
        return budget < 4096
    }

    private func runTimers() {
        guard let first = timers.first else { return }
        let now = ContinuousClock.now
        guard first <= now else { return }
        while let handler = timers.popDue(now) { handler() }
    }

    private func wait(_ events: inout [epoll_event], atOnce: Bool) {
        let asleep = inbox.withLock { inbox in
            inbox.asleep = !atOnce && inbox.jobs.isEmpty && inbox.closures.isEmpty && !inbox.stopped
            return inbox.asleep
        }
        let count = epoll_wait(epoll, &events, Int32(events.count), asleep ? timeoutMs() : 0)
        if asleep { inbox.withLock { $0.asleep = false } }
        guard count > 0 else { return }
        // A handler may end another's watch, and its descriptor's number may be watched anew within this batch.
        let newest = lastNumber
        for event in events.prefix(Int(count)) {
            if event.data.fd == wakeup {
                var value: UInt64 = 0
                _ = read(wakeup, &value, 8)
            } else if let watch = watches[event.data.fd], watch.number <= newest {
                watch.handler(Readiness(rawValue: event.events))
            }
        }
    }

    private func timeoutMs() -> Int32 {
        guard let first = timers.first else { return -1 }
        let delay = first - .now
        guard delay > .zero else { return 0 }
        let (seconds, attoseconds) = delay.components
        // Rounded up, so that the timer is due when epoll returns.
        let milliseconds = min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: milliseconds)
    }

    private func signalWakeup() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    private func preconditionOnLoop() {
        precondition(isOnLoop || thread.load(ordering: .relaxed) == 0, "not on the event loop's thread")
    }
}

/// What a loop does, as a job of its own executor.
///
/// `assumeIsolated` asks the running job for its executor. Were there none, it would look whether this is the main thread
/// and ask the loop, each time: ten times as long.
private actor Turns {
    private let loop: EventLoop

    init(_ loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func run() { loop.runTurns() }
}
