extension ConfigurationKey {
    /// Whether a key may be changed over MQTT, and what that takes.
    package enum RemoteChange: String, Sendable, CaseIterable {
        /// The operator of the machine alone decides on it.
        case never = "no"
        /// The change holds at once.
        case atOnce = "at once"
        /// The connection to the broker is made anew with it.
        case connection = "reconnects"
        /// The change waits for the next start of the agent.
        case restart = "at the next start"
    }

    /// What of the configuration may be changed over MQTT, and how.
    static let remoteConfiguration: [ConfigurationKey] = [
        choice(
            "remote.configuration",
            \.remote.mode,
            "Whether `config/desired` is taken; `auto`: where there is no policy"
        ),
        duration(
            "remote.confirmSeconds",
            \.remote.confirmation,
            5...3600,
            .seconds,
            "Within what time the broker has to confirm such a change, or it is taken back"
        ),
    ]

    /// The sections without a single value that may be changed over MQTT; `policy` never.
    package static let remoteLists: [String: RemoteChange] = ["devices": .restart, "groups": .atOnce]

    /// What it takes to change a key or a section of this path; nil: there is none.
    package static func remoteChange(of path: String) -> RemoteChange? {
        if let key = all.first(where: { $0.path == path }) { return key.remote }
        return remoteLists[path] ?? (path == "policy" ? .never : nil)
    }

    /// The same key, which may be changed over MQTT.
    func remotely(_ change: RemoteChange) -> ConfigurationKey {
        var key = self
        key.remote = change
        return key
    }

    /// The same key, of which only is told whether it is set.
    func hidden() -> ConfigurationKey {
        var key = self
        key.isHidden = true
        return key
    }
}
