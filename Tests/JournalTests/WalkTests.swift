import Journal
import PaceSupport
import TestSupport
import Testing

/// What a journal should hold, written down as simply as can be.
private struct Model {
    struct Entry {
        var entry: JournalEntry
        var progress = JournalProgress.waiting
        var answer: [UInt8]?
        var replies: [[UInt8]] = []
        var unacknowledged: Set<Int64> = []
    }

    var entries: [Int64: Entry] = [:]
    var messages: [Int64: OutboxMessage] = [:]
    var owners: [Int64: Int64] = [:]
    var dropped: [OutboxClass: Int] = [:]

    func bytes(_ messageClass: OutboxClass) -> Int {
        messages.values.filter { $0.messageClass == messageClass }.reduce(0) { $0 + size($1) }
    }

    func size(_ message: OutboxMessage) -> Int { message.head.count + (message.payload?.count ?? 0) + 64 }

    mutating func append(_ message: OutboxMessage, _ limits: OutboxLimits?) {
        if let limits {
            func ofClass() -> [Int64] {
                messages.values.filter { $0.messageClass == message.messageClass }.map(\.id).sorted()
            }
            while let oldest = ofClass().first,
                ofClass().count >= limits.count || bytes(message.messageClass) + size(message) > limits.bytes
            {
                messages[oldest] = nil
                dropped[message.messageClass, default: 0] += 1
            }
        }
        messages[message.id] = message
        // A life begins behind the highest number that is there: that of a message that has gone may come again.
        owners[message.id] = nil
    }

    mutating func remove(_ id: Int64) {
        guard messages.removeValue(forKey: id) != nil, let owner = owners[id] else { return }
        entries[owner]?.unacknowledged.remove(id)
        if entries[owner]?.unacknowledged.isEmpty == true { entries[owner]?.progress = .acknowledged }
    }
}

@Suite(.timeLimit(.minutes(10))) struct WalkTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a random walk through lives and restarts is what a simple model says`(seed: UInt64) async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory)
            settings.events = OutboxLimits(count: 12, bytes: 3000)
            settings.notifications = OutboxLimits(count: 40, bytes: 2000)
            settings.reserveBytes = 128 << 10
            // The model knows no disk that is too slow.
            settings.patience = .seconds(600)
            var random = SeededRandom(seed: seed)
            var model = Model()
            for _ in 0..<6 {
                try await withJournal(settings) { journal async throws in
                    try await compare(model, journal)
                    for _ in 0..<Rounds.of(250) { try await step(&model, journal, settings, &random) }
                    try await compare(model, journal)
                }
            }
        }
    }

    private func step(
        _ model: inout Model,
        _ journal: TestJournal,
        _ settings: JournalSettings,
        _ random: inout SeededRandom
    ) async throws {
        let running = model.entries.values.filter { $0.answer == nil }.map(\.entry.number).sorted()
        let some = running.randomElement(using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1, 2:
            let number = await journal.newNumber()
            #expect(model.entries[number] == nil)
            let entry = entry(number, requestBytes: Int.random(in: 0...6000, using: &random))
            #expect(try await journal.accept(entry) == .accepted)
            model.entries[number] = Model.Entry(entry: entry)
        case 3:
            guard let some else { return }
            try await journal.begin(some)
            model.entries[some]?.progress = .begun
        case 4:
            guard let some else { return }
            let reply = content(some, Int.random(in: 0...50, using: &random))
            try await journal.addReply(reply, to: some)
            model.entries[some]?.replies.append(reply)
        case 5, 6:
            guard let some else { return }
            try await end(some, &model, journal, &random)
        case 7:
            let messageClass = OutboxClass.allCases[Int.random(in: 0..<3, using: &random)]
            let bytes = Int.random(in: 0...400, using: &random)
            let message = message(await journal.newMessageID(), messageClass, bytes: bytes)
            try await journal.append(message)
            let limits: [OutboxClass: OutboxLimits] = [.event: settings.events, .notification: settings.notifications]
            model.append(message, limits[messageClass])
        default:
            let ids = model.messages.keys.sorted().filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
            try await journal.remove(ids)
            for id in ids { model.remove(id) }
        }
    }

    private func end(
        _ number: Int64,
        _ model: inout Model,
        _ journal: TestJournal,
        _ random: inout SeededRandom
    ) async throws {
        let answer = content(-number, Int.random(in: 0...9000, using: &random))
        var messages: [OutboxMessage] = []
        for place in 0..<Int.random(in: 0...2, using: &random) {
            var message = message(await journal.newMessageID(), .result, bytes: 10)
            if place == 0 { message.payload = nil }
            messages.append(message)
        }
        try await journal.end(number, answer: answer, publications: messages)
        model.entries[number]?.answer = answer
        model.entries[number]?.progress = messages.isEmpty ? .acknowledged : .ended
        model.entries[number]?.unacknowledged = Set(messages.map(\.id))
        for var message in messages {
            message.payload = message.payload ?? answer
            model.messages[message.id] = message
            model.owners[message.id] = number
        }
    }

    private func compare(_ model: Model, _ journal: TestJournal) async throws {
        let unfinished = try await journal.entries(.unfinished, limit: 17)
        let ended = try await journal.entries(.ended, bytes: 5000)
        #expect((unfinished + ended).map(\.number).sorted() == model.entries.keys.sorted())
        for entry in unfinished + ended {
            let expected = try #require(model.entries[entry.number])
            #expect(entry.key == expected.entry.key)
            #expect(entry.fingerprint == expected.entry.fingerprint)
            #expect(entry.progress == expected.progress)
            #expect(entry.answer == expected.answer)
            #expect(entry.request == (expected.answer == nil ? expected.entry.request : []))
            #expect(entry.replies == (expected.answer == nil ? expected.replies : []))
        }
        let messages = try await journal.messages(limit: 13)
        #expect(messages.map(\.id) == model.messages.keys.sorted())
        for message in messages {
            let expected = try #require(model.messages[message.id])
            #expect(message.messageClass == expected.messageClass)
            #expect(message.entry == model.owners[message.id])
            #expect(message.head == expected.head)
            #expect(message.payload == expected.payload)
        }
        let figures = await journal.figures
        #expect(figures.entries == model.entries.count)
        for messageClass in OutboxClass.allCases {
            #expect(figures[messageClass].count == messages.filter { $0.messageClass == messageClass }.count)
            #expect(figures[messageClass].dropped == model.dropped[messageClass] ?? 0)
        }
        #expect(figures.events.bytes == model.bytes(.event))
        #expect(figures.notifications.bytes == model.bytes(.notification))
    }
}
