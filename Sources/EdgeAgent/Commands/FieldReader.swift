/// Reads the members of one object by name, and collects all that is wrong with them.
///
/// A member that is absent and one that is `null` are the same. Readers return `nil` for both and for a value that does
/// not fit; the latter leaves a problem behind.
struct FieldReader {
    let object: JSONObject
    /// What stands before the names in texts: empty, or `chunk.`.
    private let path: String
    private var isUsed: [Bool]
    /// One entry a field: its name, what was expected, what was found.
    private(set) var problems: [String] = []
    /// Names that nobody asked for, in objects below this one.
    private var unusedBelow: [String] = []

    init(_ object: JSONObject, path: String = "") {
        self.object = object
        self.path = path
        isUsed = Array(repeating: false, count: object.count)
    }

    /// The names that nobody has asked for, also in objects below.
    var unused: [String] {
        var names: [String] = []
        for (place, entry) in object.entries.enumerated() where !isUsed[place] { names.append(path + entry.key) }
        return names + unusedBelow
    }

    /// The value of a member, whatever it is; `nil` when it is absent or null.
    mutating func take(_ name: String) -> JSONValue? {
        guard let place = object.place(of: name) else { return nil }
        isUsed[place] = true
        let value = object.entries[place].value
        return value.isNull ? nil : value
    }

    mutating func problem(_ name: String, expected: String, found: JSONValue? = nil) {
        if let found {
            problems.append("\(path)\(name): expected \(expected), found \(found)")
        } else {
            problems.append("\(path)\(name): expected \(expected), found nothing")
        }
    }

    /// A problem that is not one of the kind of a value.
    mutating func problem(_ name: String, _ text: String) { problems.append("\(path)\(name): \(text)") }

    mutating func whole(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let value = take(name) else { return nil }
        guard let number = value.integer, let whole = Int(exactly: number), range.contains(whole) else {
            problem(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)", found: value)
            return nil
        }
        return whole
    }

    /// A duration in whole milliseconds.
    mutating func milliseconds(_ name: String, _ range: ClosedRange<Int>) -> Duration? {
        whole(name, range).map { .milliseconds($0) }
    }

    mutating func flag(_ name: String) -> Bool? {
        guard let value = take(name) else { return nil }
        guard let flag = value.bool else {
            problem(name, expected: "true or false", found: value)
            return nil
        }
        return flag
    }

    /// A text of 1 to `maxBytes` bytes.
    mutating func text(_ name: String, maxBytes: Int) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= maxBytes else {
            problem(name, expected: "a text of 1 to \(maxBytes) bytes", found: value)
            return nil
        }
        return text
    }

    /// One of the values of an enumeration.
    mutating func choice<Choice>(_ name: String, _ type: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        guard let value = take(name) else { return nil }
        guard let text = value.string, let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            problem(name, expected: "one of \(names)", found: value)
            return nil
        }
        return choice
    }

    /// A value that has a form of its own, written as text.
    mutating func form<Value>(_ name: String, expected: String, _ read: (String) -> Value?) -> Value? {
        guard let value = take(name) else { return nil }
        guard let text = value.string, let result = read(text) else {
            problem(name, expected: expected, found: value)
            return nil
        }
        return result
    }

    /// A list of values, each with a form of its own; one bad element makes one problem.
    mutating func list<Value>(
        _ name: String,
        maxCount: Int,
        expected: String,
        _ read: (JSONValue) -> Value?
    ) -> [Value]? {
        guard let value = take(name) else { return nil }
        guard let elements = value.array, (1...maxCount).contains(elements.count) else {
            problem(name, expected: "a list of 1 to \(maxCount) elements, each \(expected)", found: value)
            return nil
        }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard let one = read(element) else {
                problem("\(name)[\(index)]", expected: expected, found: element)
                return nil
            }
            values.append(one)
        }
        return values
    }

    /// A member that is an object; its problems and unknown names count with the others.
    mutating func nested<Value>(
        _ name: String,
        expected: String,
        _ read: (inout FieldReader) -> Value?
    ) -> Value? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else {
            problem(name, expected: expected, found: value)
            return nil
        }
        return nested(name, object, read)
    }

    /// The same for an object that has been taken already.
    mutating func nested<Value>(
        _ name: String,
        _ object: JSONObject,
        _ read: (inout FieldReader) -> Value?
    ) -> Value? {
        var reader = FieldReader(object, path: "\(path)\(name).")
        let result = read(&reader)
        problems += reader.problems
        unusedBelow += reader.unused
        return result
    }
}
