/// Classes of messages, by what may happen to them when too many wait.
package enum OutboxClass: Int64, Sendable, CaseIterable {
    /// Never dropped.
    case result = 0
    /// What happens once: within its bounds.
    case event = 1
    /// What a device sends: within its bounds.
    case notification = 2
}

/// One message that waits for the broker.
package struct OutboxMessage: Sendable, Equatable {
    /// From `JournalStore.newMessageID`: unique among what waits, and in the order in which messages go out.
    package var id: Int64
    package var messageClass: OutboxClass
    /// The entry whose answer it carries, as the journal says; nil for any other message.
    package internal(set) var entry: Int64?
    package var createdMs: Int64
    /// Where it goes and with what properties; opaque.
    package var head: [UInt8]
    /// The body; nil in a message given to `end` or `record`: the entry's answer.
    package var payload: [UInt8]?

    package init(id: Int64, messageClass: OutboxClass, createdMs: Int64, head: [UInt8], payload: [UInt8]?) {
        self.id = id
        self.messageClass = messageClass
        self.createdMs = createdMs
        self.head = head
        self.payload = payload
    }

    /// What it counts against the bounds.
    var bytes: Int { head.count + (payload?.count ?? 0) + 64 }
}
