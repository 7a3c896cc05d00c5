extension JournalStore {
    /// Keeps a message until it is removed, or dropped to hold the bounds of its class.
    ///
    /// The oldest of the class go first. One that the disk does not take, and is not a result, counts as dropped too;
    /// one that is refused with `busy`, `slow` or `closed` is the caller's to count.
    package func append(_ message: OutboxMessage, _ done: @escaping (Result<Void, JournalFailure>) -> Void) {
        send(.append(message)) { done($0.nothing) }
    }

    /// Reads the messages that wait, in the order of their ids; they stay until they are removed.
    ///
    /// Those over their age are dropped first.
    ///
    /// - Parameters:
    ///   - after: the id of the last one read; 0 for the first page.
    ///   - limit: the most messages of a page.
    ///   - bytes: a page ends with the message that reaches them.
    ///   - done: an empty page is the end. Each has its payload, also when it is an entry's answer.
    package func messages(
        after: Int64,
        limit: Int = 256,
        bytes: Int = 1 << 20,
        _ done: @escaping (Result<[OutboxMessage], JournalFailure>) -> Void
    ) {
        send(.messages(after: after, limit: limit, bytes: bytes)) { done($0.messages) }
    }

    /// Lets go of messages that the broker has; what is not there any more is no fault.
    ///
    /// An entry is acknowledged when the last of its messages goes.
    package func remove(_ ids: [Int64], _ done: @escaping (Result<Void, JournalFailure>) -> Void) {
        send(.remove(ids)) { done($0.nothing) }
    }

    /// Takes from the counts of dropped messages what has been told.
    package func forgetDrops(
        _ told: [(OutboxClass, Int)],
        _ done: @escaping (Result<Void, JournalFailure>) -> Void
    ) {
        send(.forgetDrops(told)) { done($0.nothing) }
    }
}
