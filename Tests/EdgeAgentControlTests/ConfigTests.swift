import EdgeAgentControl
import Foundation
import TestSupport
import Testing

/// `edge-agent ctl config` and `log-level`, with a broker and an agent.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ConfigTests {
    /// A file of what is asked for.
    private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let path = NSTemporaryDirectory() + "desired-" + UUID().uuidString
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) } }
        try await body(path)
    }

    @Test func `a configuration is asked for from a file, shown, and taken back`() async throws {
        try await withControlWorld(more: "remote:\n  confirmSeconds: 10") { world in
            #expect(try await world.run("config", "desired").errors == "edge-agent ctl: nothing is asked for\n")
            #expect(try await world.run("config", "reported").lines.first == "state: none")
            try await withFile("# mine\nlinks: {max: 3}\nlimits:\n  maxQueuedTotal: 100\n") { file in
                let set = try await world.run("config", "set", file)
                #expect(set.status == 0 && set.lines.first == "state: applied", "\(set)")
                #expect(set.lines.last == "changed: limits.maxQueuedTotal links.max")
            }
            let desired = try await world.run("config", "desired")
            #expect(desired.output == "{\"links\":{\"max\":3},\"limits\":{\"maxQueuedTotal\":100}}\n")
            let links = try await world.run("config", "--section", "links")
            #expect(links.lines.first == "links:" && links.lines.contains("  max: 3"), "\(links)")
            let all = try await world.run("config", "--json")
            let result = all.objects.first?["result"] as? [String: Any]
            #expect(result?["changed"] as? [String] == ["limits.maxQueuedTotal", "links.max"])
            let clear = try await world.run("config", "clear", "--json")
            #expect(clear.status == 0 && clear.objects.first?["state"] as? String == "none", "\(clear)")
        }
    }

    @Test func `what is wrong is told by key, and a gateway that takes none by its setting`() async throws {
        try await withControlWorld { world in
            try await withFile("broker: mqtt://x\nlogLvl: debug\n") { file in
                let set = try await world.run("config", "set", file)
                #expect(set.status == ControlOutcome.rejected.rawValue, "\(set)")
                #expect(set.output.contains("error: broker: cannot be changed over MQTT"))
                #expect(set.output.contains("error: logLvl: unknown key: did you mean logLevel?"))
            }
            try await withFile("- a") { file in
                let set = try await world.run("config", "set", file)
                #expect(set.status == ControlOutcome.usage.rawValue && set.errors.contains("expected keys"), "\(set)")
            }
            for line in [["set"], ["set", "/nonexistent"], ["nonsense"], ["clear", "x"]] {
                let child = try await world.end(try await world.start(["config"] + line))
                #expect([ControlOutcome.usage.rawValue, ControlOutcome.noInput.rawValue].contains(child.status))
            }
        }
        try await withControlWorld(more: "remote:\n  configuration: off") { world in
            try await withFile("{}") { file in
                let set = try await world.run("config", "set", file)
                #expect(set.status == ControlOutcome.rejected.rawValue && set.errors.contains("remote.configuration"))
            }
        }
    }

    @Test func `the level of the log is changed for a time`() async throws {
        try await withControlWorld { world in
            let changed = try await world.run("log-level", "info", "--for", "10m")
            #expect(changed.status == 0 && changed.output.hasPrefix("info, until 20"), "\(changed)")
            #expect(changed.output.hasSuffix("; before: debug\n"))
            #expect(try await world.run("log-level", "debug").output == "debug; before: info\n")
            #expect(try await world.run("log-level", "loud").status == ControlOutcome.rejected.rawValue)
        }
    }
}
