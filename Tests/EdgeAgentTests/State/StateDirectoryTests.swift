import EdgeAgent
import EventLoop
import Foundation
import Testing

/// A directory that is there as long as the body runs.
func withStateFolder<Value>(_ body: (String) throws -> Value) throws -> Value {
    let path = try makeStateFolder()
    // What stays behind in /tmp harms nobody.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}

/// The same for a body that waits.
func withStateFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let path = try makeStateFolder()
    // What stays behind in /tmp harms nobody.
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}

private func makeStateFolder() throws -> String {
    let path = NSTemporaryDirectory() + "state-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
}

@Suite(.timeLimit(.minutes(10)))
struct StateDirectoryTests {
    @Test func `a directory that is missing is made for this user alone`() throws {
        try withStateFolder { parent in
            let path = parent + "/state"
            let directory = try StateDirectory.open(path)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            #expect(try String(contentsOfFile: path + "/version", encoding: .utf8) == "1\n")
            #expect(directory.path == path)
        }
    }

    @Test func `of a path whose parent is missing the error names path and cause`() throws {
        try withStateFolder { parent in
            let path = parent + "/no/state"
            #expect(throws: StateFailure.system(call: "mkdir", path: path, code: ENOENT)) {
                try StateDirectory.open(path)
            }
        }
    }

    @Test func `a second agent does not get the directory until the first has let it go`() throws {
        try withStateFolder { path in
            var first: StateDirectory? = try StateDirectory.open(path)
            #expect(first?.path == path)
            #expect(throws: StateFailure.inUse(path: path)) { try StateDirectory.open(path) }
            first = nil
            #expect(try StateDirectory.open(path).path == path)
        }
    }

    @Test(arguments: [
        ("2\n", "has schema version 2, this agent knows versions up to 1"), ("x", "is no version"),
        ("0", "is no version"), ("", "is no version"), (String(repeating: "1", count: 40), "is larger than 32 bytes"),
    ])
    func `a version that this agent does not know is refused`(_ text: String, _ reason: String) throws {
        try withStateFolder { path in
            try text.write(toFile: path + "/version", atomically: false, encoding: .utf8)
            let failure = #expect(throws: StateFailure.self) { try StateDirectory.open(path) }
            #expect(failure?.description.contains(reason) == true, "\(String(describing: failure))")
            // The lock is free again, the file untouched.
            #expect(try String(contentsOfFile: path + "/version", encoding: .utf8) == text)
            try "1".write(toFile: path + "/version", atomically: false, encoding: .utf8)
            #expect(try StateDirectory.open(path).path == path)
        }
    }

    @Test func `what was written is read again, and nothing else is left behind`() throws {
        try withStateFolder { path in
            let directory = try StateDirectory.open(path)
            #expect(try directory.read("a", limit: 10) == nil)
            try directory.write([1, 2, 3], to: "a")
            try directory.write([4], to: "a")
            #expect(try directory.read("a", limit: 10) == [4])
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["a", "lock", "version"])
            let mode = try FileManager.default.attributesOfItem(atPath: path + "/a")[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func `a write that fails leaves the old bytes`() throws {
        try withStateFolder { path in
            let directory = try StateDirectory.open(path)
            try directory.write([1], to: "a")
            // A directory where the draft should go.
            try FileManager.default.createDirectory(atPath: path + "/a.new", withIntermediateDirectories: false)
            #expect(throws: StateFailure.system(call: "open", path: path + "/a.new", code: EISDIR)) {
                try directory.write([2], to: "a")
            }
            #expect(try directory.read("a", limit: 10) == [1])
        }
    }

    @Test func `a file over the limit and a directory in its place are refused with their name`() throws {
        try withStateFolder { path in
            let directory = try StateDirectory.open(path)
            try directory.write([1, 2, 3], to: "a")
            let reason = "is larger than 2 bytes"
            #expect(throws: StateFailure.unreadable(path: path + "/a", reason: reason)) {
                try directory.read("a", limit: 2)
            }
            try FileManager.default.createDirectory(atPath: path + "/b", withIntermediateDirectories: false)
            let failure = #expect(throws: StateFailure.self) { try directory.read("b", limit: 2) }
            #expect(failure?.description.hasPrefix(path + "/b: cannot be read") == true)
        }
    }

    @Test func `many saves at once end with the last one on the disk, each told once`() async throws {
        try await withStateFolder { path in
            let directory = try StateDirectory.open(path)
            let loop = try EventLoop.startThread()
            defer { loop.stop() }
            let (answers, telling) = AsyncStream.makeStream(of: StateFailure?.self)
            loop.execute {
                let file = StateFile("a", in: directory, loop: loop, worker: Worker())
                for number in 1...50 {
                    file.save([UInt8(number)]) { failure in
                        telling.yield(failure)
                        withExtendedLifetime(file) {}
                    }
                }
            }
            var count = 0
            for await failure in answers {
                #expect(failure == nil)
                count += 1
                if count == 50 { break }
            }
            #expect(try directory.read("a", limit: 10) == [50])
        }
    }
}
