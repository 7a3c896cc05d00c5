internal import Glibc

extension IdentityKeys {
    static let fileLimit = 65_536

    /// Reads a file of keys.
    ///
    /// Blocks as a file does; a pipe or a device is refused and never waited for.
    /// - Throws: why it cannot be read or used: such keys let anybody follow a person, so one that every user of the
    ///   machine may read or write is refused.
    public static func read(_ path: String) throws(Problem) -> IdentityKeys {
        guard !path.utf8.contains(0) else { throw .system(ENOENT) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_mode & (S_IROTH | S_IWOTH) == 0 else { throw .openToAll }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: fileLimit + 1)
        while bytes.count <= fileLimit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(errno)
            }
            if count == 0 { return try parse(bytes) }
            bytes.append(contentsOf: buffer[..<count])
        }
        throw .tooLarge
    }
}

/// The system's words for an `errno`.
func systemText(_ code: Int32) -> String { String(cString: strerror(code)) }
