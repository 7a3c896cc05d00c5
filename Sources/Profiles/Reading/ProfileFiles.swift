internal import Frames

/// Profiles from files and directories.
package enum ProfileFiles {
    /// The most files that are read.
    package static let limit = 1024
    private static let maximumBytes = 1_048_576

    /// Reads files, and of directories every `*.yaml` and `*.yml` in the order of their names.
    ///
    /// Blocks as files do. A profile that is wrong is left out and told of; the others are there.
    /// - Returns: The profiles, of which no two have one id, and everything that is wrong.
    package static func read(_ paths: [String]) -> (profiles: [Profile], problems: [ProfileProblem]) {
        var profiles: [Profile] = []
        var origins: [String: String] = [:]
        var problems: [ProfileProblem] = []
        for path in files(paths, &problems) {
            do throws(ProfileProblems) {
                let profile = try read(path)
                if let first = origins[profile.id] {
                    let message = "the id \(quoted(profile.id)) is that of \(first), too"
                    problems.append(ProfileProblem(file: path, line: nil, key: "profile", message))
                    continue
                }
                origins[profile.id] = path
                profiles.append(profile)
            } catch { problems += error.problems }
        }
        return (profiles, problems)
    }

    /// Reads one file.
    ///
    /// - Throws: ``ProfileProblems`` with everything that is wrong.
    package static func read(_ path: String) throws(ProfileProblems) -> Profile {
        let file: RegularFile
        do throws(RegularFile.Failure) { file = try RegularFile.read(path, limit: maximumBytes) } catch {
            throw ProfileProblems(problems: [problem(path, error)])
        }
        return try ProfileParser.parse(file.bytes, file: path)
    }

    private static func files(_ paths: [String], _ problems: inout [ProfileProblem]) -> [String] {
        var files: [String] = []
        for path in paths {
            guard RegularFile.isDirectory(path) else {
                files.append(path)
                continue
            }
            do throws(RegularFile.Failure) {
                files += try RegularFile.names(in: path, endings: [".yaml", ".yml"]).map { "\(path)/\($0)" }
            } catch { problems.append(problem(path, error)) }
        }
        guard files.count > limit else { return files }
        let message = "there are \(files.count) profiles, and at most \(limit) are read"
        problems.append(ProfileProblem(file: paths.first, line: nil, key: "", message))
        return Array(files.prefix(limit))
    }

    private static func problem(_ path: String, _ failure: RegularFile.Failure) -> ProfileProblem {
        let message =
            switch failure {
            case .system(let code): "cannot be read: \(RegularFile.text(code))"
            case .notRegular: "is not a regular file"
            case .tooLarge: "is larger than \(maximumBytes) bytes"
            }
        return ProfileProblem(file: path, line: nil, key: "", message)
    }
}
