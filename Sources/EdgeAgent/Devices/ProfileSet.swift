internal import Glibc
package import Profiles

/// Profiles and keys as they were read from the files that the configuration names.
package struct ProfileSet: Sendable {
    package var library: ProfileLibrary
    package var keys: BindKeys
    /// What was wrong, each with its file and line.
    package var problems: [String]

    /// Where profiles are looked for when the configuration names no directory.
    package static let standardDirectory = "/etc/edge-agent/profiles"

    /// Reads them.
    ///
    /// Blocks as files do: it belongs on a worker.
    package static func load(_ settings: ProfilesConfiguration) -> ProfileSet {
        var problems: [String] = []
        var found: [Profile] = []
        if let directory = settings.directory ?? (isThere(standardDirectory) ? standardDirectory : nil) {
            let read = ProfileFiles.read([directory])
            found = read.profiles
            problems = read.problems.map(\.description)
        }
        var keys = BindKeys()
        if let path = settings.bindKeysFile {
            do throws(BindKeys.Problem) { keys = try BindKeys.read(path) } catch {
                problems.append("\(path): \(error)")
            }
        }
        return ProfileSet(library: .builtIn(adding: found), keys: keys, problems: problems)
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
