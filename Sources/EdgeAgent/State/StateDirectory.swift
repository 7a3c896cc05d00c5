internal import Glibc

/// The directory for what must outlive the process, held by one agent at a time.
///
/// Beside the files of those who use it there are `lock`, which is locked as long as the directory is held, and
/// `version`, the schema version of the whole as a decimal number. Everything here blocks: it belongs on a worker.
package final class StateDirectory: Sendable {
    /// The schema version that this agent writes.
    package static let version: Int64 = 1

    package let path: String
    private let lock: Int32

    private init(path: String, lock: Int32) {
        self.path = path
        self.lock = lock
    }

    deinit { close(lock) }

    /// Takes the directory for this process, and makes it where only its last level is missing.
    ///
    /// - Throws: ``StateFailure``: also when another agent holds it, or a newer one has written it.
    package static func open(_ path: String) throws(StateFailure) -> StateDirectory {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system(call: "mkdir", path: path, code: errno) }
        let name = path + "/lock"
        let lock = Glibc.open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw .system(call: "open", path: name, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            close(lock)
            throw code == EWOULDBLOCK ? .inUse(path: path) : .system(call: "flock", path: name, code: code)
        }
        // From here on the lock is given back by whatever way this ends.
        let directory = StateDirectory(path: path, lock: lock)
        try directory.checkVersion()
        return directory
    }

    private func checkVersion() throws(StateFailure) {
        let name = path + "/version"
        guard let bytes = try read("version", limit: 32) else {
            try write(Array("\(Self.version)\n".utf8), to: "version")
            return
        }
        let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let found = Int64(text), found > 0 else { throw .unreadable(path: name, reason: "is no version") }
        guard found <= Self.version else { throw .newer(path: name, version: found, known: Self.version) }
    }

    /// Reads a file whole; nil when there is none.
    ///
    /// - Throws: ``StateFailure``, also for one of more than `limit` bytes.
    package func read(_ name: String, limit: Int) throws(StateFailure) -> [UInt8]? {
        let path = "\(path)/\(name)"
        do throws(BoundedFile.Failure) {
            return try BoundedFile.read(path, limit: limit).bytes
        } catch {
            if case .system(ENOENT) = error { return nil }
            throw .unreadable(path: path, reason: error.explanation)
        }
    }

    /// Replaces a file: afterwards it holds either all of the old bytes or all of the new ones, whatever happens.
    ///
    /// With `isSynced` false that holds for the end of the process alone, not for a power cut.
    ///
    /// - Throws: ``StateFailure``; the old bytes are still there then.
    package func write(_ bytes: [UInt8], to name: String, isSynced: Bool = true) throws(StateFailure) {
        let file = "\(path)/\(name)"
        let draft = file + ".new"
        let descriptor = Glibc.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(call: "open", path: draft, code: errno) }
        do throws(StateFailure) {
            defer { close(descriptor) }
            try writeAll(bytes, to: descriptor, draft)
            guard !isSynced || fsync(descriptor) == 0 else { throw .system(call: "fsync", path: draft, code: errno) }
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, file) == 0 else {
            let code = errno
            unlink(draft)
            throw .system(call: "rename", path: file, code: code)
        }
        if isSynced { try syncDirectory() }
    }

    private func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ draft: String) throws(StateFailure) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "write", path: draft, code: count < 0 ? errno : EIO) }
            done += count
        }
    }

    /// Makes a rename survive a power cut.
    private func syncDirectory() throws(StateFailure) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system(call: "fsync", path: path, code: errno) }
    }
}
