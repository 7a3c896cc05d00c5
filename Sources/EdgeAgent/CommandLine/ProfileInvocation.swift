/// What `edge-agent profile` is asked for.
package enum ProfileInvocation: Sendable, Equatable {
    /// Reads files and folders, and tells what is wrong with them.
    case check([String])
    /// Lists the built-in profiles.
    case list
    /// Prints the text of a built-in profile.
    case show(String)
    /// Tries a profile on a sample.
    case trial(ProfileTrial)
}

/// A sample for a profile.
package struct ProfileTrial: Sendable, Equatable {
    /// A file, or the id of a built-in profile.
    package var profile: String
    /// Bytes of a characteristic, or the answer to a command.
    package var hex: String?
    /// The value whose characteristic they are of.
    package var value: String?
    /// Pieces of an advertisement: `manufacturer:0499=HEX`, `service:fcd2=HEX`, `name=TEXT`, `uuid=180f`.
    package var advertised: [String] = []
    package var address: String?
    /// The file of keys for encrypted packets.
    package var keys: String?
    /// A command, and its arguments as `name=value`.
    package var command: String?
    package var arguments: [String] = []

    package init(_ profile: String) { self.profile = profile }
}

extension CommandLineFlag {
    /// The flags of `profile try`.
    package static let trial = [
        CommandLineFlag(
            name: "--hex",
            placeholder: "HEX",
            summary: "Bytes of a characteristic; with --command the whole answer",
            defaultText: nil
        ),
        CommandLineFlag(
            name: "--value",
            placeholder: "NAME",
            summary: "The value whose characteristic has the bytes",
            defaultText: "the first that reads something"
        ),
        CommandLineFlag(
            name: "--advert",
            placeholder: "PIECE",
            summary: "A piece of an advertisement: manufacturer:0499=HEX, service:fcd2=HEX, name=TEXT or uuid=UUID; "
                + "again for more",
            defaultText: nil
        ),
        CommandLineFlag(
            name: "--address",
            placeholder: "ADDRESS",
            summary: "The device's address",
            defaultText: "C0:00:00:00:00:01"
        ),
        CommandLineFlag(name: "--keys", placeholder: "FILE", summary: "Keys for encrypted packets", defaultText: nil),
        CommandLineFlag(
            name: "--command",
            placeholder: "NAME",
            summary: "A command or value: show the frame that would be sent",
            defaultText: nil
        ),
        CommandLineFlag(
            name: "--arg",
            placeholder: "NAME=VALUE",
            summary: "An argument of the command; again for more",
            defaultText: nil
        ),
    ]
}

extension CommandLineParser {
    /// Reads what stands behind `profile`.
    static func profile(_ arguments: ArraySlice<String>) throws(Failure) -> ProfileInvocation {
        guard let first = arguments.first else {
            throw Failure(problems: ["profile needs one of check, try, list and show"], command: .profile)
        }
        let rest = arguments.dropFirst()
        switch first {
        case "check":
            guard !rest.isEmpty else { throw Failure(problems: ["profile check needs a file"], command: .profile) }
            if let flag = rest.first(where: { $0.hasPrefix("-") }) {
                throw Failure(problems: ["unknown flag \(LogText.quoted(flag))"], command: .profile)
            }
            return .check(Array(rest))
        case "list":
            guard let surplus = rest.first else { return .list }
            throw Failure(problems: ["unexpected argument \(LogText.quoted(surplus))"], command: .profile)
        case "show":
            guard rest.count == 1, let id = rest.first else {
                throw Failure(problems: ["profile show needs the id of one profile"], command: .profile)
            }
            return .show(id)
        case "try": return .trial(try trial(rest))
        default:
            let problem = "unknown command profile \(LogText.quoted(first)): expected check, try, list or show"
            throw Failure(problems: [problem], command: .profile)
        }
    }

    private static func trial(_ arguments: ArraySlice<String>) throws(Failure) -> ProfileTrial {
        var problems: [String] = []
        var files: [String] = []
        var trial = ProfileTrial("")
        var rest = arguments
        var seen: Set<String> = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                files.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard CommandLineFlag.trial.contains(where: { $0.name == name }) else {
                let near = Suggestion.nearest(to: name, in: CommandLineFlag.trial.map(\.name) + ["--help"])
                problems.append("unknown flag \(LogText.quoted(name))" + (near.map { ": did you mean \($0)?" } ?? ""))
                continue
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                problems.append("\(name) needs a value")
                continue
            }
            let mayRepeat = name == "--advert" || name == "--arg"
            if !seen.insert(name).inserted, !mayRepeat { problems.append("\(name) is given twice") }
            switch name {
            case "--hex": trial.hex = value
            case "--value": trial.value = value
            case "--advert": trial.advertised.append(value)
            case "--address": trial.address = value
            case "--keys": trial.keys = value
            case "--command": trial.command = value
            default: trial.arguments.append(value)
            }
        }
        if files.count == 1 {
            trial.profile = files[0]
        } else {
            problems.append("profile try needs one profile: a file, or the id of a built-in one")
        }
        if trial.hex == nil, trial.advertised.isEmpty, trial.command == nil {
            problems.append("profile try needs --hex, --advert or --command")
        }
        if trial.command == nil, !trial.arguments.isEmpty { problems.append("--arg needs --command beside it") }
        if trial.hex == nil, trial.value != nil { problems.append("--value needs --hex beside it") }
        guard problems.isEmpty else { throw Failure(problems: problems, command: .profile) }
        return trial
    }
}
