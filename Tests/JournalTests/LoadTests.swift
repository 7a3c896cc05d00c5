import EventLoop
import Foundation
import Glibc
import Journal
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoadTests {
    @Test func `thousands of requests at once complete in order, on the loop, in few groups`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                let before = await journal.figures.commits
                let order = Log<Int64>()
                await journal.onLoop {
                    for number: Int64 in 1...5000 {
                        journal.store.accept(entry(number)) { result in
                            #expect(journal.loop.isOnLoop)
                            if case .success(.accepted) = result { order.append(number) }
                        }
                    }
                    #expect(order.all.isEmpty, "a completion came within the call")
                }
                #expect(try await order.first(5000) == Array(1...5000))
                #expect(await journal.figures.commits - before < 200)
                #expect(try await journal.entries(.unfinished).map(\.number) == Array(1...5000))
            }
        }
    }

    @Test func `what waits when the journal is closed is kept first`() async throws {
        try await withDirectory { directory async throws in
            let settings = JournalSettings(directory: directory)
            try await withJournal(settings) { journal async throws in
                let ends = Log<String>()
                await journal.onLoop {
                    for number: Int64 in 1...1000 {
                        journal.store.accept(entry(number)) { ends.append($0.failure == nil ? "kept" : "lost") }
                    }
                    journal.store.close { ends.append("closed \($0)") }
                    journal.store.accept(entry(1001)) { ends.append("\($0)") }
                    journal.store.close { ends.append("closed again \($0)") }
                }
                let all = try await ends.first(1003)
                #expect(all.filter { $0 == "kept" }.count == 1000)
                #expect(all.contains("closed true") && all.contains("closed again true"))
                #expect(all.contains("failure(\(JournalFailure.closed))"))
                #expect(await journal.state == .closed)
            }
            try await withJournal(settings) { journal async throws in
                #expect(try await journal.entries(.unfinished).count == 1000)
            }
        }
    }

    @Test func `a disk that does not answer is said, and forgotten when it does`() async throws {
        try await withDirectory { directory async throws in
            let disk = StuckDisk()
            var settings = JournalSettings(directory: directory)
            settings.clock = disk.clock
            settings.patience = .milliseconds(50)
            settings.waitingCount = 3
            try await withJournal(settings) { journal async throws in
                _ = try await journal.accept(entry(1))
                disk.stick()
                async let stuck = journal.ask { $0.accept(entry(2), $1) }
                try await journal.wait(for: .failed(.slow))
                #expect(await failure { _ = try await journal.accept(entry(3)) } == .slow)
                // What ends a command waits with the rest, up to a bound.
                let ends = Log<String>()
                await journal.onLoop {
                    journal.store.end(1, answer: [1], publications: []) { ends.append("end \($0.failure == nil)") }
                    journal.store.find(entry(1).key) { ends.append("find \($0.failure == nil)") }
                }
                #expect(await failure { try await journal.begin(7) } == .busy)
                #expect(ends.all.isEmpty)
                disk.release()
                #expect(try await stuck.get() == .accepted)
                #expect(try await ends.first(2) == ["end true", "find true"])
                try await journal.wait(for: .working)
            }
        }
    }

    @Test func `closing does not wait for ever for a disk that does not answer`() async throws {
        try await withDirectory { directory async throws in
            let disk = StuckDisk()
            var settings = JournalSettings(directory: directory)
            settings.clock = disk.clock
            try await withJournal(settings) { journal async throws in
                disk.stick()
                let ends = Log<JournalFailure?>()
                await journal.onLoop { journal.store.accept(entry(1)) { ends.append($0.failure) } }
                #expect(await journal.close(within: .milliseconds(50)) == false)
                #expect(ends.all == [.slow])
                #expect(await journal.state == .closed)
                disk.release()
            }
        }
    }

    @Test func `a journal that is let go without being closed ends its thread`() async throws {
        try await withDirectory { directory async throws in
            let settings = JournalSettings(directory: directory)
            let loop = try EventLoop.startThread()
            defer { loop.stop() }
            do {
                let journal = try await TestJournal(settings, loop)
                _ = try await journal.accept(entry(1))
            }
            // Only one may have the file: the next one opens it when the thread has let go.
            var next = settings
            next.retryGap = .milliseconds(5)
            next.longestRetryGap = .milliseconds(5)
            try await withJournal(next) { journal async throws in
                try await journal.wait(for: .working)
                #expect(try await journal.entries(.unfinished).map(\.number) == [1])
            }
        }
    }

    @Test func `a program whose journal has nothing to do does not wake up`() async throws {
        try await withDirectory { directory async throws in
            let child = try await ChildProcess.spawn(try writer(), ["idle", directory, "1"])
            try await child.waitFor("accepted 1")
            let loop = try EventLoop.startThread()
            defer { loop.stop() }
            // Sleep: what is put in order in the first quiet moment has to be over; then only time shows that nothing is.
            try await loop.sleep(for: .milliseconds(500))
            let before = try switches(of: child.pid)
            try await loop.sleep(for: .milliseconds(1000))  // the same once more
            let after = try switches(of: child.pid)
            // The loop's thread and the journal's; a sanitizer adds one of its own.
            #expect(before.filter { after[$0.key] == $0.value }.count == 2)
            try await child.kill()
        }
    }

    /// How often each thread of a process has gone to sleep.
    private func switches(of pid: pid_t) throws -> [String: String] {
        var counts: [String: String] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
            let status = try String(contentsOfFile: "/proc/\(pid)/task/\(thread)/status", encoding: .utf8)
            counts[thread] = status.split(separator: "\n").first { $0.hasPrefix("voluntary") }.map(String.init)
        }
        return counts
    }
}

/// Stops the thread of a journal where it asks for the time, as a disk would stop it that does not answer.
private final class StuckDisk: Sendable {
    private let condition = NSCondition()
    private let isStuck = Locked(false)

    var clock: JournalClock {
        JournalClock(
            wallMs: { [self] in
                condition.lock()
                while isStuck.withLock({ $0 }) { condition.wait() }
                condition.unlock()
                return 1_000_000
            },
            steadyMs: { 1000 }
        )
    }

    func stick() { isStuck.withLock { $0 = true } }

    func release() {
        condition.lock()
        isStuck.withLock { $0 = false }
        condition.broadcast()
        condition.unlock()
    }
}
