/// A topic filter that the client subscribes to after each connect.
package struct MQTTSubscription: Sendable, Equatable {
    /// MQTT 5: which kept messages the broker sends when the subscription is made.
    package enum RetainHandling: UInt8, Sendable {
        case always = 0
        case onlyIfNew = 1
        case never = 2
    }

    package var filter: String
    package var qos: MQTTQoS
    /// MQTT 5: not the client's own messages.
    package var noLocal = false
    /// MQTT 5: the retain flag stays as the publisher set it.
    package var retainAsPublished = false
    package var retainHandling = RetainHandling.always

    package init(_ filter: String, qos: MQTTQoS = .atLeastOnce) {
        self.filter = filter
        self.qos = qos
    }
}

/// What the broker said to one subscription.
package enum MQTTSubscriptionOutcome: Sendable, Equatable {
    case granted(MQTTQoS)
    /// 0x80 on MQTT 3.1.1; on 5 any reason code from 0x80.
    case refused(code: UInt8, text: String)
    /// No SUBACK within the deadline.
    case unanswered
}
