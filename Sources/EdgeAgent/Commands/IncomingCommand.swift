/// A message as it came in on a command topic.
package struct IncomingCommand: Sendable, Equatable {
    package var topic: CommandTopic
    package var payload: [UInt8]
    /// The retain flag.
    ///
    /// Both versions of MQTT set it on stored messages, MQTT 5 with Retain As Published on live ones too.
    package var isRetained: Bool
    /// The properties of MQTT 5; empty on 3.1.1.
    package var properties: Properties
    /// Milliseconds since 1970-01-01 UTC.
    package var arrivedMs: Int64
    /// On the caller's monotonic clock, as a span since an epoch of its own.
    package var arrivedMonotonic: Duration

    /// What MQTT 5 adds to a message.
    package struct Properties: Sendable, Equatable {
        package var responseTopic: String?
        package var correlationData: [UInt8]?
        /// The user property `client`.
        package var client: String?
        /// What the broker left of it, in seconds.
        package var messageExpirySeconds: UInt32?

        package init(
            responseTopic: String? = nil,
            correlationData: [UInt8]? = nil,
            client: String? = nil,
            messageExpirySeconds: UInt32? = nil
        ) {
            self.responseTopic = responseTopic
            self.correlationData = correlationData
            self.client = client
            self.messageExpirySeconds = messageExpirySeconds
        }
    }

    package init(
        topic: CommandTopic,
        payload: [UInt8],
        isRetained: Bool = false,
        properties: Properties = Properties(),
        arrivedMs: Int64,
        arrivedMonotonic: Duration
    ) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
        self.properties = properties
        self.arrivedMs = arrivedMs
        self.arrivedMonotonic = arrivedMonotonic
    }
}
