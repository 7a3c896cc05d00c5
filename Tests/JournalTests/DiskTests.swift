import EventLoop
import Foundation
import Glibc
import Journal
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DiskTests {
    /// Whether this process may mount a file system of its own.
    static let mayMount: Bool = {
        var template = Array("/tmp/journal-mount-XXXXXX".utf8CString)
        guard geteuid() == 0, mkdtemp(&template) != nil else { return false }
        defer { rmdir(template) }
        guard mount("tmpfs", template, "tmpfs", 0, "size=1m") == 0 else { return false }
        return umount(template) == 0
    }()

    /// Runs the body with a file system of so many bytes.
    private func withFileSystem(bytes: Int, _ body: (String) async throws -> Void) async throws {
        try await withDirectory { directory async throws in
            guard mount("tmpfs", directory, "tmpfs", 0, "size=\(bytes)") == 0 else { throw SystemFailure("mount") }
            defer { umount(directory) }
            try await body(directory)
        }
    }

    private func smallSettings(_ directory: String) -> JournalSettings {
        var settings = JournalSettings(directory: directory)
        settings.reserveBytes = 256 << 10
        settings.retryGap = .milliseconds(5)
        settings.longestRetryGap = .milliseconds(20)
        return settings
    }

    /// Accepts until it is refused.
    private func fill(_ journal: TestJournal, from number: Int64) async throws -> (last: Int64, JournalFailure?) {
        var last = number
        while true {
            let refusal = await failure { _ = try await journal.accept(entry(last, requestBytes: 2000)) }
            if refusal != nil { return (last - 1, refusal) }
            last += 1
        }
    }

    @Test func `at its bound a journal takes nothing new, ends what it has, and goes on when there is room`()
        async throws
    {
        try await withDirectory { directory async throws in
            let clocks = ManualClocks(wallMs: 1_000_000)
            var settings = smallSettings(directory)
            settings.fileBytes = 2 << 20
            settings.clock = clocks.clock
            try await withJournal(settings) { journal async throws in
                // What may go when its time has come.
                for number: Int64 in 1...300 {
                    let entry = entry(number, windowEndsMs: 2_000_000)
                    _ = try await journal.record(entry, answer: content(number, 2000))
                }
                let (last, refusal) = try await fill(journal, from: 301)
                #expect(refusal == .full)
                #expect(last > 400)
                #expect(await journal.state == .failed(.full))
                #expect(await failure { try await journal.append(message(1, .event)) } == .full)
                #expect(await failure { try await journal.addReply([1], to: 301) } == .full)
                #expect(await journal.figures.events.dropped == 1)
                // What has been accepted ends, also one with a large answer; reads go on.
                for number: Int64 in 301...350 {
                    try await journal.begin(number)
                    let result = message(number, .result, bytes: 1000)
                    try await journal.end(number, answer: content(number, 1000), publications: [result])
                }
                try await journal.end(351, answer: content(1, 60_000))
                #expect(try await journal.messages().count == 50)
                #expect(try await journal.entries(.ended).count == 351)
                try await journal.append(message(400, .result))
                #expect(await journal.state == .failed(.full))
                clocks.pass(2_000_000)
                try await journal.wait(for: .working)
                #expect(try await journal.accept(entry(last + 1)) == .accepted)
                #expect(try await journal.entries(.unfinished).count == Int(last) - 350)
            }
            // The drop that could not be written at once was written later.
            try await withJournal(settings) { journal async throws in
                #expect(await journal.state == .working)
                #expect(await journal.figures.events.dropped == 1)
                #expect(try await journal.messages().count == 51)
            }
            #expect(try bytes(directory + "/journal.sqlite").count <= settings.fileBytes)
        }
    }

    @Test(.enabled(if: mayMount)) func `a full disk refuses what is new, and lets what was accepted end`() async throws
    {
        try await withFileSystem(bytes: 8 << 20) { directory async throws in
            let settings = smallSettings(directory)
            try await withJournal(settings) { journal async throws in
                for number: Int64 in 1...100 { _ = try await journal.accept(entry(number)) }
            }
            // Others fill the disk; the journal is opened on what is left.
            let ballast = directory + "/ballast"
            try fillDisk(ballast)
            try await withJournal(settings) { journal async throws in
                let (last, refusal) = try await fill(journal, from: 101)
                #expect(refusal == .full)
                #expect(await journal.state == .failed(.full))
                try fillDisk(ballast)
                for number in 1...last {
                    let result = message(number, .result, bytes: 100)
                    try await journal.end(number, answer: content(number, 100), publications: [result])
                }
                #expect(try await journal.messages().count == Int(last))
                // It stays so across a restart.
            }
            try await withJournal(settings) { journal async throws in
                let ended = try await journal.entries(.ended)
                #expect(ended.count >= 100)
                try await journal.remove(ended.map(\.number))
                _ = try await fill(journal, from: Int64(ended.count) + 1)
                try FileManager.default.removeItem(atPath: ballast)
                try await journal.wait(for: .working)
                for number: Int64 in 10_001...10_500 { _ = try await journal.accept(entry(number)) }
            }
        }
    }

    /// Writes to a file until there is no room.
    private func fillDisk(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("open") }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        guard errno == ENOSPC else { throw SystemFailure("write") }
    }

    @Test func `writes that fail are refused, and taken again when they do not`() async throws {
        try await withDirectory { directory async throws in
            let child = try await ChildProcess.spawn(try writer(), ["confined", directory, "2000000"])
            #expect(try await child.exitStatus() == 0, "\(child.errors)")
            let lines = child.output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("refused after ") && !$0.hasPrefix("refused after 0:") })
            #expect(!child.output.contains("not ended"))
            #expect(lines.suffix(3) == ["accepted again", "state closed", "closed true"])
            try await withJournal(JournalSettings(directory: directory)) { journal async throws in
                #expect(try await journal.messages().count == 1000)
                #expect(try await journal.entries(.ended).map(\.number) == Array(1...1000))
            }
        }
    }

    @Test func `what may only be read is refused`() async throws {
        guard geteuid() != 0 else { return }
        try await withDirectory { directory async throws in
            try await withJournal(JournalSettings(directory: directory)) { _ = try await $0.accept(entry(1)) }
            chmod(directory + "/journal.sqlite", 0o400)
            try await expectReadOnly(directory) { chmod(directory + "/journal.sqlite", 0o600) }
        }
    }

    @Test(.enabled(if: mayMount)) func `a file system that may only be read is refused until it may be written`()
        async throws
    {
        try await withFileSystem(bytes: 8 << 20) { directory async throws in
            try await withJournal(smallSettings(directory)) { _ = try await $0.accept(entry(1)) }
            let again = UInt(MS_REMOUNT)
            #expect(mount("tmpfs", directory, "tmpfs", again | UInt(MS_RDONLY), "size=8m") == 0)
            try await expectReadOnly(directory) {
                #expect(mount("tmpfs", directory, "tmpfs", again, "size=8m") == 0)
            }
        }
    }

    private func expectReadOnly(_ directory: String, release: () -> Void) async throws {
        try await withJournal(smallSettings(directory)) { journal async throws in
            #expect(await journal.state == .failed(.readOnly))
            #expect(await failure { _ = try await journal.accept(entry(2)) } == .readOnly)
            release()
            try await journal.wait(for: .working)
            #expect(try await journal.accept(entry(2)) == .accepted)
            #expect(try await journal.entries(.unfinished).map(\.number) == [1, 2])
        }
    }
}

/// The built `journal-writer`, beside the test bundle.
func writer() throws -> String {
    let arguments = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    for place in [Bundle.main.bundleURL] + arguments {
        let path = place.appending(path: "journal-writer").path
        if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw SystemFailure("journal-writer", code: ENOENT)
}
