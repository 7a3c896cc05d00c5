internal import CMosquitto

/// The libmosquitto that this process runs with.
package enum MQTTLibrary {
    /// Major, minor and revision number: `2.0.11`.
    package static var version: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }
}
