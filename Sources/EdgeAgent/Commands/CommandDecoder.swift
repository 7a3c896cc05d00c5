/// Reads commands as they come in from the broker: values in, values out.
package struct CommandDecoder: Sendable {
    /// The bounds of what is taken.
    package struct Limits: Sendable, Equatable {
        package var maxPayloadBytes: Int
        /// How long a command without a time of its own may wait.
        package var defaultTTL: Duration
        /// Whether commands to all gateways may change something.
        package var allMayChange: Bool

        package init(
            maxPayloadBytes: Int = 65_536,
            defaultTTL: Duration = .milliseconds(600_000),
            allMayChange: Bool = false
        ) {
            self.maxPayloadBytes = maxPayloadBytes
            self.defaultTTL = defaultTTL
            self.allMayChange = allMayChange
        }
    }

    package let limits: Limits
    package let rule: ResponseTopicRule
    package let devices: DeviceDirectory

    package init(limits: Limits = Limits(), rule: ResponseTopicRule, devices: DeviceDirectory = DeviceDirectory()) {
        self.limits = limits
        self.rule = rule
        self.devices = devices
    }
}
