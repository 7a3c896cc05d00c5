import Journal
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct OutboxTests {
    @Test func `messages of all classes go out in the order in which they came, byte for byte`() async throws {
        try await withDirectory { directory async throws in
            let settings = JournalSettings(directory: directory)
            let sent = (1...300).map {
                message(Int64($0), OutboxClass.allCases[$0 % 3], bytes: $0 % 5 == 0 ? 9000 : $0 - 1)
            }
            try await withJournal(settings) { journal async throws in
                for message in sent { try await journal.append(message) }
                #expect(await journal.figures.events.count == 100)
            }
            try await withJournal(settings) { journal async throws in
                #expect(try await journal.messages(limit: 7) == sent)
                #expect(try await journal.messages(bytes: 20_000) == sent)
                try await journal.remove(sent.filter { $0.id % 2 == 0 }.map(\.id))
                #expect(try await journal.messages() == sent.filter { $0.id % 2 == 1 })
                let figures = await journal.figures
                let left = figures.results.count + figures.events.count + figures.notifications.count
                #expect(left == 150)
                try await journal.remove(sent.map(\.id))
                #expect(try await journal.messages().isEmpty)
                #expect(await journal.figures.events == JournalFigures.Messages())
            }
        }
    }

    @Test func `the oldest of a class go when there are too many, and results never`() async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory)
            settings.events.count = 10
            try await withJournal(settings) { journal async throws in
                for id: Int64 in 1...60 {
                    try await journal.append(message(id, [.result, .event, .notification][Int(id % 3)]))
                }
                let left = try await journal.messages()
                #expect(left.filter { $0.messageClass == .event }.map(\.id) == (11...20).map { $0 * 3 - 2 })
                #expect(left.filter { $0.messageClass == .result }.count == 20)
                #expect(left.filter { $0.messageClass == .notification }.count == 20)
                #expect(await journal.figures.events.dropped == 10)
                #expect(await journal.figures.notifications.dropped == 0)
            }
            // What was dropped stays counted, until it has been told.
            try await withJournal(settings) { journal async throws in
                #expect(await journal.figures.events.dropped == 10)
                try await journal.append(message(100, .event))
                try await journal.ask { $0.forgetDrops([(.event, 4), (.result, 2)], $1) }.get()
                #expect(await journal.figures.events.dropped == 7)
            }
            try await withJournal(settings) { #expect(await $0.figures.events.dropped == 7) }
        }
    }

    @Test func `bytes bound a class too, and what is larger than the class is dropped itself`() async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory)
            settings.notifications.bytes = 10_000
            try await withJournal(settings) { journal async throws in
                for id: Int64 in 1...12 { try await journal.append(message(id, .notification, bytes: 900)) }
                let left = try await journal.messages()
                #expect(left.map(\.id) == Array(3...12))
                #expect(await journal.figures.notifications.bytes <= 10_000)
                #expect(
                    await failure { try await journal.append(message(13, .notification, bytes: 10_000)) } == .tooLarge
                )
                #expect(try await journal.messages() == left)
                #expect(await journal.figures.notifications.dropped == 3)
                try await journal.append(message(14, .notification, bytes: 9000))
                #expect(try await journal.messages().map(\.id) == [14])
            }
            try await withJournal(settings) { #expect(await $0.figures.notifications.dropped == 13) }
        }
    }

    @Test func `what has waited too long is dropped before the rest is read`() async throws {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 1_000_000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            settings.events.ageMs = 60_000
            settings.notifications.ageMs = 10_000
            try await withJournal(settings) { journal async throws in
                for id: Int64 in 1...9 {
                    let messageClass = OutboxClass.allCases[Int(id % 3)]
                    try await journal.append(message(id, messageClass, createdMs: clocks.clock.wallMs()))
                    clocks.pass(5000)
                }
                // Now 45 s after the first: notifications 2, 5 and 8 are 40, 25 and 10 s old.
                #expect(try await journal.messages().map(\.id) == [1, 3, 4, 6, 7, 8, 9])
                clocks.pass(30_000)
                #expect(try await journal.messages().map(\.id) == [3, 4, 6, 7, 9])
                #expect(await journal.figures.events.dropped == 1)
                #expect(await journal.figures.notifications.dropped == 3)
            }
        }
    }

    @Test func `a clock that is set neither ages messages nor ends windows`() async throws {
        try await withDirectory { directory async throws in
            // A machine without a clock of its own wakes up in 1970.
            let clocks = ManualClocks(wallMs: 1000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            settings.events.ageMs = 60_000
            let today: Int64 = 1_790_000_000_000
            try await withJournal(settings) { journal async throws in
                let old = entry(1, createdMs: 1000, windowEndsMs: 601_000)
                _ = try await journal.record(old, answer: [1])
                try await journal.append(message(1, .event, createdMs: 1000))
                clocks.set(today)
                guard case .known = try await journal.accept(entry(2, id: "id-1", createdMs: today)) else {
                    Issue.record("the window ended with the jump")
                    return
                }
                #expect(try await journal.messages().map(\.createdMs) == [today])
                let moved = try #require(try await journal.find(old.key))
                #expect(moved.createdMs == today)
                #expect(moved.windowEndsMs == today + 600_000)
                #expect(moved.expiresMs == old.expiresMs)
                clocks.pass(60_001)
                #expect(try await journal.messages().isEmpty)
                clocks.pass(600_000)
                #expect(try await journal.accept(entry(2, id: "id-1", createdMs: today)) == .accepted)
            }
        }
    }
}
