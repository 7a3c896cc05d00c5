import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// Runs the body with a loop on a thread of its own.
func withLoop<Value>(_ body: (EventLoop) async throws -> Value) async throws -> Value {
    let loop = try EventLoop.startThread()
    defer { loop.stop() }
    return try await body(loop)
}

/// Runs a closure on the loop and waits for it.
func onLoop<Value: Sendable>(_ loop: EventLoop, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await handedOver { done in
        loop.execute { done(Result(catching: work)) }
    }.get()
}

/// A value that only the loop's thread touches.
final class Confined<Value>: @unchecked Sendable {
    // Safe because: tests touch `value` in closures on the loop alone.
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// A pair of connected descriptors.
func descriptorPair() throws -> (near: Int32, far: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw SystemFailure("socketpair") }
    return (ends[0], ends[1])
}

private actor Counter {
    private let loop: EventLoop
    private(set) var value = 0
    private(set) var wasElsewhere = false

    init(_ loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func increment() {
        value += 1
        if !loop.isOnLoop { wasElsewhere = true }
    }
}

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests {
    @Test func `jobs and closures from many threads all run, on the loop's thread`() async throws {
        try await withLoop { loop async throws in
            let counter = Counter(loop)
            let ran = Log<Bool>()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<500 {
                            await counter.increment()
                            loop.execute { ran.append(loop.isOnLoop) }
                        }
                    }
                }
            }
            let all = try await ran.first(4000)
            #expect(all.allSatisfy { $0 })
            #expect(await counter.value == 4000)
            #expect(await !counter.wasElsewhere)
            #expect(!loop.isOnLoop)
        }
    }

    @Test func `closures of one thread keep their order`() async throws {
        try await withLoop { loop async throws in
            let order = Log<Int>()
            for number in 0..<1000 { loop.execute { order.append(number) } }
            #expect(try await order.first(1000) == Array(0..<1000))
        }
    }

    @Test func `a task that prefers the loop runs on it, and so do its child tasks and actors`() async throws {
        try await withLoop { loop async throws in
            let counter = Counter(loop)
            let places = await withTaskGroup(of: [Bool].self) { group in
                group.addTask(executorPreference: loop) {
                    var places = [loop.isOnLoop]
                    await counter.increment()
                    places.append(loop.isOnLoop)
                    async let child = loop.isOnLoop
                    places.append(await child)
                    await Task.yield()
                    places.append(loop.isOnLoop)
                    return places
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(places == [true, true, true, true])
            #expect(await !counter.wasElsewhere)
        }
    }

    @Test func `a job woken by a hook gets its hooks before the loop sleeps`() async throws {
        try await withLoop { loop async throws in
            // A hook resumes a task, which queues work for the hook: nothing else would wake the loop.
            let state = Confined((todo: 0, waiter: CheckedContinuation<Void, Never>?.none))
            let done = Log<Int>()
            try await onLoop(loop) {
                _ = loop.addHook {
                    if let waiter = state.value.waiter {
                        state.value.waiter = nil
                        waiter.resume()
                    }
                    if state.value.todo > 0 { done.append(state.value.todo) }
                    state.value.todo = 0
                    return false
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: loop) {
                    await withCheckedContinuation { state.value.waiter = $0 }
                    state.value.todo += 1
                }
                try await group.waitForAll()
            }
            #expect(try await done.first(1) == [1])
        }
    }

    @Test func `a stopped loop runs out what it was given and returns`() async throws {
        let loop = try EventLoop()
        let ran = Log<Int>()
        let ended = Log<Bool>()
        Thread.detachNewThread {
            loop.run()
            ended.append(loop.isOnLoop)
        }
        loop.execute { ran.append(1) }
        _ = try await ran.first(1)
        loop.execute { ran.append(2) }
        loop.stop()
        #expect(try await ended.first(1) == [false])
        #expect(ran.all == [1, 2])
    }

    @Test func `a job that always queues another leaves descriptors and timers their turn`() async throws {
        try await withLoop { loop async throws in
            let isStopped = Confined(false)
            let fired = Log<Int>()
            let (near, far) = try descriptorPair()
            defer {
                close(near)
                close(far)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask(executorPreference: loop) {
                    while !isStopped.value { await Task.yield() }
                }
                try await onLoop(loop) {
                    try loop.watch(near, for: .readable) { _ in
                        loop.unwatch(near)
                        fired.append(1)
                        loop.schedule(after: .milliseconds(1)) {
                            fired.append(2)
                            isStopped.value = true
                        }
                    }
                }
                _ = write(far, "x", 1)
                #expect(try await fired.first(2) == [1, 2])
                try await group.waitForAll()
            }
        }
    }
}
