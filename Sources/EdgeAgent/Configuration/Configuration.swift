/// Everything that an operator may set, checked and complete: the file, the flags and the defaults together.
///
/// The defaults stand here and in the parts; ``ConfigurationKey/all`` says how each value is named, read and written.
package struct Configuration: Sendable, Equatable {
    /// Where the MQTT broker is.
    package var broker = BrokerAddress(secure: false, host: "localhost", port: 1883, user: nil)
    /// The gateway's name in topics, `[a-z0-9][a-z0-9-]{0,62}` and not `all`.
    package var gateway: String
    /// The first levels of all topics: `[A-Za-z0-9_-]+` joined by `/`, at most 64 characters.
    package var prefix = "edge"
    /// Absolute path of the directory that holds what must outlive the process.
    package var stateDirectory = "/var/lib/edge-agent"
    /// What a commit of the journal survives.
    package var durability = Durability.process
    /// The most verbose level that is logged.
    package var logLevel = LogLevel.info
    /// Whether the kernel must call the clock synchronised before times in commands are believed.
    package var clock = ClockPolicy.trust
    /// How long running jobs may go on after SIGTERM.
    package var shutdownGrace = Duration.seconds(10)
    package var mqtt = MQTTSettings()
    package var bluetooth = BluetoothConfiguration()
    package var limits = LimitsConfiguration()
    package var links = LinksConfiguration()
    package var recovery = RecoveryConfiguration()
    package var outbox = OutboxConfiguration()
    package var audit = AuditConfiguration()
    package var homeAssistant = HomeAssistantConfiguration()
    package var profiles = ProfilesConfiguration()
    package var values = ValuesConfiguration()
    package var metrics = MetricsConfiguration()
    package var remote = RemoteSettings()
    /// Who may do what; nil: everything on the agent's own topics is allowed.
    package var policy: Policy?
    /// The configured devices, in the file's order; no alias and no address stands twice.
    package var devices: [DeviceConfiguration] = []
    /// The configured groups, in the file's order; no name stands twice.
    package var groups: [GroupConfiguration] = []

    /// The defaults for a gateway of that name.
    package init(gateway: String) { self.gateway = gateway }

    /// The MQTT client id: the configured one, else the prefix with `-` for `/`, `-` and the gateway.
    package var clientID: String {
        mqtt.clientID ?? String(prefix.map { $0 == "/" ? "-" : $0 }) + "-" + gateway
    }

    /// The user name for the broker: that of the broker's URL, else that of `mqtt.username`.
    package var username: String? { broker.user ?? mqtt.username }
}

/// Whether times in commands are believed while the kernel does not call the clock synchronised.
package enum ClockPolicy: String, Sendable, CaseIterable {
    /// Believe them unless the clock is known to be wrong.
    case trust
    /// Refuse them until the clock is synchronised.
    case requireSync = "require-sync"
}
