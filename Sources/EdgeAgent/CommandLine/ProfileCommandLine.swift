internal import Profiles

/// The command `profile`: profiles without a device.
package enum ProfileCommandLine {
    /// What is to be printed, what was wrong, and how the program ends.
    package struct Outcome: Sendable, Equatable {
        package var text = ""
        /// One line each, without the program's name.
        package var problems: [String] = []
        package var code: ExitCode = .success
    }

    /// Does what is asked for; blocks as files do.
    package static func run(_ invocation: ProfileInvocation) -> Outcome {
        switch invocation {
        case .check(let paths): check(paths)
        case .list: list()
        case .show(let id): show(id)
        case .trial(let trial): ProfileTrialCommand.run(trial)
        }
    }

    private static func check(_ paths: [String]) -> Outcome {
        let (profiles, problems) = ProfileFiles.read(paths)
        var outcome = Outcome()
        for profile in profiles { outcome.text += "valid: \(summary(of: profile))\n" }
        outcome.problems = problems.map { shown($0.description) }
        guard !problems.isEmpty else {
            if profiles.isEmpty {
                outcome.problems = ["there is no profile in \(paths.map { shown($0) }.joined(separator: ", "))"]
                outcome.code = .noInput
            }
            return outcome
        }
        let areUnreadable = problems.allSatisfy { $0.line == nil && $0.message.hasPrefix("cannot be read") }
        outcome.code = areUnreadable ? .noInput : .configuration
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        outcome.problems.append("\(problems.count == 1 ? "a profile is" : "profiles are") not valid: \(count)")
        return outcome
    }

    private static func list() -> Outcome {
        let width = BuiltInProfiles.all.map(\.id.utf8.count).max() ?? 0
        let lines = BuiltInProfiles.all.map { profile in
            profile.id + String(repeating: " ", count: width + 2 - profile.id.utf8.count) + profile.title + "\n"
        }
        return Outcome(text: lines.joined())
    }

    private static func show(_ id: String) -> Outcome {
        if let text = BuiltInProfiles.text(of: id) { return Outcome(text: text + "\n") }
        let near = Suggestion.nearest(to: id, in: BuiltInProfiles.all.map(\.id))
        let hint = near.map { ": did you mean \($0)?" } ?? ": `profile list` lists them"
        return Outcome(problems: ["there is no built-in profile \(LogText.quoted(id))\(hint)"], code: .usage)
    }

    /// What a profile has, in one line.
    static func summary(of profile: Profile) -> String {
        var parts: [String] = []
        if !profile.values.isEmpty { parts.append("values " + profile.values.map(\.name).joined(separator: ", ")) }
        if !profile.events.isEmpty { parts.append("events " + profile.events.map(\.name).joined(separator: ", ")) }
        if !profile.commands.isEmpty {
            parts.append("commands " + profile.commands.map(\.name).joined(separator: ", "))
        }
        if profile.match.isEmpty { parts.append("for devices whose configuration names it") }
        return shown("\(profile.id) (\(profile.title)): \(parts.joined(separator: "; "))")
    }

    /// A text on one line, whatever a file has in it.
    static func shown(_ text: String) -> String {
        var bytes: [UInt8] = []
        _ = LogText.appendEscaped(String(text.map { $0 == "\"" ? "'" : $0 }), to: &bytes, limit: 4096)
        return String(decoding: bytes, as: UTF8.self)
    }
}
