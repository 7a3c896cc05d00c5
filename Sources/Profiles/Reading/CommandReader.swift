internal import BleCore
internal import Frames

/// Reads the commands of a profile.
struct CommandReader {
    typealias Section = ProfileSection
    typealias Value = ProfileSection.Value

    let problems: ProblemList
    /// What the profile's sources yield.
    let values: [ValueDescription]

    init(_ problems: ProblemList, _ values: [ValueDescription]) {
        self.problems = problems
        self.values = values
    }

    func commands(_ items: [Value]) -> [ProfileCommand] {
        var commands: [ProfileCommand] = []
        for item in items {
            guard let section = Section(item, problems, "a command, which is a section of keys") else { continue }
            guard let command = command(section) else { continue }
            if commands.contains(where: { $0.name == command.name }) { section.problem("name", "stands twice") }
            if let sets = command.sets, commands.contains(where: { $0.sets == sets }) {
                section.problem("sets", "another command sets \(quoted(sets)), too")
            }
            commands.append(command)
        }
        return commands
    }

    private func command(_ section: Section) -> ProfileCommand? {
        defer { section.finish() }
        let name = section.needed("name") == nil ? nil : section.name("name")
        let arguments = self.arguments(section)
        let action = action(section, arguments)
        let title = section.text("title")
        let isIdempotent = section.flag("idempotent") ?? false
        let isReadOnly = section.flag("readOnly") ?? false
        let timeout = section.duration("timeoutMs", 1...600_000)
        let sets = section.name("sets")
        let display = section.display(.button)
        guard let name, let action else { return nil }
        var command = ProfileCommand(name, arguments: arguments, action: action)
        command.title = title
        command.isIdempotent = isIdempotent
        command.isReadOnly = isReadOnly
        command.timeout = timeout
        command.sets = sets
        if case .shown(let display) = display { command.display = display }
        if case .read = action { command.isReadOnly = true }
        check(command, section)
        return command
    }

    private func arguments(_ section: Section) -> [CommandArgument] {
        guard let value = section.value("args") else { return [] }
        var arguments: [CommandArgument] = []
        for item in value.items(problems, most: 32, "arguments") {
            guard let inside = Section(item, problems, "an argument, which is a section of keys") else { continue }
            guard let argument = argument(inside) else { continue }
            if arguments.contains(where: { $0.name == argument.name }) { inside.problem("name", "stands twice") }
            if argument.name == "length" { inside.problem("name", "{length} is how long the frame is") }
            arguments.append(argument)
        }
        return arguments
    }

    private func argument(_ section: Section) -> CommandArgument? {
        defer { section.finish() }
        let field = section.parseField()
        let minimum = section.decimal("min")
        let maximum = section.decimal("max")
        let step = section.decimal("step")
        let standard = section.value("default").flatMap { section.scalar($0) }
        guard let field else { return nil }
        for key in ["offset", "bit", "bits", "none"] where section.has(key) {
            section.problem(key, "not of an argument")
        }
        var argument = CommandArgument(field)
        argument.minimum = minimum
        argument.maximum = maximum
        argument.step = step
        argument.standard = standard
        if field.type.nature != .number {
            for key in ["min", "max", "step"] where section.has(key) {
                section.problem(key, "\(field.type.rawValue) is not a number")
            }
        }
        if let step, step < .zero || step == .zero { section.problem("step", "has to be more than 0") }
        if let minimum, let maximum, maximum < minimum { section.problem("max", "is less than min") }
        if let standard {
            do throws(ArgumentProblems) { _ = try argument.bytes(of: standard) } catch {
                section.problem("default", error.problems.first ?? "cannot be written")
            }
        }
        return argument
    }

    private func action(_ section: Section, _ arguments: [CommandArgument]) -> ProfileCommand.Action? {
        if let read = section.section("read") {
            for key in ["write", "frame", "notify", "args"] where section.has(key) {
                section.problem(key, "not beside read")
            }
            let selector = read.selector()
            read.finish()
            let parse = parse(section)
            return selector.map { .read($0, parse: parse) }
        }
        guard let write = section.needed("write").flatMap({ Section($0, problems) }) else { return nil }
        let selector = write.selector()
        let mode = write.choice("mode", WriteMode.self) ?? .auto
        write.finish()
        let template = template(section, arguments)
        let rules = selector.map { RulesReader(self).rules(section, $0, mode, parse: parse(section)) }
        guard let template, let rules else { return nil }
        return .transact(rules, template)
    }

    /// The values that are read from an answer.
    private func parse(_ section: Section) -> [ParseField] {
        guard let value = section.value("parse") else { return [] }
        var fields: [ParseField] = []
        for item in value.items(problems, most: 64, "fields") {
            guard let inside = Section(item, problems, "a field, which is a section of keys") else { continue }
            if let field = inside.parseField() {
                if fields.contains(where: { $0.name == field.name }) { inside.problem("name", "stands twice") }
                fields.append(field)
            }
            inside.finish()
        }
        return fields
    }

    private func check(_ command: ProfileCommand, _ section: Section) {
        if let sets = command.sets {
            let parsed: [ParseField] =
                switch command.action {
                case .transact(let rules, _): rules.parse
                case .read: []
                }
            if !values.contains(where: { $0.name == sets }), !parsed.contains(where: { $0.name == sets }) {
                section.problem(
                    "sets",
                    "neither the sources nor parse tell a value \(quoted(sets)): nobody could confirm it"
                )
            }
            let open = command.arguments.filter { $0.standard == nil }
            if open.count > 1 || command.arguments.isEmpty {
                section.problem("sets", "needs a command with one argument that has no default")
            }
        }
        guard case .transact(var rules, _) = command.action else { return }
        // How long the frame will be is checked when it is made.
        rules.data = [UInt8](repeating: 0, count: ProfileCommand.maximumFrameBytes)
        for (key, text) in rules.contradictions(namesCompletion: section.has("complete")) {
            section.problem(nil, "\(key): \(text)")
        }
        if rules.isLongConnection { section.problem("complete", "a command ends: never is not for profiles") }
    }
}
