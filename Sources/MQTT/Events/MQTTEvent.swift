/// What a client tells about its link.
package enum MQTTEvent: Sendable, Equatable {
    /// CONNACK has come; the subscriptions are on their way.
    case connected(MQTTConnection)
    /// An attempt failed; the next follows after the gap.
    case connectFailed(MQTTFailure, retryIn: Duration)
    /// The link ended, after it had been up for `held`.
    ///
    /// `clientIDClash`: probably another client uses the same client id and each throws the other out.
    case disconnected(MQTTFailure, held: Duration, retryIn: Duration, clientIDClash: Bool)
    /// The client speaks MQTT 3.1.1 from now on.
    case fellBack(MQTTFailure)
    /// The link was ended in order because settings have changed; an attempt with them follows at once.
    case renewed
    case subscription(filter: String, MQTTSubscriptionOutcome)
    /// The client has been closed; nothing follows.
    case closed
}

/// A link that stands, and what the broker said about it.
package struct MQTTConnection: Sendable, Equatable {
    package var version: MQTTVersion
    /// Whether the broker still had the session: its subscriptions and what it queued.
    package var sessionPresent: Bool
    package var limits: MQTTServerLimits
    /// Whether it is the client's first.
    package var isFirst: Bool
}

/// The limits of a broker; MQTT 3.1.1 has none of them.
package struct MQTTServerLimits: Sendable, Equatable {
    /// Of a whole packet.
    ///
    /// Nil: no limit but the protocol's.
    package var maximumPacketBytes: Int?
    /// Unacknowledged messages that the broker takes.
    package var receiveMaximum = 65535
    package var retainAvailable = true
    /// What is published above it goes out with it.
    package var maximumQoS = MQTTQoS.atLeastOnce
    /// What the broker wants instead of the client's keepalive.
    package var keepaliveSeconds: Int?
    package var assignedClientID: String?

    package init() {}
}
