/// What a command line asks for.
package enum Invocation: Sendable, Equatable {
    case run(ConfigurationArguments)
    case checkConfig(ConfigurationArguments)
    /// Asks the policy about a sample command.
    case trySample(SampleCommand, ConfigurationArguments)
    case profile(ProfileInvocation)
    case doctor(DoctorInvocation, ConfigurationArguments)
    case version
    /// Help for one command, or for the whole.
    case help(ProgramCommand?)
}

/// The commands of the program.
package enum ProgramCommand: String, Sendable, CaseIterable {
    case run
    case checkConfig = "check-config"
    case profile
    case doctor
    case version
    case help
}

/// Where the configuration comes from.
package struct ConfigurationArguments: Sendable, Equatable {
    /// The file of `--config`.
    package var file: String?
    /// The other flags in their order.
    package var overrides: [ConfigurationLoader.Override] = []

    /// Names no file and no flags.
    package init() {}
}

/// Reads the command line: `edge-agent COMMAND [--flag value | --flag=value]…`.
package enum CommandLineParser {
    /// What is wrong with a command line; each problem one line without the program's name.
    package struct Failure: Error, Equatable {
        package let problems: [String]
        /// The command whose help is worth reading.
        package let command: ProgramCommand?
    }

    /// Reads the arguments behind the program's name.
    ///
    /// - Throws: ``Failure`` with every problem; no text holds the value of an unknown flag, which may be a password.
    package static func parse(_ arguments: [String]) throws(Failure) -> Invocation {
        guard let first = arguments.first else {
            throw Failure(problems: ["a command is missing: \(commands)"], command: nil)
        }
        let rest = arguments.dropFirst()
        switch first {
        case "--help", "-h": return .help(nil)
        case "--version", "-V": return .version
        default: break
        }
        guard let command = ProgramCommand(rawValue: first) else {
            throw Failure(problems: [unknownCommand(first)], command: nil)
        }
        if rest.contains(where: { $0 == "--help" || $0 == "-h" }) { return .help(command) }
        switch command {
        case .run: return .run(try configuration(rest, of: command).configuration)
        case .checkConfig:
            let (configuration, sample, _) = try configuration(rest, of: command)
            return sample.map { .trySample($0, configuration) } ?? .checkConfig(configuration)
        case .doctor:
            let (configuration, _, doctor) = try configuration(rest, of: command)
            return .doctor(doctor.invocation, configuration)
        case .profile: return .profile(try profile(rest))
        case .version:
            guard let surplus = rest.first else { return .version }
            throw Failure(problems: ["unexpected argument \(shown(surplus))"], command: command)
        case .help: return .help(try topic(rest))
        }
    }

    private static let commands = "run, check-config, profile, doctor, version or help"

    private static func topic(_ arguments: ArraySlice<String>) throws(Failure) -> ProgramCommand? {
        guard let name = arguments.first else { return nil }
        guard arguments.count == 1, let topic = ProgramCommand(rawValue: name) else {
            let surplus = arguments.dropFirst().first
            let problem = surplus.map { "unexpected argument \(shown($0))" } ?? unknownCommand(name)
            throw Failure(problems: [problem], command: nil)
        }
        return topic
    }

    private static func configuration(
        _ arguments: ArraySlice<String>,
        of command: ProgramCommand
    ) throws(Failure) -> (configuration: ConfigurationArguments, sample: SampleCommand?, doctor: DoctorArguments) {
        let own = command == .checkConfig ? CommandLineFlag.sample : command == .doctor ? CommandLineFlag.doctor : []
        let flags = CommandLineFlag.all + own
        var result = ConfigurationArguments()
        var sample = SampleArguments()
        var doctor = DoctorArguments()
        var problems: [String] = []
        var seen: Set<String> = []
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                problems.append("unexpected argument \(shown(argument)): values follow their flag")
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            var value = parts.count == 2 ? String(parts[1]) : nil
            let flag = flags.first { $0.name == name }
            if value == nil, flag?.takesValue != false, let next = rest.first, !next.hasPrefix("--") {
                value = next
                rest.removeFirst()
            }
            guard let flag else {
                problems.append(unknownFlag(name, in: flags))
                continue
            }
            guard flag.takesValue || value == nil else {
                problems.append("\(name) takes no value")
                continue
            }
            guard let value = flag.takesValue ? value : "true", !value.isEmpty else {
                problems.append("\(name) needs a value: \(name) \(flag.placeholder)")
                continue
            }
            guard seen.insert(name).inserted else {
                problems.append("\(name) is given twice")
                continue
            }
            if name == CommandLineFlag.config.name {
                result.file = value
            } else if CommandLineFlag.sample.contains(where: { $0.name == name }) {
                sample.values[name] = value
            } else if CommandLineFlag.doctor.contains(where: { $0.name == name }) {
                doctor.values[name] = value
            } else {
                result.overrides.append(ConfigurationLoader.Override(flag: name, value: value))
            }
        }
        problems += sample.problems + doctor.problems
        guard problems.isEmpty else { throw Failure(problems: problems, command: command) }
        return (result, sample.command, doctor)
    }

    private static func unknownCommand(_ name: String) -> String {
        if name.hasPrefix("-") {
            let flag = shown(String(name.prefix { $0 != "=" }))
            return "a command must come first, before \(flag): \(commands)"
        }
        // These are read before this parser is asked.
        let names = ProgramCommand.allCases.map(\.rawValue) + ["ctl", "completion", "manual"]
        let hint = Suggestion.nearest(to: name, in: names).map {
            ": did you mean \($0)?"
        }
        return "unknown command \(shown(name))" + (hint ?? ": expected \(commands)")
    }

    private static func unknownFlag(_ name: String, in flags: [CommandLineFlag]) -> String {
        let hints = [
            "--password": "a password is never given on the command line: put it into a file for --password-file",
            "--pass": "a password is never given on the command line: put it into a file for --password-file",
            "--host": "write --broker mqtt://host:port",
            "--port": "write --broker mqtt://host:port",
            "--username": "write --broker mqtt://user@host, or set mqtt.username in the file",
            "--user": "write --broker mqtt://user@host, or set mqtt.username in the file",
        ]
        let bare = "--" + name.drop { $0 == "-" }
        if let hint = hints[bare] { return "unknown flag \(shown(name)): \(hint)" }
        let near = Suggestion.nearest(to: bare, in: flags.map(\.name) + ["--help"])
        return "unknown flag \(shown(name))" + (near.map { ": did you mean \($0)?" } ?? "")
    }

    private static func shown(_ text: String) -> String { LogText.quoted(text) }
}
