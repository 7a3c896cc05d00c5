import Journal
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct KillTests {
    /// What a killed writer said of one command.
    private struct Said {
        var isBegun = false
        var message: Int64?
        var isRemoved = false
    }

    @Test(arguments: ["process", "power"])
    func `what was said to be kept is there after kill -9, in its order and as it was`(durability: String) async throws
    {
        try await withDirectory { directory async throws in
            var said: [Int64: Said] = [:]
            var random = SeededRandom(seed: 9)
            for _ in 0..<6 {
                let steps = Int.random(in: 1...(durability == "power" ? 60 : 600), using: &random)
                let outstanding = Int.random(in: 1...40, using: &random)
                let arguments = ["lives", directory, "\(outstanding)", durability]
                let child = try await ChildProcess.spawn(try writer(), arguments)
                try await child.waitFor("accepted", count: steps)
                try await child.kill()
                try note(child.output, &said)
                try await check(said, directory)
            }
            #expect(said.count > 20)
        }
    }

    @Test func `a writer that is killed while it makes the file leaves one that can be used`() async throws {
        // Each time a little later in its start.
        for delay in 0..<12 {
            try await withDirectory { directory async throws in
                let child = try await ChildProcess.spawn(try writer(), ["lives", directory, "1", "process"])
                let end = ContinuousClock.now + .milliseconds(delay)
                while ContinuousClock.now < end { await Task.yield() }
                try await child.kill()
                try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                    #expect(await journal.state == .working, "killed after \(delay) ms")
                    #expect(try await journal.accept(entry(await journal.newNumber())) == .accepted)
                }
            }
        }
    }

    /// Reads what a writer said; its last line may have been cut.
    private func note(_ output: String, _ said: inout [Int64: Said]) throws {
        var last: Int64 = 0
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count >= 2, let number = Int64(words[1]) else {
                #expect(line == "working")
                continue
            }
            switch words[0] {
            case "accepted":
                #expect(number > last, "completions out of order")
                last = number
                said[number] = Said()
            case "begun": said[number]?.isBegun = true
            case "ended": said[number]?.message = words.last.flatMap { Int64($0) }
            case "removed": said[number]?.isRemoved = true
            default: Issue.record("\(line)")
            }
        }
    }

    private func check(_ said: [Int64: Said], _ directory: String) async throws {
        var settings = JournalSettings(directory: directory)
        settings.windowCount = .max
        settings.windowBytes = .max
        try await withJournal(settings) { journal async throws in
            #expect(await journal.state == .working)
            let entries = try await journal.entries(.unfinished) + journal.entries(.ended)
            let kept = Dictionary(uniqueKeysWithValues: entries.map { ($0.number, $0) })
            let messages = try await journal.messages()
            #expect(messages.map(\.id) == messages.map(\.id).sorted())
            let waiting = Dictionary(uniqueKeysWithValues: messages.map { ($0.id, $0) })
            let newest = said.keys.max() ?? 0
            #expect(try #require(await journal.summary).nextNumber > newest)
            // Groups are kept in order: nothing is missing before what was said.
            for number in 1...newest { #expect(kept[number] != nil, "\(number)") }
            for (number, said) in said {
                let entry = try #require(kept[number])
                #expect(entry.key == JournalKey(client: "anna", isIdentified: true, id: "id-\(number)"))
                #expect(entry.fingerprint == content(number, 32))
                if said.isBegun { #expect(entry.progress != .waiting) }
                if entry.answer == nil { #expect(entry.request == content(number &+ 1, 40)) }
                guard let id = said.message else { continue }
                #expect(entry.answer == content(number &+ 2, 60))
                #expect(entry.progress == .ended || entry.progress == .acknowledged)
                if said.isRemoved { #expect(entry.progress == .acknowledged) }
                // An id is free again in the next life when its message was the last and is gone.
                guard let message = waiting[id], message.entry == number else {
                    // Every third is never acknowledged.
                    #expect(number % 3 != 0)
                    continue
                }
                #expect(!said.isRemoved)
                #expect(message.head == content(id, 20))
                #expect(message.payload == entry.answer)
            }
        }
    }
}
