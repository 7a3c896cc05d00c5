/// One thing that is wrong with a profile: where, which key, and what is expected.
package struct ProfileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file's name as it was given; nil for a text without one.
    package var file: String?
    /// From 1; nil for the file as a whole.
    package var line: Int?
    /// The key's path, as `sources[0].fields[2].type`; empty for the file as a whole.
    package var key: String
    package var message: String

    package init(file: String? = nil, line: Int?, key: String, _ message: String) {
        self.file = file
        self.line = line
        self.key = key
        self.message = message
    }

    /// On one line: `door.yaml:3: sources[0].fields[2].type: expected one of u8, …`.
    package var description: String {
        let place = [file, line.map { "\($0)" }].compactMap(\.self).joined(separator: ":")
        return [place, key, message].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// Everything that is wrong with a profile, by line.
package struct ProfileProblems: Error, Sendable, Equatable {
    /// After so many, reading ends.
    package static let limit = 100

    package var problems: [ProfileProblem]

    package init(problems: [ProfileProblem]) { self.problems = problems }
}
