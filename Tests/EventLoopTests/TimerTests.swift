import EventLoop
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TimerTests {
    @Test func `timers fire in the order of their deadlines, equal ones in the order made, never early`() async throws {
        try await withLoop { loop async throws in
            let fired = Log<Int>()
            let start = ContinuousClock.now
            let early = Log<Bool>()
            try await onLoop(loop) {
                for (name, delay) in [(3, 30), (1, 10), (2, 20), (4, 30), (0, 0), (5, -5)] {
                    loop.schedule(at: start + .milliseconds(delay)) {
                        fired.append(name)
                        if ContinuousClock.now < start + .milliseconds(delay) { early.append(true) }
                    }
                }
            }
            #expect(try await fired.first(6) == [5, 0, 1, 2, 3, 4])
            #expect(early.all.isEmpty)
        }
    }

    @Test func `a cancelled timer does not fire, also when another cancels it in the same moment`() async throws {
        try await withLoop { loop async throws in
            let fired = Log<Int>()
            try await onLoop(loop) {
                let deadline = ContinuousClock.now + .milliseconds(10)
                let victim = Confined<EventLoop.TimerID?>(nil)
                loop.schedule(at: deadline) {
                    fired.append(1)
                    if let timer = victim.value { loop.cancel(timer) }
                }
                victim.value = loop.schedule(at: deadline) { fired.append(2) }
                let other = loop.schedule(at: deadline) { fired.append(3) }
                loop.cancel(other)
                loop.cancel(other)
                loop.schedule(at: deadline + .milliseconds(5)) { fired.append(4) }
            }
            try await fired.wait { $0 == 4 }
            #expect(fired.all == [1, 4])
        }
    }

    @Test func `many timers, most of them cancelled, leave the others right`() async throws {
        try await withLoop { loop async throws in
            let fired = Log<Int>()
            try await onLoop(loop) {
                let start = ContinuousClock.now
                var timers: [EventLoop.TimerID] = []
                for number in 0..<5000 {
                    // Scattered, so that the heap has work to do.
                    let delay = (number * 7919) % 5000
                    timers.append(loop.schedule(at: start + .microseconds(delay * 10)) { fired.append(delay) })
                }
                for (number, timer) in timers.enumerated() where (number * 7919) % 5000 % 10 != 0 { loop.cancel(timer) }
            }
            #expect(try await fired.first(500) == (0..<500).map { $0 * 10 })
        }
    }

    @Test func `sleeping ends after its time, and at once when the task is cancelled`() async throws {
        try await withLoop { loop async throws in
            let clock = ContinuousClock()
            // Sleep: what is tested.
            let slept = try await clock.measure { try await loop.sleep(for: .milliseconds(20)) }
            #expect(slept >= .milliseconds(20))
            for executor in [loop, nil] as [EventLoop?] {
                let took = try await clock.measure {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        let asleep = Log<Bool>()
                        group.addTask(executorPreference: executor) {
                            asleep.append(true)
                            // Sleep: what is tested.
                            await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(600)) }
                        }
                        _ = try await asleep.first(1)
                        group.cancelAll()
                        try await group.waitForAll()
                    }
                }
                #expect(took < .seconds(60))
            }
        }
    }

    @Test func `a task that is cancelled before it sleeps does not sleep`() async throws {
        try await withLoop { loop async throws in
            for _ in 0..<200 {
                await withTaskGroup(of: Void.self) { group in
                    group.cancelAll()
                    group.addTask {
                        // Sleep: what is tested.
                        await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(600)) }
                    }
                }
            }
        }
    }
}
