internal import YAML

/// A mapping of the file while it is read: every key is asked for once, and those that nobody asked for are unknown.
final class ScenarioSection {
    /// A value with the way to it.
    struct Value {
        let node: YAMLNode
        /// The line of its key.
        let line: Int
        let path: String
    }

    let path: String
    let line: Int
    let problems: ProblemList
    private var values: [(key: String, value: Value)] = []
    /// The keys that were asked for, for the message about one that was not.
    private var asked: [String] = []

    /// Begins to read a mapping.
    ///
    /// - Returns: nil, with a problem noted, when the value is none.
    init?(_ value: Value, _ problems: ProblemList) {
        path = value.path
        line = value.line
        self.problems = problems
        let pairs: [YAMLNode.Pair]
        switch value.node.content {
        case .mapping(let found): pairs = found
        case .refused(let reason):
            problems.add(value.node.line, value.path, reason)
            return nil
        default:
            problems.add(value.node.line, value.path, "expected a section of keys, found \(value.node.kindName)")
            return nil
        }
        for pair in pairs {
            guard case .scalar(let name, _) = pair.key.content else {
                problems.add(pair.key.line, path, "a key must be a single word")
                continue
            }
            let way = path.isEmpty ? name : "\(path).\(name)"
            if let first = values.first(where: { $0.key == name }) {
                problems.add(pair.key.line, way, "stands twice, first in line \(first.value.line)")
                continue
            }
            values.append((name, Value(node: pair.value, line: pair.key.line, path: way)))
        }
    }

    /// The keys that are there.
    var keys: [String] { values.map(\.key) }

    /// The value of a key; nil when it is not there.
    func value(_ key: String) -> Value? {
        asked.append(key)
        return values.first { $0.key == key }?.value
    }

    /// The value of a key; a problem when it is not there.
    func needed(_ key: String) -> Value? {
        if let value = value(key) { return value }
        problems.add(line, path, "needs the key \"\(key)\"")
        return nil
    }

    /// All keys with their values, for a section whose keys are names.
    func everything() -> [(key: String, value: Value)] {
        asked = keys
        return values
    }

    /// Notes the keys that nobody has asked for.
    func finish() {
        let expected = asked.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        for (key, value) in values where !asked.contains(key) {
            problems.add(value.line, value.path, "unknown key; there are: \(expected.joined(separator: ", "))")
        }
    }
}

extension ScenarioSection.Value {
    /// The text of a single value.
    var scalar: String? {
        if case .scalar(let text, _) = node.content { text } else { nil }
    }

    /// The items of a list; a problem for anything else.
    func items(_ problems: ProblemList) -> [Self] {
        switch node.content {
        case .sequence(let items):
            return items.enumerated().map { Self(node: $1, line: $1.line, path: "\(path)[\($0)]") }
        case _ where node.isNull: return []
        case .refused(let reason): problems.add(node.line, path, reason)
        default: problems.add(node.line, path, "expected a list, found \(node.kindName)")
        }
        return []
    }
}
