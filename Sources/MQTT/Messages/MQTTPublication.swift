/// A message to publish, and how the client may treat it while it waits.
package struct MQTTPublication: Sendable, Equatable {
    package var topic: String
    package var payload: [UInt8]
    package var qos: MQTTQoS
    package var retain: Bool
    package var delivery: MQTTDeliveryClass
    /// Goes before all that waits, after what was put first earlier: for the message that says the client is back.
    package var first = false
    /// A waiting message of the same topic that also replaces is taken out: only the newest state matters.
    package var replaces = false
    /// Dropped when it has waited longer; on MQTT 5 the broker is told what is left.
    package var expirySeconds: UInt32?

    // Properties of MQTT 5, left out on 3.1.1.
    package var correlationData: [UInt8]?
    package var contentType: String?
    /// Says that the payload is UTF-8 text.
    package var isText = false
    package var userProperties: [MQTTUserProperty] = []

    package init(
        topic: String,
        payload: [UInt8],
        qos: MQTTQoS = .atLeastOnce,
        retain: Bool = false,
        delivery: MQTTDeliveryClass = .required
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.delivery = delivery
    }

    /// What the message takes in the queue and, within a few bytes, on the wire.
    var bytes: Int {
        var sum = topic.utf8.count + payload.count + (correlationData?.count ?? 0) + (contentType?.utf8.count ?? 0)
        for property in userProperties { sum += property.name.utf8.count + property.value.utf8.count + 5 }
        return sum + 32
    }
}

/// What happens to a message when more is published than the link carries.
package enum MQTTDeliveryClass: Int, Sendable, CaseIterable {
    /// Never dropped; refused at once beyond an absolute cap.
    case required
    /// The oldest is dropped, and counted, when the queue is full.
    case ordered
    /// Dropped before all others, and not kept while there is no link.
    case expendable
}

/// Why a message was not taken.
package enum MQTTRefusal: Error, Sendable, Equatable {
    /// A topic with a wildcard, NUL or control character, an empty or too long one, or a property that does not fit.
    case invalid(String)
    /// The required class is at its cap.
    case queueFull
    /// Expendable, and there is no link.
    case noLink
    /// The client is being closed.
    case closing
}

/// What became of a message that was taken.
package enum MQTTOutcome: Sendable, Equatable {
    /// QoS 1: the broker has it. Another subscriber may or may not have been there.
    case acknowledged
    /// QoS 1 of MQTT 5: the broker has it, and says that nobody subscribes to its topic (reason code 0x10).
    case unheard
    /// QoS 0: the kernel has it.
    case written
    /// The broker refused it, with the reason code of MQTT 5.
    case refused(code: UInt8, text: String)
    case dropped(MQTTDropReason)

    /// Whether the broker said that it has the message.
    package var isAcknowledged: Bool { self == .acknowledged || self == .unheard }
}

/// Why the client gave a message up.
package enum MQTTDropReason: Sendable, Equatable {
    case queueFull
    case replaced
    case expired
    /// Expendable, when the link was lost.
    case linkLost
    /// Over the broker's maximum packet size.
    case tooLarge
    /// Ten links in a row broke over it: as brokers of 3.1.1 do with what is too large or not allowed.
    case breaksLinks
    /// libmosquitto would not have it.
    case library(code: Int32, text: String)
    case closed
}
