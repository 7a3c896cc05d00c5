import EdgeAgent
import Foundation
import Testing

/// The built program in a process of its own.
@Suite(.timeLimit(.minutes(10)))
struct ProcessTests {
    private struct Result {
        let code: Int32
        let output: String
        let error: String
    }

    private func run(
        _ arguments: [String],
        directory: String? = nil,
        throughShell command: String? = nil,
        readByJournal: Bool = false
    ) async throws -> Result {
        let process = Process()
        if let command {
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", command, try executable().path] + arguments
        } else {
            process.executableURL = try executable()
            process.arguments = arguments
        }
        process.currentDirectoryURL = directory.map { URL(filePath: $0) }
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        if readByJournal {
            var status = stat()
            try #require(fstat(error.fileHandleForWriting.fileDescriptor, &status) == 0)
            process.environment = ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
        }
        process.standardInput = FileHandle.nullDevice
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            continuation.yield(process.terminationReason == .exit ? process.terminationStatus : -1)
            continuation.finish()
        }
        try process.run()
        var code: Int32 = -2
        for await status in ended { code = status }
        // All that these commands write fits into a pipe.
        return Result(
            code: code,
            output: drained(output),
            error: drained(error)
        )
    }

    /// `edge-agent` beside the test bundle.
    private func executable() throws -> URL {
        let places = [Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()]
        let candidates = places.map { $0.appending(path: "edge-agent") }
        return try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    }

    @Test(arguments: [
        ["--help"], ["help"], ["run", "--help"], ["check-config", "-h"], ["version", "--help"], ["help", "help"],
    ])
    func `help goes to standard output with exit code 0`(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.code == 0)
        #expect(result.output.contains("Usage:"))
        #expect(result.error.isEmpty)
    }

    @Test func `version is printed`() async throws {
        let result = try await run(["version"])
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("edge-agent \(AgentVersion.current)\n"))
    }

    @Test(arguments: [[], ["rum"], ["run", "--brokr", "x"], ["run", "--gateway"], ["version", "x"]])
    func `a wrong command line ends with 64 and points to the help`(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.code == 64)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("--help\n"))
    }

    @Test func `a configuration file that is not there ends with 66`() async throws {
        let result = try await run(["run", "--config", "/nonexistent/x.yaml"])
        #expect(result.code == 66)
        #expect(result.error == "edge-agent: /nonexistent/x.yaml: cannot be read: No such file or directory\n")
    }

    @Test(arguments: ["run", "check-config"])
    func `B69 wrong values end with 78 and name every key`(command: String) async throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTemporaryDirectory(directory) }
        try writeFile("mqtt:\n  caFile: /nonexistent/ca.pem\n  maxInflight: 0\n", to: directory + "/c.yaml")
        let result = try await run(
            [command, "--config", "c.yaml", "--broker=mqtts://h:70000", "--gateway", "ALL"],
            directory: directory
        )
        #expect(result.code == 78)
        #expect(result.output.isEmpty)
        for part in [
            "c.yaml:2: mqtt.caFile: ", "c.yaml:3: mqtt.maxInflight: ", "--broker (broker): ", "--gateway (gateway): ",
        ] {
            #expect(result.error.contains("edge-agent: " + part))
        }
    }

    @Test(arguments: [("me", 0, "allowed: "), ("you", 77, "denied: "), ("a/b", 65, "refused: bad-request: ")])
    func `a sample command ends with the code of its answer`(caller: String, code: Int32, text: String) async throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTemporaryDirectory(directory) }
        try writeFile("policy: [{allow: any, callers: me}]\n", to: directory + "/c.yaml")
        let sample = ["--try", #"{"verb":"ping"}"#, "--as", caller]
        let result = try await run(["check-config", "--config", "c.yaml"] + sample, directory: directory)
        #expect(result.code == code)
        #expect(result.output.hasPrefix(text), "\(result.output)")
        #expect(result.error.isEmpty)
    }

    @Test func `relative paths of flags count from the working directory`() async throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTemporaryDirectory(directory) }
        try writeFile("S3cr3t-needle\n", to: directory + "/password")
        try writeFile("gateway: g\n", to: directory + "/c.yaml")
        let result = try await run(
            ["check-config", "--config", "c.yaml", "--broker", "mqtt://u@localhost", "--password-file", "password"],
            directory: directory
        )
        #expect(result.code == 0)
        #expect(result.error.isEmpty)
        #expect(result.output.contains("/password\n  # its content: ***\n"))
        #expect(!result.output.contains("S3cr3t"))
    }

    @Test func `problems reach the journal as errors, one a line`() async throws {
        let result = try await run(["run", "--gateway", "a\nb", "--adapter", "x"], readByJournal: true)
        #expect(result.code == 78)
        let lines = result.error.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasPrefix("<3>edge-agent: ") })
    }

    @Test(arguments: [
        ("exec \"$0\" check-config --gateway ALL 2>&-", 78), ("exec \"$0\" rum 2>/dev/full >&- <&-", 64),
        ("exec \"$0\" help >/dev/full", 71), ("\"$0\" help run >&-; exit $?", 0),
    ])
    func `closed and full streams change no exit code but that of what was to be printed`(
        command: String,
        code: Int32
    ) async throws {
        #expect(try await run([], throughShell: command).code == code)
    }
}
