import Journal
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CommandTests {
    @Test func `a command goes from waiting to acknowledged, and each step outlives the journal`() async throws {
        try await withDirectory { directory async throws in
            let settings = JournalSettings(directory: directory)
            try await withJournal(settings) { journal async throws in
                #expect(await journal.summary == JournalSummary())
                for number: Int64 in 1...5 {
                    #expect(await journal.newNumber() == number)
                    #expect(try await journal.accept(entry(number)) == .accepted)
                }
                for number: Int64 in 2...5 { try await journal.begin(number) }
                for number: Int64 in 3...5 {
                    let carrier = OutboxMessage(
                        id: number * 10,
                        messageClass: .result,
                        createdMs: 1_000_000,
                        head: content(number, 9),
                        payload: nil
                    )
                    try await journal.end(number, answer: content(-number, 70), publications: [carrier])
                }
                try await journal.remove([50])
            }
            try await withJournal(settings) { journal async throws in
                let summary = try #require(await journal.summary)
                #expect(summary.nextNumber == 6)
                #expect(summary.unfinished == 2)
                #expect(await journal.newNumber() == 6)
                let unfinished = try await journal.entries(.unfinished)
                #expect(unfinished.map(\.number) == [1, 2])
                #expect(unfinished.map(\.progress) == [.waiting, .begun])
                #expect(unfinished[0] == entry(1))
                let ended = try await journal.entries(.ended)
                #expect(ended.map(\.number) == [3, 4, 5])
                #expect(ended.map(\.progress) == [.ended, .ended, .acknowledged])
                for entry in ended {
                    #expect(entry.answer == content(-entry.number, 70))
                    #expect(entry.request == [])
                    #expect(entry.fingerprint == content(entry.number, 32))
                }
                let messages = try await journal.messages()
                #expect(messages.map(\.id) == [30, 40])
                #expect(messages.map(\.entry) == [3, 4])
                #expect(messages[0].payload == content(-3, 70))
                #expect(messages[0].head == content(3, 9))
                #expect(await journal.newMessageID() == 41)
            }
        }
    }

    @Test func `a key that is known is told, whatever became of its command`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                _ = try await journal.accept(entry(1, id: "a"))
                guard case .known(let waiting) = try await journal.accept(entry(2, id: "a")) else {
                    Issue.record("it was accepted twice")
                    return
                }
                #expect(waiting.number == 1)
                #expect(waiting.progress == .waiting)
                try await journal.end(1, answer: [1, 2, 3])
                guard case .known(let ended) = try await journal.accept(entry(2, id: "a")) else {
                    Issue.record("it was accepted after its end")
                    return
                }
                #expect(ended.answer == [1, 2, 3])
                #expect(ended.progress == .acknowledged)
                // The client's name counts as proven or not.
                var other = entry(3, id: "a")
                other.key.isIdentified = false
                #expect(try await journal.accept(other) == .accepted)
                #expect(try await journal.accept(entry(4, client: "berta", id: "a")) == .accepted)
                #expect(try await journal.find(ended.key)?.number == 1)
                #expect(try await journal.find(JournalKey(client: "a", isIdentified: true, id: "anna")) == nil)
            }
        }
    }

    @Test func `all places that wait for one answer are kept until it is there`() async throws {
        try await withDirectory { directory async throws in
            let settings = JournalSettings(directory: directory)
            try await withJournal(settings) { journal async throws in
                _ = try await journal.accept(entry(1))
                try await journal.addReply([1], to: 1)
                try await journal.addReply([], to: 1)
            }
            try await withJournal(settings) { journal async throws in
                try await journal.addReply([3, 3], to: 1)
                #expect(try await journal.entries(.unfinished).first?.replies == [[1], [], [3, 3]])
                let messages = (1...3).map { message(Int64($0), .result, bytes: $0) }
                try await journal.end(1, answer: [9], publications: messages)
                #expect(try await journal.messages().map(\.payload) == messages.map(\.payload))
                try await journal.remove([1, 3])
                #expect(try await journal.entries(.ended).map(\.progress) == [.ended])
                try await journal.remove([2])
                let ended = try await journal.entries(.ended)
                #expect(ended.map(\.progress) == [.acknowledged])
                #expect(ended.map(\.replies) == [[]])
            }
        }
    }

    @Test func `a refusal is recorded as ended, and answers its repeats`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                let refusal = message(1, .result)
                #expect(try await journal.record(entry(1), answer: [7], publications: [refusal]) == .accepted)
                #expect(try await journal.entries(.unfinished).isEmpty)
                guard case .known(let known) = try await journal.accept(entry(2, id: "id-1")) else {
                    Issue.record("it was accepted")
                    return
                }
                #expect(known.answer == [7])
                #expect(known.progress == .ended)
                #expect(try await journal.messages().map(\.head) == [refusal.head])
                _ = try await journal.record(entry(3, id: "id-1"), answer: [8])
                #expect(try await journal.find(known.key)?.answer == [7])
            }
        }
    }

    @Test func `a request with a fault of its own leaves no trace and harms no neighbour`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                _ = try await journal.accept(entry(1))
                _ = try await journal.record(entry(2), answer: [1])
                let before = await journal.figures
                // Together, so that they share a transaction.
                async let second = journal.ask { $0.accept(entry(2, id: "other"), $1) }
                async let unknown: Result<Void, _> = journal.ask { $0.begin(7, $1) }
                async let ended: Result<Void, _> = journal.ask { $0.begin(2, $1) }
                async let twice: Result<Void, _> = journal.ask { $0.end(2, answer: [], publications: [], $1) }
                async let noEntry: Result<Void, _> = journal.ask { $0.addReply([1], to: 2, $1) }
                async let sameID: Result<Void, _> = journal.ask {
                    $0.end(1, answer: [], publications: [message(5, .result), message(5, .result)], $1)
                }
                async let fine = journal.ask { $0.accept(entry(3), $1) }
                #expect(await second.failure == .taken)
                #expect(await unknown.failure == .notRunning(number: 7))
                #expect(await ended.failure == .notRunning(number: 2))
                #expect(await twice.failure == .notRunning(number: 2))
                #expect(await noEntry.failure == .notRunning(number: 2))
                #expect(await sameID.failure == .taken)
                #expect(try await fine.get() == .accepted)
                #expect(try await journal.entries(.unfinished).map(\.number) == [1, 3])
                #expect(try await journal.messages().isEmpty)
                #expect(await journal.figures.results == before.results)
                #expect(await journal.figures.entries == 3)
                #expect(await journal.state == .working)
            }
        }
    }

    @Test func `a message that was removed twice acknowledges once`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                _ = try await journal.record(
                    entry(1),
                    answer: [1],
                    publications: [message(1, .result), message(2, .result)]
                )
                try await journal.remove([1, 1, 99])
                try await journal.remove([1])
                #expect(try await journal.entries(.ended).map(\.progress) == [.ended])
            }
        }
    }

    @Test func `pages hold what they may, and texts and bytes are kept as they are`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                let names = ["", "a\0b", "\u{1F511} ü", String(repeating: "x", count: 3000)]
                for (index, name) in names.enumerated() {
                    var entry = entry(Int64(index + 1), client: name, id: "\(index)")
                    entry.request = index == 0 ? [] : content(3, 20_000 * index)
                    entry.fingerprint = index == 0 ? [] : [0, 255]
                    #expect(try await journal.accept(entry) == .accepted)
                    #expect(try await journal.find(entry.key) == entry)
                }
                #expect(try await journal.entries(.unfinished, limit: 1).map(\.key.client) == names)
                #expect(try await journal.entries(.unfinished, bytes: 1).map(\.key.client) == names)
                let page = try await journal.ask { $0.entries(.unfinished, after: 1, limit: 9, bytes: 30_000, $1) }
                    .get()
                #expect(page.map(\.number) == [2, 3])
            }
        }
    }

    @Test func `the newest time of the journal is known to the next life`() async throws {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 2_000_000)
            var settings = JournalSettings(directory: directory)
            settings.clock = clocks.clock
            try await withJournal(settings) { journal async throws in
                #expect(await journal.summary?.newestMs == nil)
                _ = try await journal.accept(entry(1, createdMs: 1_500_000))
                clocks.pass(1000)
            }
            clocks.set(0)
            try await withJournal(settings) { #expect(await $0.summary?.newestMs == 2_001_000) }
        }
    }
}

extension Result where Failure == JournalFailure {
    var failure: JournalFailure? { if case .failure(let failure) = self { failure } else { nil } }
}
