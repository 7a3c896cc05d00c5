import Foundation
package import Glibc

/// The built `edge-agent` in a process of its own, with a configuration file of its own.
package final class AgentProgram: Sendable {
    private let process: ChildProcess
    private let directory: String

    private init(_ process: ChildProcess, directory: String) {
        self.process = process
        self.directory = directory
    }

    deinit {
        // A directory that stays behind in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Starts the agent.
    ///
    /// - Parameters:
    ///   - configuration: the text of its configuration file.
    ///   - arguments: further flags of `run`.
    ///   - files: further files beside the configuration, by name; `@/` in the configuration stands for their directory.
    ///   - more: further variables of its environment.
    ///   - bus: the address of its system bus.
    /// - Returns: the running agent.
    /// - Throws: `ChildProcess.Failure` when it cannot be started.
    package static func start(
        configuration: String,
        arguments: [String] = [],
        files: [String: String] = [:],
        environment more: [String: String] = [:],
        bus: String
    ) async throws -> AgentProgram {
        let directory = NSTemporaryDirectory() + "agent-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, text) in files {
            try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(directory)/\(name)")
        }
        let file = directory + "/edge-agent.yaml"
        let text = configuration.replacingOccurrences(of: "@/", with: directory + "/")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        var environment = surroundings
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        // A crash ends at once: the backtracer may hang.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        environment.merge(more) { _, new in new }
        let process = try await ChildProcess.spawn(
            try path(),
            ["run", "--config", file] + arguments,
            environment: environment
        )
        return AgentProgram(process, directory: directory)
    }

    /// What a program under test gets of the tests' own environment: what coverage needs.
    ///
    /// ``ChildProcess`` adds what sanitizers need.
    package static var surroundings: [String: String] {
        let own = ProcessInfo.processInfo.environment
        let names = ["PATH", "LLVM_PROFILE_FILE", "LD_LIBRARY_PATH"]
        var kept = own.filter { names.contains($0.key) }
        // Where `make coverage` has all of them count as they run: most are killed, and would write nothing at their end.
        if let file = own["EDGE_AGENT_PROFILE_FILE"] { kept["LLVM_PROFILE_FILE"] = file }
        return kept
    }

    /// So many bytes that an agent may come to hold, or what a sanitizer makes of them: it puts room around each piece,
    /// keeps notes of it elsewhere, and holds for a while what was given back.
    package static func resident(_ bytes: Int) -> Int { ChildProcess.isSanitized ? bytes * 8 : bytes }

    /// `edge-agent` beside the test bundle, or what `EDGE_AGENT_PROGRAM` names, such as a build for a sanitizer.
    package static func path() throws -> String {
        if let path = ProcessInfo.processInfo.environment["EDGE_AGENT_PROGRAM"] { return path }
        let arguments = CommandLine.arguments.map { URL(filePath: $0).deletingLastPathComponent() }
        for place in [Bundle.main.bundleURL] + arguments {
            let path = place.appending(path: "edge-agent").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw ChildProcess.Failure(description: "no edge-agent beside \(CommandLine.arguments)")
    }

    /// Writes one of the files beside its configuration anew.
    package func replace(_ name: String, _ text: String) throws {
        try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    }

    package var pid: pid_t { process.pid }
    /// All that it has logged.
    package var log: String { process.errors }
    /// What it has written to its standard output, where nothing belongs.
    package var output: String { process.output }
    /// The lines of the log that contain a text.
    package func lines(with text: String) -> [String] {
        log.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }

    /// Sends a signal.
    package func send(_ signal: Int32) { process.send(signal) }
    /// Kills it and waits until it is gone.
    package func kill() async throws { try await process.kill() }
    /// Waits for its end: its exit status, or 128 and the signal's number.
    package func exitStatus() async throws -> Int32 { try await process.exitStatus() }
    /// Waits until a text stands in its log that often.
    package func waitForLog(_ text: String, count: Int = 1) async throws {
        try await process.waitFor(text, count: count)
    }
    /// How much memory it has, as the kernel counts it.
    package func residentBytes() throws -> Int {
        let line = try proc("status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw ChildProcess.Failure(description: "nothing is known of the memory of \(pid)")
        }
        return number << 10
    }
    /// A file of `/proc` about it.
    package func proc(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "/proc/\(pid)/\(file)")), as: UTF8.self)
    }
}
