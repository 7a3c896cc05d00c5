import EdgeAgent
import EventLoop
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AuditFileTests {
    private let worker = Worker(limit: 1)

    private func event(_ text: String) -> LogEvent {
        LogEvent(level: .info, label: "audit", message: text)
    }

    private func written(_ file: AuditFile) async {
        await handedOver { done in file.whenWritten { done(()) } }
    }

    /// The lines of a file without their times.
    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { String($0.dropFirst(25)) }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTemporaryDirectory(directory) }
        try await body(directory)
    }

    @Test func `lines go to the file in their order, behind those that it has, for its owner alone`() async throws {
        try await withFolder { folder in
            let path = folder + "/audit.log"
            let fallback = CollectingSink()
            let file = AuditFile(path, worker: worker, fallback: fallback)
            for number in 1...500 { file.write(event("line \(number)")) }
            await written(file)
            let first = try lines(path)
            #expect(first == (1...500).map { "info audit: line \($0)" })
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            let next = AuditFile(path, worker: worker, fallback: fallback)
            next.write(event("next life"))
            await written(next)
            #expect(try lines(path).count == 501)
            #expect(fallback.all.isEmpty)
        }
    }

    @Test func `a file that was renamed is left and a new one begun`() async throws {
        try await withFolder { folder in
            let path = folder + "/audit.log"
            let file = AuditFile(path, worker: worker, fallback: CollectingSink())
            file.write(event("one"))
            await written(file)
            #expect(rename(path, path + ".1") == 0)
            file.write(event("two"))
            await written(file)
            #expect(try lines(path + ".1") == ["info audit: one"])
            #expect(try lines(path) == ["info audit: two"])
            // The way of logrotate's `create`: another file stands there already.
            #expect(rename(path, path + ".2") == 0)
            try writeFile("", to: path)
            file.write(event("three"))
            await written(file)
            #expect(try lines(path + ".2") == ["info audit: two"] && lines(path) == ["info audit: three"])
            #expect(unlink(path) == 0)
            file.write(event("four"))
            await written(file)
            #expect(try lines(path) == ["info audit: four"])
        }
    }

    @Test func `a file that was cut off in place goes on at its beginning`() async throws {
        try await withFolder { folder in
            let path = folder + "/audit.log"
            let file = AuditFile(path, worker: worker, fallback: CollectingSink())
            file.write(event("one"))
            await written(file)
            #expect(truncate(path, 0) == 0)
            file.write(event("two"))
            await written(file)
            let lines = try lines(path)
            #expect(lines == ["info audit: two"])
        }
    }

    @Test func `what cannot be written goes to the log, and that is said once`() async throws {
        try await withFolder { folder in
            let path = folder + "/gone/audit.log"
            let fallback = CollectingSink()
            let file = AuditFile(path, worker: worker, fallback: fallback)
            for number in 1...2 {
                file.write(event("line \(number)"))
                await written(file)
            }
            let problem = "error audit: Audit file cannot be written: its lines go here path=\(path) "
            #expect(
                fallback.all == [
                    problem + "error=\"open: No such file or directory\"", "info audit: line 1", "info audit: line 2",
                ]
            )
            try FileManager.default.createDirectory(atPath: folder + "/gone", withIntermediateDirectories: false)
            file.write(event("line 3"))
            await written(file)
            #expect(fallback.all.dropFirst(3) == ["notice audit: Audit file is written again path=\(path)"])
            #expect(try lines(path) == ["info audit: line 3"])
        }
    }

    @Test(arguments: ["directory", "pipe", "link", "device"])
    func `nothing but a plain file is written to, and nothing is waited for`(kind: String) async throws {
        try await withFolder { folder in
            var path = folder + "/audit.log"
            switch kind {
            case "directory": #expect(mkdir(path, 0o700) == 0)
            case "pipe": #expect(mkfifo(path, 0o600) == 0)
            case "link":
                try writeFile("", to: folder + "/target")
                #expect(symlink(folder + "/target", path) == 0)
            default: path = "/dev/null"
            }
            let fallback = CollectingSink()
            let file = AuditFile(path, worker: worker, fallback: fallback)
            file.write(event("line"))
            await written(file)
            #expect(fallback.all.first?.hasPrefix("error audit: Audit file cannot be written") == true)
            #expect(fallback.all.last == "info audit: line")
        }
    }

    @Test func `a line that finds no room goes to the log, and the next one begins a line of its own`() async throws {
        try await withFolder { folder in
            let path = folder + "/audit.log"
            // A limit on the size of files that only this one, which has no content but its end, comes near.
            let size = 1 << 40
            try writeFile("", to: path)
            try #require(truncate(path, off_t(size - 10)) == 0)
            var before = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) == 0)
            try #require(before.rlim_cur > rlim_t(size), "the tests run under a limit of their own")
            signal(SIGXFSZ, SIG_IGN)
            var limit = before
            limit.rlim_cur = rlim_t(size)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) }
            let fallback = CollectingSink()
            let file = AuditFile(path, worker: worker, fallback: fallback)
            file.write(event("one"))
            await written(file)
            let problem = "error audit: Audit file cannot be written: its lines go here path=\(path) "
            #expect(fallback.all == [problem + "error=\"write: File too large\"", "info audit: one"])
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) == 0)
            file.write(event("two"))
            await written(file)
            let handle = try #require(FileHandle(forReadingAtPath: path))
            try handle.seek(toOffset: UInt64(size - 10))
            let end = String(decoding: try #require(try handle.readToEnd()), as: UTF8.self).split(separator: "\n")
            #expect(end.count == 2 && end[0].count == 10 && end[1].hasSuffix("Z info audit: two"))
        }
    }

    @Test func `beyond the bound lines are lost and counted`() async throws {
        try await withFolder { folder in
            let path = folder + "/audit.log"
            // The one thread of the worker is taken until all have come.
            let (gate, open) = (Pipe(), 1)
            let blocked = Worker(limit: 1)
            blocked.start { _ = gate.fileHandleForReading.readData(ofLength: open) }
            let file = AuditFile(path, worker: blocked, fallback: CollectingSink())
            for number in 0..<(AuditFile.mostWaiting + 7) { file.write(event("line \(number)")) }
            gate.fileHandleForWriting.write(Data([1]))
            await written(file)
            let lines = try lines(path)
            #expect(lines.count == AuditFile.mostWaiting + 1)
            #expect(lines.last == "warning audit: Lines were lost because the disk did not keep up dropped=7")
        }
    }

    @Test func `many threads at once lose nothing and break no line`() async throws {
        try await withFolder { folder in
            let path = folder + "/audit.log"
            let file = AuditFile(path, worker: worker, fallback: CollectingSink())
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask { for number in 0..<200 { file.write(event("task \(task) line \(number)")) } }
                }
            }
            await written(file)
            let lines = try lines(path)
            #expect(Set(lines).count == 1600 && lines.count == 1600)
            for task in 0..<8 {
                let own = lines.filter { $0.contains("task \(task) ") }
                #expect(own == (0..<200).map { "info audit: task \(task) line \($0)" })
            }
        }
    }
}
