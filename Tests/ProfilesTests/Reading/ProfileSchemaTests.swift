import Foundation
import Profiles
import SchemaSupport
import Testing
import YAML

/// The schema and the page say of a profile what the reader says.
@Suite(.timeLimit(.minutes(10))) struct ProfileSchemaTests {
    let schema: SchemaCheck
    let page: String

    init() throws {
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
        schema = try SchemaCheck(try Data(contentsOf: docs.appending(path: "profile.schema.json")))
        page = try String(contentsOf: docs.appending(path: "profiles.md"), encoding: .utf8)
    }

    private func accepts(_ text: String) -> Bool {
        // What is no YAML is no profile.
        guard let root = try? YAMLDocument.parse(Array(text.utf8)) else { return false }
        return schema.accepts(root.plain)
    }

    @Test func `the schema takes a profile with every key`() {
        #expect(accepts(ProfileSamples.full))
    }

    @Test(arguments: BuiltInProfiles.texts) func `the schema takes every built-in profile`(text: String) {
        #expect(accepts(text))
    }

    /// What one value cannot show: names that lead nowhere, values that are compared with others.
    private static let beyond = [
        "stands twice", "there is no", "has to be as long", "is less than min", "only of advertisements",
        "the id stands",
        "only 8 bits", "u8 has only", "x: ", "b: ", "\"b\" does not", "\"a\" is", "{length} does not", "{length} needs",
        "neither the sources", "has to differ from 0", "needs a length", "uuid has 16 bytes",
        "needs the key \"service\"",
        "is an alias", "has a tag", "expected a number, found", "a command ends",
        "expected a number of bytes", "expected an id from 0 to 255",
        "expected a list of 1 to 64 names",
    ]

    @Test(arguments: WrongProfile.all) func `what the reader refuses for its form, the schema refuses`(
        wrong: WrongProfile
    ) {
        let isBeyond = Self.beyond.contains { wrong.message.hasPrefix($0) }
        #expect(isBeyond || !accepts(wrong.text), "\(wrong.text)")
    }

    private static let head = "profile: p\ntitle: T\n"

    /// Places where an unknown key makes the reader list those that there are, and the schema's object.
    private static let places: [(text: String, definition: String?)] = [
        (head + "x_: 1", nil), (head + "match: {x_: 1}", "match"), (head + "sources: [{x_: 1}]", "source"),
        (head + "sources: [{characteristic: {x_: 1}}]", "characteristic"),
        (head + "sources: [{when: {x_: 1}}]", "condition"),
        (head + "sources: [{name: true, fields: [{x_: 1}]}]", "field"),
        (head + "sources: [{name: true, fields: [{objects: {x_: 1}}]}]", "objects"),
        (head + "commands: [{x_: 1, name: c, write: {handle: 1}, frame: aa}]", "command"),
        (head + "commands: [{write: {handle: 1}, args: [{x_: 1}]}]", "argument"),
        (head + "commands: [{write: {handle: 1}, parse: [{x_: 1}]}]", "parseField"),
        (head + "commands: [{write: {handle: 1}, complete: {length: {x_: 1}}}]", "lengthField"),
        (head + "commands: [{write: {handle: 1}, fail: {match: {x_: 1}}}]", "pattern"),
    ]

    @Test(arguments: places) func `reader, schema and page know the same keys`(
        place: (text: String, definition: String?)
    ) throws {
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(place.text.utf8)) }
        let problem = thrown?.problems.first { $0.key.hasSuffix("x_") }
        let message = try #require(problem).message
        var keys = Set(message.split(separator: ": ").last.map { $0.components(separatedBy: ", ") } ?? [])
        let object = place.definition.map { schema.definition($0) ?? [:] } ?? schema.root
        var known = Set(try #require(object["properties"] as? [String: Any]).keys)
        // Forms of one step that the reader asks for first, and keys that it only asks for where they may stand.
        keys.subtract(["skip", "objects"])
        known.subtract(place.definition == "condition" ? ["bytes"] : place.definition == "objects" ? [] : ["skip"])
        let conditional: Set<String> =
            switch place.definition {
            case "source": ["manufacturer", "serviceData", "name", "characteristic"]
            case "command": ["read"]
            case "argument": ["offset", "bit", "bits", "none"]
            default: []
            }
        #expect(keys.symmetricDifference(known).subtracting(conditional).isEmpty, "\(keys.symmetricDifference(known))")
        for key in known { #expect(page.contains("`\(key)`") || page.contains("`\(key):"), "\(key)") }
    }

    @Test func `every example in the page is a profile`() throws {
        let examples = page.matches(of: /```yaml\n((?s:.*?))```/).map { String($0.1) }.filter {
            $0.hasPrefix("profile:")
        }
        #expect(examples.count >= 2)
        for example in examples {
            #expect(throws: Never.self, "\(example)") { try ProfileParser.parse(Array(example.utf8)) }
            #expect(accepts(example), "\(example)")
        }
    }
}
