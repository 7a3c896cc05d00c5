/// Whether the configuration may be changed over MQTT.
package struct RemoteSettings: Sendable, Equatable {
    /// Who decides on it.
    package enum Mode: String, Sendable, CaseIterable {
        /// On where no policy says who may do what.
        case auto
        case on, off
    }

    package var mode = Mode.auto
    /// How long a change may take until the broker has confirmed it.
    package var confirmation = Duration.seconds(60)

    /// The defaults.
    package init() {}
}

extension Configuration {
    /// Whether `config/desired` is taken.
    package var takesRemoteConfiguration: Bool {
        switch remote.mode {
        case .on: true
        case .off: false
        case .auto: policy == nil
        }
    }
}
