import Frames

/// A command on its way through the checks.
struct CommandDraft {
    var origin: CommandOrigin
    /// What is wrong with its fields so far.
    var problems: [String]
    var warnings: [String] = []
    var changesSomething = false

    /// How many problems a detail names.
    private static let maxProblems = 8
    /// How many ignored fields a result names.
    private static let maxWarnings = 16

    func refused(_ code: ErrorCode, at stage: ErrorStage? = nil, _ detail: String) -> DecodedCommand {
        .refused(
            Refusal(
                origin: origin,
                error: OperationError(code, at: stage, detail: detail),
                changesSomething: changesSomething,
                warnings: warnings
            )
        )
    }

    /// Refuses the command with all that is wrong with its fields.
    func refusedForProblems() -> DecodedCommand {
        var detail = problems.prefix(Self.maxProblems).joined(separator: "; ")
        if problems.count > Self.maxProblems { detail += "; and \(problems.count - Self.maxProblems) more" }
        return refused(.badRequest, detail)
    }

    mutating func warn(ignored names: [String]) {
        for name in names.prefix(Self.maxWarnings) {
            warnings.append("ignored field \(quoted(name))")
        }
        if names.count > Self.maxWarnings { warnings.append("ignored \(names.count - Self.maxWarnings) more fields") }
    }
}
