import EdgeAgent
import EdgeAgentControl
import Foundation
import TestSupport
import Testing

/// The manual pages say what `--help` and the validator say.
@Suite(.timeLimit(.minutes(1)))
struct ManualTests {
    /// A page as a reader sees it, in one line.
    private func read(_ page: ManualPage) async throws -> String {
        let troff = page.text
        let plain = try await ChildProcess.run(
            "/usr/bin/groff",
            ["-man", "-Tascii", "-P-c", "-rLL=200n"],
            input: troff
        )
        let bare = plain.replacing(/.\u{8}/, with: "")
        return bare.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
    func `the page of the program has each command, flag, option and exit code`() async throws {
        let text = try await read(.program)
        for command in ProgramCommand.allCases { #expect(text.contains(" \(command.rawValue) ")) }
        for flag in CommandLineFlag.all + CommandLineFlag.sample + CommandLineFlag.doctor {
            #expect(text.contains(" \(flag.name) "))
        }
        for code in ExitCode.allCases {
            #expect(text.contains(" \(code.rawValue) \(code.meaning.split(separator: " ").joined(separator: " "))."))
        }
        for command in ControlCommand.allCases {
            #expect(text.contains(" \(command.rawValue) "))
            for option in command.options { #expect(text.contains(" \(option.name) ")) }
        }
        for option in ControlOption.connection {
            if let variable = option.environment { #expect(text.contains(" \(variable).")) }
        }
        // Each flag of the help is on the page, whatever table it came from.
        for help in [
            HelpText.text(for: nil), HelpText.text(for: .run), HelpText.text(for: .checkConfig),
            HelpText.text(for: .doctor),
        ] {
            let named = help.matches(of: /--[a-z-]+/).map { String($0.0) }
            // The help's word for any of them.
            for flag in named where flag != "--flag" { #expect(text.contains(flag), "\(flag)") }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
    func `the page of the configuration has each key that the validator knows`() async throws {
        let text = try await read(.configuration)
        for key in ConfigurationKey.all { #expect(text.contains(" \(key.path) "), "\(key.path)") }
        for list in ["devices", "groups", "policy"] { #expect(text.contains(" \(list) ")) }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")), arguments: ManualPage.allCases)
    func `a page is clean troff`(page: ManualPage) async throws {
        let child = try await ChildProcess.spawn("/usr/bin/groff", ["-man", "-ww", "-z", "-Tascii"], input: page.text)
        #expect(try await child.exitStatus() == 0)
        #expect(child.errors.isEmpty, "\(child.errors)")
    }

    @Test func `an unknown page is refused`() async throws {
        let child = try await ChildProcess.spawn(try AgentProgram.path(), ["manual", "edge-agent.7"])
        #expect(try await child.exitStatus() == ControlOutcome.usage.rawValue)
        #expect(child.errors.contains("edge-agent.yaml.5"))
    }
}
