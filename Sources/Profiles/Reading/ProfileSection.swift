internal import Frames
internal import YAML

/// The problems of one file while it is read.
final class ProblemList {
    private(set) var problems: [ProfileProblem] = []

    var isFull: Bool { problems.count >= ProfileProblems.limit }

    func add(_ line: Int?, _ key: String, _ message: String) {
        guard !isFull else { return }
        let key = key.utf8.count <= 96 && key.utf8.allSatisfy { $0 > 0x1F && $0 < 0x7F } ? key : quoted(key)
        problems.append(ProfileProblem(line: line, key: key, message))
    }
}

/// A mapping of the file while it is read: every key is asked for, and those that nobody asked for are unknown.
final class ProfileSection {
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
    private var asked: [String] = []

    /// Begins to read a mapping.
    ///
    /// - Returns: nil, with a problem noted, when the value is none.
    init?(_ value: Value, _ problems: ProblemList, _ expected: String = "a section of keys") {
        path = value.path
        line = value.line
        self.problems = problems
        guard case .mapping(let pairs) = value.node.content else {
            value.refuse(expected, problems)
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

    /// Whether a key is there; does not count as asking for it.
    func has(_ key: String) -> Bool { values.contains { $0.key == key } }

    /// The value of a key; nil when it is not there or empty.
    func value(_ key: String) -> Value? {
        if !asked.contains(key) { asked.append(key) }
        return values.first { $0.key == key && !$0.value.node.isNull }?.value
    }

    /// The value of a key; a problem when it is not there.
    func needed(_ key: String) -> Value? {
        if let value = value(key) { return value }
        problems.add(line, path, "needs the key \"\(key)\"")
        return nil
    }

    /// All keys with their values, for a section whose keys are names.
    func everything() -> [(key: String, value: Value)] {
        asked = values.map(\.key)
        return values
    }

    /// Notes a problem of the section, or of one of its keys.
    func problem(_ key: String? = nil, _ message: String) {
        let value = key.flatMap { key in values.first { $0.key == key } }?.value
        problems.add(value?.line ?? line, value?.path ?? path, message)
    }

    /// Notes the keys that nobody has asked for.
    func finish() {
        for (key, value) in values where !asked.contains(key) {
            problems.add(value.line, value.path, "unknown key; there are: \(asked.joined(separator: ", "))")
        }
    }
}

extension ProfileSection.Value {
    /// The text of a single value.
    var scalar: String? {
        if case .scalar(let text, _) = node.content { text } else { nil }
    }

    /// The items of a list, of which there is at least one; a problem for anything else.
    func items(_ problems: ProblemList, most: Int, _ expected: String) -> [Self] {
        guard case .sequence(let items) = node.content, (1...most).contains(items.count) else {
            refuse("a list of 1 to \(most) \(expected)", problems)
            return []
        }
        return items.enumerated().map { Self(node: $1, line: $1.line, path: "\(path)[\($0)]") }
    }

    /// The items of a list, or the value itself where it is none.
    func oneOrMore(_ problems: ProblemList, most: Int, _ expected: String) -> [Self] {
        if case .sequence = node.content { items(problems, most: most, expected) } else { [self] }
    }

    /// Notes that something else was expected.
    func refuse(_ expected: String, _ problems: ProblemList) {
        switch node.content {
        case .refused(let reason): problems.add(node.line, path, reason)
        case .scalar where node.isNull: problems.add(line, path, "expected \(expected), found nothing")
        case .scalar(let text, _): problems.add(line, path, "expected \(expected), found \(quoted(text))")
        case .sequence(let items): problems.add(line, path, "expected \(expected), found a list of \(items.count)")
        case .mapping: problems.add(line, path, "expected \(expected), found \(node.kindName)")
        }
    }
}
