package import BleCore
package import Frames

/// What a command comes to with its arguments.
package enum PreparedCommand: Sendable, Equatable {
    case transact(TransactRules)
    case read(AttributeSelector, parse: [ParseField])
}

/// What is wrong with the arguments of a command; one line each, without their values' secrets.
package struct ArgumentProblems: Error, Sendable, Equatable {
    package var problems: [String]

    package init(problems: [String]) { self.problems = problems }
}

extension ProfileCommand {
    /// Makes the frame of a command, or the read.
    ///
    /// - Parameter arguments: By name; those that are absent have their standard.
    /// - Throws: All that is wrong with them: unknown, missing, of the wrong kind, out of range.
    package func prepared(
        with arguments: [String: ParsedValue]
    ) throws(ArgumentProblems) -> PreparedCommand {
        throw ArgumentProblems(problems: [])
    }

    /// The arguments of `set/{name}`: a bare value for the only argument, nothing for a command without any.
    ///
    /// - Parameter bare: The payload: `21.5`, `on`, `true`, a text; empty or `PRESS` for a button.
    /// - Throws: What is wrong with it.
    package func arguments(ofBare bare: String) throws(ArgumentProblems) -> [String: ParsedValue] {
        throw ArgumentProblems(problems: [])
    }
}
