import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct WorkerTests {
    private struct Spoilt: Error {}

    @Test func `work runs elsewhere and its value or error comes back`() async throws {
        try await withLoop { loop async throws in
            let worker = Worker()
            let wasOnLoop = try await worker.run { loop.isOnLoop }
            #expect(!wasOnLoop)
            await #expect(throws: Spoilt.self) { try await worker.run { throw Spoilt() } }
        }
    }

    @Test func `no more than the limit run at once, and all of them run`() async throws {
        let worker = Worker(limit: 3)
        let state = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<60 {
                group.addTask {
                    try await worker.run {
                        state.enter()
                        // Sleep: stands in for a call that blocks.
                        usleep(2000)
                        state.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(state.highest <= 3)
        #expect(state.entered == 60)
    }

    @Test func `one that is stuck delays no other`() async throws {
        let worker = Worker(limit: 2)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        let (reading, writing) = (ends[0], ends[1])
        async let stuck = worker.run {
            var byte: UInt8 = 0
            return read(reading, &byte, 1)
        }
        for number in 0..<20 { #expect(try await worker.run { number } == number) }
        _ = write(writing, "x", 1)
        #expect(try await stuck == 1)
        close(reading)
        close(writing)
    }

    @Test func `a worker's threads leave the process's signals alone`() async throws {
        let blocked = try await Worker().run {
            var set = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &set)
            return sigismember(&set, SIGTERM) == 1 && sigismember(&set, SIGINT) == 1
        }
        #expect(blocked)
    }
}

/// Counts how many are in.
private final class Gauge: Sendable {
    private let state = Locked((now: 0, highest: 0, entered: 0))

    var highest: Int { state.withLock { $0.highest } }
    var entered: Int { state.withLock { $0.entered } }

    func enter() {
        state.withLock {
            $0.now += 1
            $0.entered += 1
            $0.highest = max($0.highest, $0.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}
