internal import Glibc

/// The content of a regular file.
struct RegularFile {
    enum Failure: Error, Equatable {
        case system(Int32)
        case notRegular
        case tooLarge
    }

    let bytes: [UInt8]
    /// Whether every user of the machine may read or write it.
    let isOpenToAll: Bool

    /// Reads a file; a pipe or a device is refused and never waited for.
    static func read(_ path: String, limit: Int) throws(Failure) -> RegularFile {
        guard !path.utf8.contains(0) else { throw .system(ENOENT) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno)
            }
            if count == 0 {
                return RegularFile(bytes: bytes, isOpenToAll: status.st_mode & (S_IROTH | S_IWOTH) != 0)
            }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw .tooLarge
    }

    /// The names in a directory that end like this, in order.
    static func names(in path: String, endings: [String]) throws(Failure) -> [String] {
        guard !path.utf8.contains(0) else { throw .system(ENOENT) }
        guard let directory = opendir(path) else { throw .system(errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                // Safe because: the name ends with a NUL within the field.
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), endings.contains(where: { name.hasSuffix($0) }) { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a path leads to a directory.
    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return !path.utf8.contains(0) && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The system's words for an `errno`.
    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
