/// Profiles from files and directories.
package enum ProfileFiles {
    /// Reads files, and of directories every `*.yaml` and `*.yml` in the order of their names.
    ///
    /// Blocks as files do. A profile that is wrong is left out and told of; the others are there.
    /// - Returns: The profiles, of which no two have one id, and everything that is wrong.
    package static func read(_ paths: [String]) -> (profiles: [Profile], problems: [ProfileProblem]) { ([], []) }
}
