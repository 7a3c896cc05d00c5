internal import Glibc
package import Journal

/// How the state directory is, looked at without writing or locking anything in it.
package struct StateFacts: Sendable, Equatable {
    /// What stands under the directory's name.
    package enum Place: Sendable, Equatable {
        case directory(owner: UserName)
        /// The nearest directory above is there, and this user may or may not make one in it.
        case absent(parent: String, hasGrandparent: Bool, canBeMade: Bool)
        case notADirectory
        /// This user may not look: an errno.
        case hidden(Int32)
    }

    /// Whether an agent has the directory.
    package enum Holder: Sendable, Equatable { case nobody, agent, unknown }

    /// How the journal is.
    package enum JournalFile: Sendable, Equatable {
        case absent
        case whole(version: Int64)
        /// An agent works with it: only its head was looked at.
        case inUse(version: Int64)
        case wrong(JournalFailure)
    }

    package var path: String
    package var place: Place
    /// Why this user cannot write in it: an errno, 0 when nothing is in the way.
    package var writeCode: Int32 = 0
    /// In its file system, or in that of the nearest directory above.
    package var freeBytes: UInt64?
    package var freeFiles: UInt64?
    package var isReadOnly = false
    package var holder = Holder.nobody
    /// What the file `version` says; nil: there is none.
    package var version: String?
    package var journal = JournalFile.absent

    package init(path: String, place: Place) {
        self.path = path
        self.place = place
    }

    /// Looks; blocks as a disk does.
    ///
    /// - Parameters:
    ///   - path: the directory's.
    ///   - isOurs: this very process has the directory.
    /// - Returns: what there is to see.
    package static func look(at path: String, isOurs: Bool = false) -> StateFacts {
        var facts = StateFacts(path: path, place: place(of: path))
        facts.measure()
        guard case .directory = facts.place else { return facts }
        if faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0 { facts.writeCode = errno }
        facts.holder = isOurs ? .agent : holder(of: path)
        let version = HostFacts.text(of: path + "/version")
        facts.version = version.isEmpty ? nil : String(version.prefix { $0 != "\n" })
        facts.journal = journal(in: path, isQuiet: facts.holder == .nobody)
        return facts
    }

    private static func place(of path: String) -> Place {
        var status = stat()
        guard stat(path, &status) != 0 else {
            guard status.st_mode & S_IFMT == S_IFDIR else { return .notADirectory }
            return .directory(owner: UserName(id: status.st_uid))
        }
        let code = errno
        guard code == ENOENT else { return code == ENOTDIR ? .notADirectory : .hidden(code) }
        let parent = above(path)
        guard stat(parent, &status) == 0 else {
            return .absent(parent: parent, hasGrandparent: false, canBeMade: false)
        }
        let canBeMade = faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) == 0
        return .absent(parent: parent, hasGrandparent: true, canBeMade: canBeMade)
    }

    private static func above(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private mutating func measure() {
        var place = path
        var status = statvfs()
        while statvfs(place, &status) != 0 {
            guard place != "/" else { return }
            place = Self.above(place)
        }
        let (bytes, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        freeBytes = overflow ? .max : bytes
        // A file system without a bound says that it has none at all.
        freeFiles = status.f_files == 0 ? nil : UInt64(status.f_favail)
        isReadOnly = status.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Whether somebody has locked the directory, from the kernel's list: a lock of our own could meet an agent's start.
    private static func holder(of path: String) -> Holder {
        var status = stat()
        guard stat(path + "/lock", &status) == 0 else { return .nobody }
        do throws(BoundedFile.Failure) {
            let list = try BoundedFile.read("/proc/locks", limit: 1 << 22).bytes
            return isLocked(UInt64(status.st_ino), in: String(decoding: list, as: UTF8.self)) ? .agent : .nobody
        } catch {
            return .unknown
        }
    }

    /// Whether `/proc/locks` has a lock of flock(2) on a file: `2: FLOCK  ADVISORY  WRITE 14512 fe:00:16393844 0 EOF`.
    package static func isLocked(_ file: UInt64, in list: String) -> Bool {
        list.split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            guard let kind = fields.firstIndex(of: "FLOCK"), fields.count > kind + 4 else { return false }
            return fields[kind + 4].split(separator: ":").last.flatMap { UInt64($0) } == file
        }
    }

    private static func journal(in path: String, isQuiet: Bool) -> JournalFile {
        do throws(JournalFailure) {
            guard let version = try JournalInspection.look(in: path, isQuiet: isQuiet) else { return .absent }
            return isQuiet ? .whole(version: version) : .inUse(version: version)
        } catch {
            return .wrong(error)
        }
    }
}
