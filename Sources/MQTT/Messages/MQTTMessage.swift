/// A message that the broker delivered.
///
/// The duplicate flag is missing on purpose: libmosquitto does not tell it, and the protocol forbids to rely on it.
package struct MQTTMessage: Sendable, Equatable {
    package var topic: String
    /// Empty when the message is oversize.
    package var payload: [UInt8]
    /// The payload's size as it was sent.
    package var payloadBytes: Int
    package var qos: MQTTQoS
    /// On MQTT 3.1.1, and on 5 without retain-as-published: whether the broker had kept it before the subscription.
    package var retain: Bool

    // Properties of MQTT 5.
    package var responseTopic: String?
    package var correlationData: [UInt8]?
    package var contentType: String?
    /// What the broker left of the sender's message expiry, from arrival.
    package var expirySeconds: UInt32?
    /// In the order sent; at most 64 and 64 KiB of them, what is beyond is left out.
    package var userProperties: [MQTTUserProperty] = []

    /// Whether the payload was over the configured cap and has been left out.
    package var isOversize: Bool { payload.count != payloadBytes }

    package init(
        topic: String,
        payload: [UInt8],
        payloadBytes: Int? = nil,
        qos: MQTTQoS = .atMostOnce,
        retain: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.payloadBytes = payloadBytes ?? payload.count
        self.qos = qos
        self.retain = retain
    }
}

/// A name and a value that go with a message on MQTT 5; names may repeat.
package struct MQTTUserProperty: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
