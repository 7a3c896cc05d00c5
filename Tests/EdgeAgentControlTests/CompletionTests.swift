import EdgeAgentControl
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CompletionTests {
    /// What bash offers behind these words; the last one is being typed.
    private func offered(_ words: String...) async throws -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(CompletionScript.text(for: .bash))
            COMP_WORDS=(\(list)); COMP_CWORD=\(words.count - 1)
            _edge_agent
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let text = try await ChildProcess.run("/bin/bash", ["--norc", "-u", "-s"], input: script)
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `bash completes commands, options and their words`() async throws {
        #expect(try await offered("edge-agent", "c") == ["check-config", "ctl", "completion"])
        #expect(try await offered("edge-agent", "ctl", "re") == ["read"])
        #expect(try await offered("edge-agent", "ctl", "read", "door", "--ha") == ["--handle"])
        #expect(try await offered("edge-agent", "ctl", "--json", "write", "--mode", "re") == ["request", "reliable"])
        #expect(try await offered("edge-agent", "ctl", "read", "--gateway", "r").isEmpty)
        #expect(try await offered("edge-agent", "ctl", "scan", "--cafile", "/etc/passw").contains("/etc/passwd"))
        #expect(try await offered("edge-agent", "run", "--gate") == ["--gateway"])
        #expect(try await offered("edge-agent", "d") == ["doctor"])
        #expect(try await offered("edge-agent", "doctor", "--j") == ["--json"])
        #expect(try await offered("edge-agent", "doctor", "--c").sorted() == ["--cafile", "--config", "--connect"])
        #expect(try await offered("edge-agent", "completion", "z") == ["zsh"])
    }

    @Test func `bash offers every option of every command`() async throws {
        for command in ControlCommand.allCases {
            let found = try await offered("edge-agent", "ctl", command.rawValue, "--")
            let expected = (ControlOption.connection + command.options).map(\.name) + ["--help"]
            #expect(Set(found) == Set(expected), "\(command)")
        }
    }

    @Test func `zsh reads its script and finds every command and option in it`() async throws {
        let text = CompletionScript.text(for: .zsh)
        #expect(text.hasPrefix("#compdef edge-agent\n"))
        for command in ControlCommand.allCases {
            #expect(text.contains("'\(command.rawValue):"))
            for option in command.options { #expect(text.contains("\(option.name)[")) }
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh") else { return }
        try await ChildProcess.run("/usr/bin/zsh", ["-f", "-n"], input: text)
    }
}
