import EdgeAgent
import Foundation
import Testing

/// The pages about the configuration say what the program does.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationPageTests {
    private func file(_ path: String) throws -> String {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The rows of a page's tables whose first cell is code, by that cell.
    private func rows(_ page: String) -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
                .map { $0.trimmingCharacters(in: .whitespaces) }
            rows[cells[0].trimmingCharacters(in: ["`"]), default: []] += cells.dropFirst()
        }
        return rows
    }

    @Test func `the page has a row for each key, with its default, unit and range`() throws {
        let rows = rows(try file("docs/configuration.md"))
        for key in ConfigurationKey.all {
            let code = key.defaultInWords == nil
            let expected = [code ? "`\(key.defaultText)`" : key.defaultText, key.unit ?? "", key.range, key.summary]
            #expect(rows[key.path] == expected, "\(key.path)")
        }
        for key in ConfigurationKey.device { #expect(rows["devices[].\(key.name)"] != nil, "\(key.name)") }
        for key in ConfigurationKey.deviceLink { #expect(rows["devices[].link.\(key.name)"] != nil, "\(key.name)") }
        for key in ConfigurationKey.policyRule {
            #expect(rows["policy[].\(key.name)"] == [key.expected, key.summary], "\(key.name)")
        }
    }

    @Test func `the page has no row of a key, flag or exit code that does not exist`() throws {
        var known = Set(ConfigurationKey.all.map(\.path) + ConfigurationKey.device.map { "devices[].\($0.name)" })
        known.formUnion(ConfigurationKey.deviceLink.map { "devices[].link.\($0.name)" })
        known.formUnion(ConfigurationKey.policyRule.map { "policy[].\($0.name)" })
        let flags = CommandLineFlag.all + CommandLineFlag.sample
        known.formUnion(flags.map { $0.takesValue ? "\($0.name) \($0.placeholder)" : $0.name })
        known.formUnion(ExitCode.allCases.map { String($0.rawValue) })
        #expect(Set(rows(try file("docs/configuration.md")).keys) == known)
    }

    @Test func `the page says of each key whether it may be changed over MQTT, and what that takes`() throws {
        let page = try file("docs/configuration.md")
        for change in ConfigurationKey.RemoteChange.allCases {
            let parts = page.components(separatedBy: "\n- **\(change.rawValue)**: ")
            let list = try #require(parts.count == 2 ? parts[1] : nil, "\(change)")
            let item = list.components(separatedBy: "`.\n")[0] + "`"
            let named = Set(item.matches(of: /`([A-Za-z.]+)`/).map { String($0.1) })
            let keys = ConfigurationKey.all.filter { $0.remote == change }.map(\.path)
            let lists = ["devices", "groups", "policy"].filter { ConfigurationKey.remoteChange(of: $0) == change }
            #expect(named == Set(keys + lists), "\(change)")
        }
    }

    @Test func `who and where the gateway is, what callers may do, files and programs are never changed over MQTT`() {
        let never = Set(ConfigurationKey.all.filter { $0.remote == .never }.map(\.path))
        for key in ConfigurationKey.all where key.form == .path || key.isHidden { #expect(never.contains(key.path)) }
        for prefix in ["broker", "gateway", "prefix", "audit.", "metrics.", "remote.", "profiles.", "recovery.helper"] {
            for key in ConfigurationKey.all where key.path.hasPrefix(prefix) { #expect(never.contains(key.path)) }
        }
        #expect(never.isSuperset(of: ["mqtt.clientId", "mqtt.username", "mqtt.tlsMinimum", "mqtt.keyFile"]))
        #expect(ConfigurationKey.remoteChange(of: "policy") == .never)
    }

    @Test func `the page explains exit codes as the help does`() throws {
        let rows = rows(try file("docs/configuration.md"))
        for code in ExitCode.allCases { #expect(rows[String(code.rawValue)] == [code.meaning]) }
    }

    @Test func `the page's example is valid`() throws {
        let parts = try file("docs/configuration.md").components(separatedBy: "```yaml\n")
        let example = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        // The files that it names are on the reader's machine.
        #expect(readConfiguration(example).problems.allSatisfy { $0.message.hasSuffix("No such file or directory") })
        #expect(!example.isEmpty)
    }

    @Test func `the shipped file is valid, also with all its examples switched on`() throws {
        let text = try file("deploy/edge-agent.yaml")
        #expect(readConfiguration(text).problems.isEmpty)
        // A setting that is switched off is a # before a key, or before an entry of a list; its files need TLS.
        let switchedOn = text.replacing("mqtt://", with: "mqtts://").split(separator: "\n").map { line in
            line.firstMatch(of: /^# *(- )?[A-Za-z]+:( |$)/) == nil ? line : line.dropFirst()
        }
        let reader = readConfiguration(switchedOn.joined(separator: "\n"))
        #expect(reader.problems.filter { !$0.message.hasSuffix("No such file or directory") } == [])
        #expect(!reader.configuration.devices.isEmpty && !reader.configuration.groups.isEmpty)
        #expect(!reader.configuration.devices.isEmpty)
        #expect(reader.configuration.policy?.rules.count == 3)
        for key in ConfigurationKey.all {
            #expect(text.contains("\(key.name): "), "\(key.path)")
        }
    }
}
