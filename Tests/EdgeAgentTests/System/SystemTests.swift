import EdgeAgent
import Foundation
import Frames
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SystemTests {
    @Test func `a boot id is 16 random hex digits`() {
        let ids = (0..<100).map { _ in BootID.make() }
        #expect(Set(ids).count == 100)
        #expect(
            ids.allSatisfy {
                $0.utf8.count == 16 && $0.utf8.allSatisfy { Hex.value($0) != nil } && $0 == $0.lowercased()
            }
        )
    }

    @Test func `the process has used memory and processor time since its start`() {
        let start = ProcessFigures.now()
        var sum = 0.0
        for number in 0..<2_000_000 { sum += Double(number).squareRoot() }
        let figures = ProcessFigures.current(since: start)
        #expect(sum > 0)
        #expect(figures.residentBytes > 1_000_000)
        #expect(figures.cpuTime > .zero)
        #expect(figures.uptime > .zero && figures.uptime < .seconds(600))
    }

    @Test(arguments: [
        ("0123456789abcdef0123456789ABCDEF\n", "0123456789abcdef0123456789abcdef"),
        ("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
        ("uninitialized\n", nil),
        ("", nil),
        ("0123456789abcdef0123456789abcdeg\n", nil),
        (String(repeating: "a", count: 5000), nil),
    ])
    func `a machine id is 32 hex digits or none`(content: String, id: String?) throws {
        try withTemporaryDirectory { directory in
            let file = directory + "/machine-id"
            try writeFile(content, to: file)
            #expect(HostIdentity.machineID(inFile: file) == id)
            #expect(HostIdentity.current(machineIDFiles: [directory + "/none", file]).machineID == id)
        }
    }

    @Test func `the machine has a host name`() {
        #expect(!HostIdentity.current().hostName.isEmpty)
    }

    @Test func `only small regular files are read`() throws {
        try withTemporaryDirectory { directory in
            try writeFile("12345", to: directory + "/file")
            #expect(try BoundedFile.read(directory + "/file", limit: 5).bytes == Array("12345".utf8))
            #expect(throws: BoundedFile.Failure.tooLarge(limit: 4)) {
                try BoundedFile.read(directory + "/file", limit: 4)
            }
            #expect(throws: BoundedFile.Failure.system(EISDIR)) { try BoundedFile.read(directory, limit: 4) }
            #expect(throws: BoundedFile.Failure.notRegular) { try BoundedFile.read("/dev/zero", limit: 4) }
            #expect(throws: BoundedFile.Failure.system(ENOENT)) { try BoundedFile.read(directory + "/none", limit: 4) }
            try #require(mkfifo(directory + "/fifo", 0o600) == 0)
            #expect(throws: BoundedFile.Failure.notRegular) { try BoundedFile.read(directory + "/fifo", limit: 4) }
        }
    }
}

/// Gives a directory of its own to a test and removes it.
func withTemporaryDirectory<Value>(_ body: (String) throws -> Value) throws -> Value {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    return try body(directory)
}

/// Makes a directory that only this user can read.
func makeTemporaryDirectory() throws -> String {
    let directory = FileManager.default.temporaryDirectory.appending(path: "edge-agent-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
    )
    return directory
}

/// Removes what ``makeTemporaryDirectory()`` made.
func removeTemporaryDirectory(_ directory: String) {
    // A directory that stays behind makes no test wrong.
    try? FileManager.default.removeItem(atPath: directory)
}

/// Writes a file with the given permissions.
func writeFile(_ text: String, to path: String, permissions: Int = 0o600) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
}
