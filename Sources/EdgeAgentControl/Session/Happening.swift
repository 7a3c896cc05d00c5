internal import MQTT

/// What a command waits for: everything comes through one door, in order.
enum Happening: Sendable {
    case message(MQTTMessage)
    case connected
    /// There is no way to the broker, now and for the first time.
    case notConnected(MQTTFailure)
    case granted(String)
    case refused(filter: String, reason: String)
    /// What became of a message that was to stay with the broker.
    case outcome(MQTTOutcome)
    /// A tenth of a second has passed.
    case tick
    /// Ctrl-C.
    case interrupt
    /// A line that somebody typed; nil at the end of the input.
    case line(String?)
}
