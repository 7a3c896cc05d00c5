import Frames

/// The fields of `run`.
extension FieldReader {
    /// The most arguments.
    private static let maxArguments = 64

    mutating func run() -> VerbRequest? {
        let before = problems.count
        let form = "the name of a command: 1 to 64 of a-z, 0-9, _ and -"
        let name = self.form("name", expected: form) { NamePattern.isItemName($0) ? $0 : nil }
        if name == nil, problems.count == before { problem("name", expected: form) }
        let arguments = arguments() ?? [:]
        guard problems.count == before, let name else { return nil }
        return .run(RunRequest(name: name, arguments: .named(arguments)))
    }

    private mutating func arguments() -> [String: ParsedValue]? {
        guard let value = take("args"), !value.isNull else { return nil }
        let form = "an object of numbers, texts and truth values"
        guard let object = value.object, object.count <= Self.maxArguments else {
            problem("args", expected: form, found: value)
            return nil
        }
        var arguments: [String: ParsedValue] = [:]
        for entry in object.entries {
            guard let argument = ParsedValue(entry.value) else {
                problem("args.\(entry.key)", expected: "a number, a text or a truth value", found: entry.value)
                continue
            }
            arguments[entry.key] = argument
        }
        return arguments
    }
}
