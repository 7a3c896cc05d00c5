internal import Glibc

/// Why the state directory, or a file in it, cannot be used; says nothing of its content.
package enum StateFailure: Error, Equatable, CustomStringConvertible {
    /// A system call on this path failed with this `errno`.
    case system(call: String, path: String, code: Int32)
    /// Another agent holds the directory.
    case inUse(path: String)
    /// A newer agent has written the directory or the file.
    case newer(path: String, version: Int64, known: Int64)
    /// The file is not what it should be.
    case unreadable(path: String, reason: String)
    /// The disk has not answered within the time.
    case slow(path: String)

    package var description: String {
        switch self {
        case .system(let call, let path, let code): "\(path): \(call): \(String(cString: strerror(code)))"
        case .inUse(let path): "\(path): another agent uses this directory"
        case .newer(let path, let version, let known):
            "\(path): has schema version \(version), this agent knows versions up to \(known)"
        case .unreadable(let path, let reason): "\(path): \(reason)"
        case .slow(let path): "\(path): the disk has not answered in time"
        }
    }
}
