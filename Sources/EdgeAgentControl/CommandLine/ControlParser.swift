internal import EdgeAgent

/// A command line of `edge-agent ctl`, taken apart.
package struct ControlInvocation: Sendable, Equatable {
    package var command: ControlCommand
    package var operands: [String]
    /// The values of options by their names, in their order.
    package var values: [String: [String]]

    package init(command: ControlCommand, operands: [String], values: [String: [String]]) {
        self.command = command
        self.operands = operands
        self.values = values
    }

    /// The only value of an option.
    func value(_ option: String) -> String? { values[option]?.last }
    /// Whether an option is given.
    func has(_ option: String) -> Bool { values[option] != nil }
}

/// What a command line of `edge-agent ctl` asks for.
package enum ControlRequestLine: Sendable, Equatable {
    case run(ControlInvocation)
    /// Help for one command, or for all.
    case help(ControlCommand?)
}

/// Reads `edge-agent ctl [OPTIONS] COMMAND [OPERANDS] [OPTIONS]`.
package enum ControlParser {
    /// What is wrong with a command line; each problem one line.
    package struct Failure: Error, Equatable {
        package let problems: [String]
        /// The command whose help is worth reading.
        package let command: ControlCommand?
    }

    /// Reads the arguments behind `ctl`.
    ///
    /// - Throws: ``Failure`` with every problem; no text holds the value of an unknown option, which may be a password.
    package static func parse(_ arguments: [String]) throws(Failure) -> ControlRequestLine {
        var operands: [String] = []
        var values: [String: [String]] = [:]
        var problems: [String] = []
        var command: ControlCommand?
        var onlyOperands = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--", !onlyOperands {
                onlyOperands = true
            } else if !onlyOperands, argument == "--help" || argument == "-h" {
                return .help(command)
            } else if !onlyOperands, argument.hasPrefix("-"), argument != "-" {
                read(argument, &rest, command, &values, &problems)
            } else if command == nil {
                guard let known = ControlCommand(rawValue: argument) else {
                    if argument == "help" { return .help(rest.first.flatMap { ControlCommand(rawValue: $0) }) }
                    throw Failure(problems: [unknownCommand(argument)], command: nil)
                }
                command = known
            } else {
                operands.append(argument)
            }
        }
        guard let command else {
            let names = ControlCommand.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(problems: problems + ["a command is missing: \(names)"], command: nil)
        }
        problems += misplaced(values, command)
        let count = command.operandCount(withHandle: values["--handle"] != nil)
        if !count.contains(operands.count) {
            let wanted = command.operands.isEmpty ? "no operands" : command.operands
            problems.append("\(command.rawValue) takes \(wanted), and got \(operands.count)")
        }
        guard problems.isEmpty else { throw Failure(problems: problems, command: command) }
        return .run(ControlInvocation(command: command, operands: operands, values: values))
    }

    private static var known: [ControlOption] {
        ControlOption.connection + ControlCommand.allCases.flatMap(\.options)
    }

    private static func read(
        _ argument: String,
        _ rest: inout ArraySlice<String>,
        _ command: ControlCommand?,
        _ values: inout [String: [String]],
        _ problems: inout [String]
    ) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let candidates = command.map { ControlOption.connection + $0.options } ?? known
        guard let option = candidates.first(where: { $0.name == name }) ?? known.first(where: { $0.name == name })
        else {
            problems.append(unknownOption(name, candidates))
            return
        }
        var value = parts.count == 2 ? String(parts[1]) : nil
        if option.value == .none {
            if value != nil { problems.append("\(name) takes no value") }
            values[name] = [""]
            return
        }
        // A negative number is a value, another option is none.
        if value == nil, let next = rest.first, !next.hasPrefix("-") || Int(next) != nil || next == "-" {
            value = next
            rest.removeFirst()
        }
        guard let value, !value.isEmpty else {
            problems.append("\(name) needs a value: \(name) \(option.placeholder)")
            return
        }
        if case .words(let words) = option.value, !words.contains(value) {
            problems.append("\(name) takes \(words.joined(separator: ", "))")
        }
        if values[name] != nil, !option.repeats { problems.append("\(name) is given twice") }
        values[name, default: []].append(value)
    }

    /// Options that belong to other commands.
    private static func misplaced(_ values: [String: [String]], _ command: ControlCommand) -> [String] {
        let allowed = Set((ControlOption.connection + command.options).map(\.name))
        return values.keys.filter { !allowed.contains($0) }.sorted().map { "\(command.rawValue) does not take \($0)" }
    }

    private static func unknownCommand(_ name: String) -> String {
        let near = Suggestion.nearest(to: name, in: ControlCommand.allCases.map(\.rawValue))
        let names = ControlCommand.allCases.map(\.rawValue).joined(separator: ", ")
        return "unknown command \(LogText.quoted(name))"
            + (near.map { ": did you mean \($0)?" } ?? ": expected \(names)")
    }

    private static func unknownOption(_ name: String, _ candidates: [ControlOption]) -> String {
        let hints = [
            "--password": "a password is never given on the command line: put it into a file for --password-file",
            "--pw": "a password is never given on the command line: put it into a file for --password-file",
            "--host": "write --broker mqtt://host:port",
            "--port": "write --broker mqtt://host:port",
            "--username": "write --broker mqtt://user@host",
            "--user": "write --broker mqtt://user@host",
        ]
        if let hint = hints[name] ?? hints["-" + name] { return "unknown option \(LogText.quoted(name)): \(hint)" }
        let near = Suggestion.nearest(to: name, in: candidates.map(\.name) + ["--help"])
        return "unknown option \(LogText.quoted(name))" + (near.map { ": did you mean \($0)?" } ?? "")
    }
}
