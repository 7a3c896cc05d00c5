import Glibc

/// Tells whether a stream goes to journald.
package enum Journald {
    /// True when `JOURNAL_STREAM`, which systemd sets to `device:inode`, names this descriptor's file.
    ///
    /// The variable alone proves nothing: a program that redirects its child's standard error passes it on.
    package static func reads(_ descriptor: Int32) -> Bool {
        guard let variable = getenv("JOURNAL_STREAM") else { return false }
        return reads(descriptor, variable: String(cString: variable))
    }

    /// The same for a given value of the variable.
    package static func reads(_ descriptor: Int32, variable: String) -> Bool {
        let parts = variable.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]) else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }
}
