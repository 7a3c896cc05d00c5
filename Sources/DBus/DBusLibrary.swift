internal import CDBus

/// The libdbus that this process runs with.
package enum DBusLibrary {
    /// Major, minor and micro number: `1.14.10`.
    package static var version: String {
        var (major, minor, micro): (Int32, Int32, Int32) = (0, 0, 0)
        dbus_get_version(&major, &minor, &micro)
        return "\(major).\(minor).\(micro)"
    }
}
