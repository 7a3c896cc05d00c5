import Glibc

/// Reads small files whole.
package enum BoundedFile {
    /// Why a file was not read; says nothing of its content.
    package enum Failure: Error, Equatable {
        /// A system call failed with this `errno`.
        case system(Int32)
        case notRegular
        case tooLarge(limit: Int)

        /// What is wrong, to be put behind the file's name.
        package var explanation: String {
            switch self {
            case .system(let code): "cannot be read: \(String(cString: strerror(code)))"
            case .notRegular: "is not a regular file"
            case .tooLarge(let limit): "is larger than \(limit) bytes"
            }
        }
    }

    /// What a file holds and who may read it.
    package struct Content: Sendable {
        package let bytes: [UInt8]
        /// The permission bits that let every user of the machine read the file.
        package let isReadableByAll: Bool
    }

    /// Reads a regular file of at most `limit` bytes; a pipe or a device is refused and never waited for.
    ///
    /// Files without a size, as those of `/proc`, are read to their end.
    /// - Throws: ``Failure``.
    package static func read(_ path: String, limit: Int) throws(Failure) -> Content {
        guard !path.utf8.contains(0) else { throw .system(ENOENT) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw .system(EISDIR) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno)
            }
            if count == 0 { return Content(bytes: bytes, isReadableByAll: status.st_mode & S_IROTH != 0) }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw .tooLarge(limit: limit)
    }
}
