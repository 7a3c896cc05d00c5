internal import Glibc

/// The open file at the path of an audit log; everything here blocks.
final class AuditFileHandle {
    private let path: String
    private var descriptor: Int32 = -1
    /// Whether the last bytes that went out end within a line.
    private var isMidLine = false
    /// Whether the last write failed.
    private(set) var isFailing = false

    init(path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes whole lines to the file that stands at the path now.
    ///
    /// - Returns: nil, or why they are not all in the file.
    func write(_ lines: [UInt8]) -> String? {
        let problem = append(lines)
        isFailing = problem != nil
        return problem
    }

    private func append(_ lines: [UInt8]) -> String? {
        if let problem = openIfNeeded() { return problem }
        let bytes = isMidLine ? [UInt8(ascii: "\n")] + lines : lines
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = count < 0 ? errno : EIO
                if done > 0 { isMidLine = bytes[done - 1] != UInt8(ascii: "\n") }
                return "write: \(String(cString: strerror(code)))"
            }
            done += count
        }
        isMidLine = false
        return nil
    }

    /// Opens the file, or opens it again where its path leads elsewhere by now.
    private func openIfNeeded() -> String? {
        var (present, held) = (stat(), stat())
        if descriptor >= 0 {
            if lstat(path, &present) == 0, fstat(descriptor, &held) == 0, present.st_dev == held.st_dev,
                present.st_ino == held.st_ino
            {
                return nil
            }
            close(descriptor)
            descriptor = -1
            isMidLine = false
        }
        // Without O_NONBLOCK a pipe in the file's place would be waited for.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let opened = open(path, flags, 0o600)
        guard opened >= 0 else { return "open: \(String(cString: strerror(errno)))" }
        guard fstat(opened, &held) == 0, held.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            return "is not a regular file"
        }
        descriptor = opened
        return nil
    }
}
