import Glibc

/// The directory from which relative paths of the command line count.
package enum WorkingDirectory {
    /// The absolute path without a slash at its end; empty for the root, and when the directory has been removed.
    package static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard getcwd(&buffer, buffer.count) != nil else { return "" }
        let path = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path == "/" ? "" : path
    }
}
