/// What of another configuration can hold while the agent runs, and what waits for its next start.
package struct ConfigurationDifference: Sendable, Equatable {
    /// The paths that differ, in the order of the table.
    package let keys: [String]
    /// Those that wait for the next start.
    package let pending: [String]
    /// The running configuration with all that need not wait.
    package let now: Configuration
    /// Whether the connection to the broker has to be made anew.
    package let concernsConnection: Bool

    /// Compares what runs with what is wanted.
    package init(from running: Configuration, to wanted: Configuration) {
        var now = running
        var (keys, pending): ([String], [String]) = ([], [])
        var concernsConnection = false
        for key in ConfigurationKey.all where key.show(running) != key.show(wanted) {
            keys.append(key.path)
            switch key.remote {
            case .never, .restart: pending.append(key.path)
            case .atOnce: key.copy(wanted, &now)
            case .connection:
                key.copy(wanted, &now)
                concernsConnection = true
            }
        }
        let hasOtherDevices = running.devices != wanted.devices
        if hasOtherDevices { pending.append("devices") }
        if running.groups != wanted.groups {
            keys.append("groups")
            // Their members may be devices that are to come.
            if hasOtherDevices { pending.append("groups") } else { now.groups = wanted.groups }
        }
        if hasOtherDevices { keys.append("devices") }
        if running.policy != wanted.policy {
            keys.append("policy")
            pending.append("policy")
        }
        (self.keys, self.pending, self.now) = (keys, pending, now)
        self.concernsConnection = concernsConnection
    }

    /// The paths of which two configurations do not say the same.
    package static func keys(_ one: Configuration, _ other: Configuration) -> [String] {
        ConfigurationDifference(from: one, to: other).keys
    }
}
