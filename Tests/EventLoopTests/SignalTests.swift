import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    @Test func `a source tells each signal to the loop until it is cancelled`() async throws {
        let loop = try EventLoop()
        let seen = Log<Int32>()
        let threads = Log<pthread_t>()
        let source = Confined<SignalSource?>(nil)
        Thread.detachNewThread {
            // Signals that are sent to this thread alone, so that no other of the process takes them.
            SignalSource.block([SIGUSR1, SIGUSR2])
            threads.append(pthread_self())
            loop.run()
        }
        let thread = try await threads.first(1)[0]
        try await onLoop(loop) {
            source.value = try SignalSource([SIGUSR1, SIGUSR2], on: loop) { seen.append($0) }
        }
        pthread_kill(thread, SIGUSR1)
        #expect(try await seen.first(1) == [SIGUSR1])
        pthread_kill(thread, SIGUSR2)
        #expect(try await seen.first(2) == [SIGUSR1, SIGUSR2])
        try await onLoop(loop) { source.value?.cancel() }
        pthread_kill(thread, SIGUSR1)
        // Sleep: nothing may come, and only time shows it.
        try await loop.sleep(for: .milliseconds(20))
        #expect(seen.all.count == 2)
        loop.stop()
    }
}
