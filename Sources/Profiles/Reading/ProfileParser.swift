/// Reads profiles from YAML.
package enum ProfileParser {
    /// Reads the text of one file: a mapping, which is one profile.
    ///
    /// - Throws: ``ProfileProblems`` with everything that is wrong.
    package static func parse(_ text: [UInt8], file: String? = nil) throws(ProfileProblems) -> Profile {
        throw ProfileProblems(problems: [])
    }
}
