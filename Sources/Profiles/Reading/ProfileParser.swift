internal import YAML

/// Reads profiles from YAML.
package enum ProfileParser {
    /// The deepest nesting of a profile.
    package static let depth = 12

    /// Reads the text of one file: a mapping, which is one profile.
    ///
    /// - Throws: ``ProfileProblems`` with everything that is wrong, by line.
    package static func parse(_ text: [UInt8], file: String? = nil) throws(ProfileProblems) -> Profile {
        let problems = ProblemList()
        var profile: Profile?
        do throws(YAMLDocument.Failure) {
            if let root = try YAMLDocument.parse(text, maximumDepth: depth), !root.isNull {
                let value = ProfileSection.Value(node: root, line: root.line, path: "")
                profile = ProfileReader(problems).profile(value)
            } else {
                problems.add(nil, "", "there is no profile in it")
            }
        } catch {
            problems.add(error.line, "", error.message)
        }
        if let profile, problems.problems.isEmpty { return profile }
        // Names are checked last; people read from the top.
        var sorted = problems.problems.enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }.map(\.element)
        for index in sorted.indices { sorted[index].file = file }
        throw ProfileProblems(problems: sorted)
    }
}
