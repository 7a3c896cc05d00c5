/// Where profiles of devices and the keys of encrypted ones are.
package struct ProfilesConfiguration: Sendable, Equatable {
    /// Absolute path of a directory of profiles; nil: `/etc/edge-agent/profiles` where that exists.
    package var directory: String?
    /// Absolute path of the file of keys.
    package var bindKeysFile: String?

    /// The defaults.
    package init() {}
}

/// When states of devices are published.
package struct ValuesConfiguration: Sendable, Equatable {
    /// The least time between two states of one device.
    package var minimumInterval = Duration.milliseconds(1000)
    /// After so long what has not changed goes out again, when the device has told it again; zero: never.
    package var repetition = Duration.seconds(600)

    /// The defaults.
    package init() {}
}
