import EdgeAgent
import Foundation
import TestSupport

/// `edge-agent doctor` in a process of its own, and what it has found.
struct Examination {
    let status: Int32
    let output: String
    let errors: String
    let json: Json

    /// What a check has found; null when there is no such check.
    subscript(_ name: CheckName) -> Json {
        json["checks"].list.first { $0["name"] == .text(name.rawValue) } ?? .missing
    }

    func status(of name: CheckName) -> String { self[name]["status"].text ?? "" }
    func text(of name: CheckName) -> String { self[name]["text"].text ?? "" }
    func mend(of name: CheckName) -> String { self[name]["mend"].text ?? "" }

    /// Runs it with a configuration file; `@/` stands for the file's directory.
    static func run(
        _ configuration: String,
        in directory: String,
        bus: String,
        arguments: [String] = ["--json", "--listen", "1"],
        user: UInt32? = nil
    ) async throws -> Examination {
        let file = directory + "/edge-agent.yaml"
        let text = configuration.replacingOccurrences(of: "@/", with: directory + "/")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        var words = [try AgentProgram.path(), "doctor", "--config", file] + arguments
        if let user { words = ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] + words }
        var environment = AgentProgram.surroundings
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let child = try await ChildProcess.spawn(words[0], Array(words.dropFirst()), environment: environment)
        let status = try await child.exitStatus()
        let json = arguments.contains("--json") ? Json(Array(child.output.utf8)) ?? .missing : .missing
        return Examination(status: status, output: child.output, errors: child.errors, json: json)
    }
}

/// Runs a test with a directory of its own that others may enter.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let directory = NSTemporaryDirectory() + "doctor-" + UUID().uuidString
    try FileManager.default.createDirectory(
        atPath: directory,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755]
    )
    // A directory that stays behind in /tmp harms nobody.
    defer { try? FileManager.default.removeItem(atPath: directory) }
    return try await body(directory)
}
