internal import CLinux
internal import Glibc

/// Threads for calls that block: name look-ups, connecting, reading files.
///
/// Each call has a thread to itself, so that one that is stuck delays no other; beyond `limit` they wait their turn.
package final class Worker: Sendable {
    private struct State {
        var running = 0
        var waiting = FIFO<@Sendable () -> Void>()
    }

    private let limit: Int
    private let state = Locked(State())

    package init(limit: Int = 8) {
        self.limit = limit
    }

    /// Runs blocking work on a thread of its own and resumes the caller with what it gives.
    ///
    /// Cancellation does not interrupt the work: a call that blocks cannot be called off.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await handedOver { done in
            start { done(Result(catching: work)) }
        }.get()
    }

    /// Runs blocking work on a thread of its own.
    ///
    /// Any thread; nobody waits for it.
    package func start(_ work: @escaping @Sendable () -> Void) {
        let now = state.withLock { state in
            guard state.running < limit else {
                state.waiting.append(work)
                return false
            }
            state.running += 1
            return true
        }
        guard now else { return }
        do {
            try startDetachedThread { self.drain(work) }
        } catch {
            // No thread to be had: late is better than never.
            drain(work)
        }
    }

    private func drain(_ first: @Sendable () -> Void) {
        first()
        while true {
            let next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.running -= 1 }
                return next
            }
            guard let next else { return }
            next()
        }
    }
}

private final class ThreadBody {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a thread that nobody joins, with all signals blocked so that they reach the loop's signalfd.
///
/// - Throws: `SystemFailure` when there are too many threads.
package func startDetachedThread(_ body: @escaping @Sendable () -> Void) throws(SystemFailure) {
    // Safe because: the one reference is taken up again by the thread that gets it, or below when there is none.
    let box = Unmanaged.passRetained(ThreadBody(body))
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    var thread = pthread_t()
    let code = pthread_create(
        &thread,
        nil,
        { argument in
            if let argument {
                // Safe because: the pointer is the box passed above.
                Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            }
            return nil
        },
        box.toOpaque()
    )
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
        box.release()
        throw SystemFailure("pthread_create", code: code)
    }
    pthread_detach(thread)
}
