/// The bounds of what the agent takes, holds and sends.
package struct LimitsConfiguration: Sendable, Equatable {
    /// The largest command in bytes.
    package var maximumPayloadBytes = 262_144
    /// The largest result in bytes; the broker may ask for less.
    package var maximumResultBytes = 131_072
    /// Jobs that wait for one device.
    package var maximumQueuedPerDevice = 64
    /// Jobs that wait in all; never less than ``maximumQueuedPerDevice``.
    package var maximumQueuedTotal = 1024
    /// How long a command is remembered, so that its repetition gets the answer of the first.
    package var replayWindow = Duration.milliseconds(600_000)
    /// The most commands that are remembered, and the bytes of them and their answers.
    package var replayCommands = 10_000
    package var replayBytes = 16_777_216
    /// How long a command without an expiry of its own may wait.
    package var defaultTTL = Duration.milliseconds(600_000)
    /// The gap between two `health` messages.
    package var healthInterval = Duration.seconds(60)
    /// How long the retained topics of an unconfigured device stay without use.
    package var retainedDevice = Duration.seconds(24 * 3600)

    /// The defaults.
    package init() {}
}
