import EdgeAgentControl
import Foundation
import Testing

/// `docs/ctl.md` says what the program does.
@Suite(.timeLimit(.minutes(10)))
struct PageTests {
    private func page() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/ctl.md")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test func `the page names every command, option, variable and exit code`() throws {
        let text = try page()
        for command in ControlCommand.allCases {
            #expect(text.contains("| `\(command.rawValue)"), "\(command)")
            for option in command.options { #expect(text.contains("`\(option.name)"), "\(option.name)") }
        }
        for option in ControlOption.connection {
            #expect(text.contains("`\(option.name)"), "\(option.name)")
            if let variable = option.environment { #expect(text.contains("`\(variable)"), "\(variable)") }
        }
        for outcome in ControlOutcome.allCases { #expect(text.contains("\n| \(outcome.rawValue) |")) }
    }
}
