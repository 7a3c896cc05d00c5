import BleCore
import EdgeAgent
import Foundation
import Testing

/// The page about the policy says what the program does.
@Suite(.timeLimit(.minutes(10)))
struct PolicyPageTests {
    private let page: String

    init() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
        page = try String(contentsOf: docs.appending(path: "policy.md"), encoding: .utf8)
    }

    private func blocks(_ language: String) -> [String] {
        page.components(separatedBy: "```\(language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    @Test func `every example is a valid configuration with a policy`() {
        let examples = blocks("yaml")
        #expect(examples.count == 4)
        for example in examples {
            let reader = readConfiguration(example)
            #expect(reader.problems == [] && reader.warnings == [])
            #expect(reader.configuration.policy != nil)
        }
    }

    @Test func `samples are answered as the page shows`() throws {
        let configuration = readConfiguration(try #require(blocks("yaml").first)).configuration
        let samples = try #require(blocks("console").first).components(separatedBy: "$ edge-agent ").dropFirst()
        #expect(samples.count == 6)
        for sample in samples {
            let command = try #require(sample.split(separator: "\n").first)
            let parts = command.split(separator: "'", omittingEmptySubsequences: false)
            try #require(parts.count == 3)
            let words = [parts[0].split(separator: " "), [parts[1]], parts[2].split(separator: " ")]
            let parsed = try CommandLineParser.parse(words.joined().map(String.init))
            guard case .trySample(let asked, _) = parsed else {
                Issue.record("no sample: \(command)")
                continue
            }
            #expect("\(command)\n" + TrySampleCommand.answer(asked, under: configuration).text == sample)
        }
    }

    @Test func `the table of rules has every key`() {
        for key in ConfigurationKey.policyRule {
            #expect(page.contains("| `\(key.name)`") || page.contains(" or `\(key.name)` |"), "\(key.name)")
        }
    }

    @Test func `the lists of verbs are the program's`() throws {
        let audited = VerbName.allCases.filter(\.isAudited).map { "`\($0.rawValue)`" }
        let line = try #require(page.split(separator: "- a command that may change").dropFirst().first)
        let part = try #require(line.components(separatedBy: "as far as").first)
        #expect(Set(part.matches(of: /`[a-z.]+`/).map { String($0.0) }) == Set(audited + ["`discover`", "`refresh`"]))
    }

    @Test func `the table of the audit log has every field that a line may have`() throws {
        let table = try #require(page.components(separatedBy: "| field | meaning |").last)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let listed = rows.flatMap { row in
            (row.split(separator: "|").first ?? "").matches(of: /`([a-z]+)`/).map { String($0.1) }
        }
        var written: Set<String> = ["suppressed"]
        let fixture = try DecoderFixture(limits: CommandDecoder.Limits(allMayChange: true))
        let commands = [
            (
                #"{"verb":"transact","service":"ffe0","write":"ffe1","notify":"ffe2","data":{"hex":"00"}}"#,
                CommandTopic.device("door", client: "a")
            ),
            (#"{"verb":"write","handle":3,"descriptor":"2902","value":{"hex":"00"}}"#, DecoderFixture.onDoor),
            (#"{"verb":"adapter.power","on":true}"#, .all(client: nil)),
            (#"{"verb":"connect"}"#, DecoderFixture.onLights),
        ]
        for (json, topic) in commands {
            var refusal = try fixture.command(json, on: topic).refusal(.denied, detail: "x")
            refusal.subject?.reason = "x"
            refusal.subject?.steps = [AuditSubject(.write)]
            for showsValues in [false, true] {
                let line = AuditLine(gateway: fixture.tree.gateway, key: [1], showsValues: showsValues)
                for fields in line.fields(of: .refused(refusal)) { written.formUnion(fields.map(\.key.name)) }
            }
        }
        #expect(Set(listed) == written)
    }
}
