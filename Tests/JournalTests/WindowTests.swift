import EventLoop
import Journal
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct WindowTests {
    @Test func `entries go when their window is over and their answer has arrived, and no others`() async throws {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 1_000_000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            try await withJournal(settings) { journal async throws in
                func add(_ number: Int64, _ publications: [OutboxMessage], lasts: Int64 = 10_000) async throws {
                    let entry = entry(number, createdMs: 1_000_000, windowEndsMs: clocks.clock.wallMs() + lasts)
                    _ = try await journal.record(entry, answer: [1], publications: publications)
                }
                _ = try await journal.accept(entry(1, windowEndsMs: 1_010_000))
                try await add(2, [message(2, .result)])
                try await add(3, [message(3, .result)])
                try await add(4, [])
                try await add(5, [], lasts: 60_000)
                try await journal.remove([3])
                clocks.pass(10_000)
                // New entries take along what is over, now and then.
                for number: Int64 in 100..<200 { try await add(number, []) }
                #expect(try await journal.entries(.unfinished).map(\.number) == [1])
                #expect(try await journal.entries(.ended).map(\.number) == [2, 5] + (100..<200))
                #expect(await journal.figures.entries == 103)
                try await journal.remove([2])
                clocks.pass(60_000)
                for number: Int64 in 200..<300 { try await add(number, []) }
                #expect(try await journal.entries(.ended).map(\.number) == Array(200..<300))
            }
        }
    }

    @Test func `a key is free again after its window, before the entry has been cleared away`() async throws {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 1_000_000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            try await withJournal(settings) { journal async throws in
                let first = entry(1, id: "again", windowEndsMs: 1_010_000)
                _ = try await journal.record(first, answer: [1], publications: [message(1, .result)])
                clocks.pass(20_000)
                guard case .known = try await journal.accept(entry(2, id: "again")) else {
                    Issue.record("an answer that nobody acknowledged was thrown away")
                    return
                }
                try await journal.remove([1])
                #expect(try await journal.accept(entry(2, id: "again")) == .accepted)
                #expect(try await journal.entries(.ended).isEmpty)
                #expect(await journal.figures.entries == 1)
            }
        }
    }

    @Test(arguments: [(count: 20, bytes: Int.max), (count: .max, bytes: 20 * 220)])
    func `beyond its bounds the window loses what ends first`(bounds: (count: Int, bytes: Int)) async throws {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 1_000_000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            settings.windowCount = bounds.count
            settings.windowBytes = bounds.bytes
            try await withJournal(settings) { journal async throws in
                for number: Int64 in 1...100 {
                    // Each tenth waits for its acknowledgement.
                    let publications = number % 10 == 0 ? [message(number, .result)] : []
                    let entry = entry(number, windowEndsMs: 2_000_000 + number)
                    _ = try await journal.record(entry, answer: content(1, 110), publications: publications)
                }
                let left = try await journal.entries(.ended).map(\.number)
                let figures = await journal.figures
                #expect(figures.entries == left.count)
                #expect(figures.entries <= bounds.count)
                #expect(figures.entryBytes <= bounds.bytes)
                #expect(left.count >= 18)
                let waiting = left.filter { $0 % 10 == 0 }
                #expect(waiting == (1...10).map { $0 * 10 })
                let others = left.filter { $0 % 10 != 0 }
                #expect(others == (1...100).filter { $0 % 10 != 0 }.suffix(others.count))
            }
        }
    }

    @Test func `numbers grow from life to life, though all entries have gone`() async throws {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 1_000_000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            for life: Int64 in 0..<3 {
                try await withJournal(settings) { journal async throws in
                    for step: Int64 in 1...64 {
                        let number = await journal.newNumber()
                        #expect(number == life * 64 + step)
                        _ = try await journal.record(entry(number, windowEndsMs: 0), answer: [])
                    }
                    #expect(try await journal.entries(.ended).count == 1)
                }
            }
        }
    }

    @Test func `the file becomes small again when what was in it has gone`() async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory)
            settings.reserveBytes = 128 << 10
            try await withJournal(settings) { journal async throws in
                for id: Int64 in 1...150 { try await journal.append(message(id, .result, bytes: 100_000)) }
                let most = await journal.figures.fileBytes
                #expect(most > 15_000_000)
                try await journal.remove(Array(1...150))
                while await journal.figures.fileBytes > 1_000_000 {
                    // Sleep: the file is made smaller only while nobody wants anything.
                    try await journal.loop.sleep(for: .milliseconds(20))
                }
                try await journal.append(message(200, .result))
                #expect(try await journal.messages().map(\.id) == [200])
            }
            let size = try bytes(directory + "/journal.sqlite").count
            #expect(size < 2_000_000)
        }
    }
}
