import BlueZSimulator
import Foundation
import SchemaSupport
import TestSupport
import Testing
import YAML

/// The schema and the page say of a scenario what the reader says.
@Suite(.timeLimit(.minutes(10)))
struct SchemaTests {
    let schema: SchemaCheck
    let page: String

    init() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs")
        schema = try SchemaCheck(try Data(contentsOf: docs.appending(path: "scenario.schema.json")))
        page = try String(contentsOf: docs.appending(path: "simulator.md"), encoding: .utf8)
    }

    private func accepts(_ text: String) -> Bool {
        // What is no YAML is no scenario.
        guard let root = try? YAMLDocument.parse(Array(text.utf8), maximumDepth: 16) else { return false }
        return schema.accepts(root.plain)
    }

    @Test func `every scenario of the tests is one`() throws {
        let names = try ScenarioFiles.names()
        #expect(names.count > 30)
        for name in names {
            _ = try ScenarioFiles.read(name)
            let text = try String(contentsOfFile: "\(ScenarioFiles.directory)/\(name).yaml", encoding: .utf8)
            #expect(accepts(text), "\(name)")
        }
        #expect(accepts(ScenarioFormatTests.full))
    }

    /// What one value cannot show: names that lead nowhere, values that are compared with others.
    private static let beyond = [
        "stands twice", "there is an adapter", "there is no", "there is a device", "two faults", "\"min\" is greater",
        "\"from\" is greater", "\"answersOn\" goes", "nobody can enable",
        "expected a value with its type, as {s: text},",
        "expected a whole number from 0 to 255", "expected an object path", "expected a whole number from -32768",
        "the key", "expected bytes in hexadecimal", "expected a value with its type",
    ]

    @Test func `what the reader refuses for its form, the schema refuses`() {
        for wrong in ScenarioFormatTests.wrong where !Self.beyond.contains(where: wrong.message.hasPrefix) {
            #expect(!accepts(wrong.text), "\(wrong.text)")
        }
    }

    /// Places where an unknown key makes the reader list those that there are, and the schema's object.
    static let places: [(text: String, definition: String?)] = [
        ("x_: 1", nil), ("adapters: [{x_: 1}]", "adapter"),
        ("adapters: [{links: {max: 1, x_: 1}}]", "links"), ("devices: [{x_: 1, like: heart}]", "device"),
        ("devices: [{like: heart, advertise: {x_: 1}}]", "advertise"),
        ("devices: [{like: heart, pairing: {x_: 1}}]", "pairing"),
        ("devices: [{like: heart, services: [{uuid: 180f, x_: 1}]}]", "service"),
        (
            "devices: [{like: heart, services: [{uuid: 180f, characteristics: [{uuid: 2a19, flags: [], x_: 1}]}]}]",
            "characteristic"
        ),
        ("faults: [{member: A, steps: [], x_: 1}]", "fault"),
        ("faults: [{member: A, steps: [], until: {member: B, x_: 1}}]", "pattern"),
        ("timeline: [{steps: [], x_: 1}]", "entry"),
    ]

    @Test(arguments: places) func `reader, schema and page know the same keys`(
        _ place: (text: String, definition: String?)
    ) throws {
        let problems = #expect(throws: ScenarioProblems.self) { try Scenario.parse(Array(place.text.utf8)) }
        let message = try #require(problems?.problems.first { $0.message.hasPrefix("unknown key") }).message
        let keys = message.split(separator: ": ").last.map { $0.components(separatedBy: ", ") } ?? []
        let object = place.definition.map { schema.definition($0) ?? [:] } ?? schema.root
        let known = try #require(object["properties"] as? [String: Any]).keys
        #expect(keys.sorted() == known.sorted())
        for key in keys { #expect(page.contains("`\(key)`"), "\(key)") }
    }

    @Test func `reader, schema and page know the same steps`() throws {
        let problems = #expect(throws: ScenarioProblems.self) {
            try Scenario.parse(Array("faults: [{member: A, steps: [{x_: 1}]}]".utf8))
        }
        let message = try #require(problems?.problems.first).message
        let names = Set(message.split(separator: ": ").last.map { $0.components(separatedBy: ", ") } ?? [])
        let items = try #require(schema.definition("callSteps")?["items"] as? [String: Any])
        let forms = try #require(items["anyOf"] as? [[String: Any]])
        let words = Set(try #require(forms.first?["enum"] as? [String]))
        let keys = Set(try #require(forms.last?["properties"] as? [String: Any]).keys)
        #expect(names == words.union(keys))
        for name in names { #expect(page.contains("`\(name)"), "\(name)") }
    }

    @Test func `every example in the page is a scenario`() throws {
        let examples = page.matches(of: /```yaml\n((?s:.*?))```/).map { String($0.1) }
        #expect(examples.count >= 3)
        for example in examples {
            #expect(throws: Never.self, "\(example)") { try Scenario.parse(Array(example.utf8)) }
            #expect(accepts(example), "\(example)")
        }
    }
}
