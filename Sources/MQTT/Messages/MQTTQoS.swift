/// How surely a message arrives.
///
/// Exactly-once is left out: its promise ends at the broker, costs a second round trip, and needs packet identifiers
/// that outlive a link. Receivers that must not act twice compare the ids in the messages.
package enum MQTTQoS: UInt8, Sendable, Comparable {
    case atMostOnce = 0
    case atLeastOnce = 1

    package static func < (left: MQTTQoS, right: MQTTQoS) -> Bool { left.rawValue < right.rawValue }
}
