/// What a client has done since it was made.
package struct MQTTCounters: Sendable, Equatable {
    /// Links that came to CONNACK.
    package var connects = 0
    package var failedAttempts = 0
    /// Handed to libmosquitto for the first time.
    package var published = 0
    package var publishedBytes = 0
    package var acknowledged = 0
    /// Refused by the broker's PUBACK.
    package var refused = 0
    /// Given up by class, expired and replaced ones not included.
    package var droppedRequired = 0
    package var droppedOrdered = 0
    package var droppedExpendable = 0
    package var expired = 0
    package var replaced = 0
    package var received = 0
    package var receivedBytes = 0
    package var oversize = 0
    /// Messages whose topic was not UTF-8: skipped.
    package var invalidTopics = 0

    // The present state.
    package var queued = 0
    package var queuedBytes = 0
    package var unacknowledged = 0

    package init() {}

    mutating func countDrop(_ delivery: MQTTDeliveryClass) {
        switch delivery {
        case .required: droppedRequired += 1
        case .ordered: droppedOrdered += 1
        case .expendable: droppedExpendable += 1
        }
    }
}
