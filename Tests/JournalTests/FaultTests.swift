import EventLoop
import Foundation
import Glibc
import Journal
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
    /// A journal with some content, closed.
    private func make(in directory: String, entries: Int64 = 200) async throws {
        try await withJournal(JournalSettings(directory: directory)) { journal async throws in
            for number in 1...entries { _ = try await journal.accept(entry(number, requestBytes: 500)) }
            try await journal.append(message(1, .result))
        }
    }

    /// Opens what is not fit to be opened: it says why, refuses everything, and leaves the file as it is.
    private func expectRefusal(
        in directory: String,
        schema: JournalSchema = .current,
        _ isExpected: (JournalFailure) -> Bool
    ) async throws {
        let file = directory + "/journal.sqlite"
        func content() -> [UInt8]? { FileManager.default.contents(atPath: file).map { [UInt8]($0) } }
        let before = content()
        var settings = JournalSettings(directory: directory)
        settings.schema = schema
        try await withJournal(settings) { journal async throws in
            guard case .failed(let failure) = await journal.state else {
                Issue.record("it was opened")
                return
            }
            #expect(isExpected(failure), "\(failure)")
            #expect(failure.isPermanent)
            #expect(await journal.summary == nil)
            #expect(await journal.ask { $0.accept(entry(1), $1) }.failure == failure)
            #expect(await journal.ask { $0.messages(after: 0, $1) }.failure == failure)
        }
        #expect(content() == before)
    }

    /// Runs a statement past the journal, and returns the rows as Python shows them.
    private func sql(_ path: String, _ statement: String) async throws -> String {
        let program = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())"
        return try await ChildProcess.run("/usr/bin/python3", ["-c", program, path, statement])
    }

    // MARK: Damage

    @Test(arguments: ["header", "page", "truncated", "text", "half a page"])
    func `a damaged file is refused and left as it is`(damage: String) async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory)
            let path = directory + "/journal.sqlite"
            var content = try bytes(path)
            switch damage {
            case "header": content.replaceSubrange(0..<16, with: [UInt8](repeating: 0x55, count: 16))
            case "page": content.replaceSubrange(8192..<16384, with: [UInt8](repeating: 0xA5, count: 8192))
            case "truncated": content.removeLast(content.count / 2 / 4096 * 4096)
            case "text": content = Array("this was a journal\n".utf8)
            default: content.removeLast(2048)
            }
            // What is in the log would mend the file.
            for name in ["-wal", ""] { try? FileManager.default.removeItem(atPath: path + name) }  // may be absent
            try Data(content).write(to: URL(fileURLWithPath: path))
            try await expectRefusal(in: directory) { if case .damaged = $0 { true } else { false } }
        }
    }

    @Test(arguments: [true, false])
    func `a file that lost its content but not its log is damaged`(isThere: Bool) async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory)
            let path = directory + "/journal.sqlite"
            #expect(try !bytes(path + "-wal").isEmpty)
            if isThere {
                try Data().write(to: URL(fileURLWithPath: path))
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
            try await expectRefusal(in: directory) { if case .damaged = $0 { true } else { false } }
            #expect(try !bytes(path + "-wal").isEmpty)
        }
    }

    @Test func `content that changed on the disk is never handed out`() async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory)
            let path = directory + "/journal.sqlite"
            var file = try bytes(path)
            // One bit within a request: SQLite does not see it.
            let request = content(101, 500)
            let found = try #require(Data(file).range(of: Data(request)))
            file[found.lowerBound + 100] ^= 1
            try FileManager.default.removeItem(atPath: path + "-wal")
            try Data(file).write(to: URL(fileURLWithPath: path))
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                #expect(await journal.state == .working)
                let failure = await failure { _ = try await journal.entries(.unfinished) }
                guard case .damaged = failure else {
                    Issue.record("it was read: \(String(describing: failure))")
                    return
                }
                #expect(await journal.state == failure.map { .failed($0) })
                // From here on nothing is taken that could be lost.
                #expect(await journal.ask { $0.accept(entry(900), $1) }.failure == failure)
            }
            #expect(try bytes(path) == file)
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `whatever is scribbled into a file, nothing is read that was not written`(seed: UInt64) async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory)
            let path = directory + "/journal.sqlite"
            let file = try bytes(path)
            // Much of the file is kept free.
            let used = file.indices.filter { file[$0] != 0 }
            var random = SeededRandom(seed: seed)
            var refused = 0
            for _ in 0..<Rounds.of(40) {
                var content = file
                let start = try #require(used.randomElement(using: &random))
                for offset in 0..<Int.random(in: 1...40, using: &random) where start + offset < content.count {
                    content[start + offset] = UInt8.random(in: 0...255, using: &random)
                }
                try Data(content).write(to: URL(fileURLWithPath: path))
                try? FileManager.default.removeItem(atPath: path + "-wal")  // may be absent
                try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                    let failure = await failure {
                        for found in try await journal.entries(.unfinished) {
                            #expect(found.request == entry(found.number, requestBytes: 500).request)
                            #expect(found.key == entry(found.number).key)
                            #expect(found.expiresMs == entry(found.number).expiresMs)
                        }
                        #expect(try await journal.entries(.ended).isEmpty)
                        for found in try await journal.messages() {
                            #expect(found.payload == message(found.id, .result).payload)
                        }
                    }
                    if failure != nil { refused += 1 }
                }
            }
            #expect(refused > Rounds.of(40) / 2)
        }
    }

    @Test func `a file of another program, or a directory in its place, is refused`() async throws {
        try await withDirectory { directory async throws in
            let path = directory + "/journal.sqlite"
            _ = try await sql(path, "CREATE TABLE mine (a)")
            try await expectRefusal(in: directory) { $0 == .foreign }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try await withJournal(JournalSettings(directory: directory)) {
                #expect(await $0.state == .failed(.foreign))
            }
        }
    }

    @Test func `a journal whose file was moved takes nothing more`() async throws {
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                _ = try await journal.accept(entry(1))
                let path = directory + "/journal.sqlite"
                try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
                #expect(await failure { _ = try await journal.accept(entry(2)) } == .moved)
                #expect(await journal.state == .failed(.moved))
            }
        }
    }

    // MARK: Versions

    @Test func `a newer file is refused with both versions`() async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory)
            settings.schema.steps.append("ALTER TABLE entry ADD COLUMN later INTEGER NOT NULL DEFAULT 7")
            let newer = settings.schema.version
            try await withJournal(settings) { _ = try await $0.accept(entry(1)) }
            try await expectRefusal(in: directory) { $0 == .newer(version: newer, known: newer - 1) }
            let text = "\(JournalFailure.newer(version: 9, known: 1))"
            #expect(text.contains("version 9") && text.contains("up to 1"))
            // The newer agent has lost nothing.
            try await withJournal(settings) { journal async throws in
                #expect(try await journal.entries(.unfinished).count == 1)
            }
        }
    }

    @Test func `an older file is brought up step by step, with all that is in it`() async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory, entries: 20)
            var settings = JournalSettings(directory: directory)
            settings.schema.steps += [
                "ALTER TABLE entry ADD COLUMN later INTEGER NOT NULL DEFAULT 7",
                "CREATE TABLE kept (number INTEGER PRIMARY KEY, later INTEGER) STRICT; "
                    + "INSERT INTO kept SELECT number, later FROM entry",
            ]
            for _ in 0..<2 {
                try await withJournal(settings) { journal async throws in
                    #expect(await journal.state == .working)
                    #expect(try await journal.entries(.unfinished).map(\.number) == Array(1...20))
                }
            }
            let path = directory + "/journal.sqlite"
            #expect(try await sql(path, "PRAGMA user_version") == "[(\(settings.schema.version),)]\n")
            #expect(try await sql(path, "SELECT count(*), sum(later) FROM kept") == "[(20, 140)]\n")
        }
    }

    @Test func `a step that fails leaves the file as it was`() async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory, entries: 20)
            var settings = JournalSettings(directory: directory)
            settings.schema.steps += ["CREATE TABLE half (a) STRICT; INSERT INTO nowhere VALUES (1)"]
            try await withJournal(settings) { journal async throws in
                guard case .failed(.damaged) = await journal.state else {
                    Issue.record("it was opened")
                    return
                }
            }
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                #expect(await journal.state == .working)
                #expect(try await journal.entries(.unfinished).count == 20)
            }
        }
    }

    // MARK: Access

    @Test func `a second journal on the same file waits until the first has let go`() async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory)
            settings.retryGap = .milliseconds(5)
            settings.longestRetryGap = .milliseconds(5)
            try await withJournal(settings) { first async throws in
                _ = try await first.accept(entry(1))
                try await withJournal(settings) { second async throws in
                    #expect(await second.state == .failed(.inUse))
                    #expect(await failure { _ = try await second.find(entry(1).key) } == .inUse)
                    await first.close()
                    try await second.wait(for: .working)
                    #expect(await second.summary?.nextNumber == 2)
                    #expect(try await second.find(entry(1).key) != nil)
                }
            }
        }
    }

    @Test func `a directory that is not there is a fault that can pass`() async throws {
        try await withDirectory { directory async throws in
            var settings = JournalSettings(directory: directory + "/state")
            settings.retryGap = .milliseconds(5)
            try await withJournal(settings) { journal async throws in
                #expect(await journal.state == .failed(.inputOutput(code: 0, errno: ENOENT)))
                #expect(mkdir(settings.directory, 0o700) == 0)
                try await journal.wait(for: .working)
                #expect(try await journal.accept(entry(1)) == .accepted)
            }
        }
    }

    @Test func `the files are for their owner alone`() async throws {
        try await withDirectory { directory async throws in
            try await make(in: directory)
            for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
                var status = stat()
                #expect(stat(directory + "/" + name, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600, "\(name)")
            }
        }
    }
}
