extension JournalStore {
    /// Keeps a command that was accepted, unless its key is there already and within its window.
    ///
    /// A key whose window is over, and whose answer was acknowledged, is free again.
    package func accept(
        _ entry: JournalEntry,
        _ done: @escaping (Result<JournalAdmission, JournalFailure>) -> Void
    ) {
        send(.accept(entry)) { done($0.admission) }
    }

    /// Notes that something may be done to the device from now on.
    package func begin(_ number: Int64, _ done: @escaping (Result<Void, JournalFailure>) -> Void) {
        send(.begin(number)) { done($0.nothing) }
    }

    /// Adds a place that waits for the same answer.
    package func addReply(
        _ reply: [UInt8],
        to number: Int64,
        _ done: @escaping (Result<Void, JournalFailure>) -> Void
    ) {
        send(.addReply(reply, to: number)) { done($0.nothing) }
    }

    /// Keeps the answer of a command, and the messages that carry it until they are removed.
    ///
    /// - Parameters:
    ///   - number: of an entry that has not ended.
    ///   - answer: for repeats.
    ///   - publications: of class `result`; one without a payload carries the answer. With none of them the entry
    ///     counts as acknowledged, else when the last has been removed.
    ///   - done: told once both are kept; a failed one may be tried again.
    package func end(
        _ number: Int64,
        answer: [UInt8],
        publications: [OutboxMessage],
        _ done: @escaping (Result<Void, JournalFailure>) -> Void
    ) {
        send(.end(number, answer: answer, publications: publications)) { done($0.nothing) }
    }

    /// Keeps a command that has ended as it came: a refusal, say.
    package func record(
        _ entry: JournalEntry,
        answer: [UInt8],
        publications: [OutboxMessage],
        _ done: @escaping (Result<JournalAdmission, JournalFailure>) -> Void
    ) {
        send(.record(entry, answer: answer, publications: publications)) { done($0.admission) }
    }

    /// Looks for the entry of a key, whether or not its window is over.
    package func find(_ key: JournalKey, _ done: @escaping (Result<JournalEntry?, JournalFailure>) -> Void) {
        send(.find(key)) { done($0.entry) }
    }

    /// Reads entries in the order of their numbers, a page at a time.
    ///
    /// - Parameters:
    ///   - filter: which of them.
    ///   - after: the number of the last one read; 0 for the first page.
    ///   - limit: the most entries of a page.
    ///   - bytes: a page ends with the entry that reaches them.
    ///   - done: an empty page is the end.
    package func entries(
        _ filter: JournalFilter,
        after: Int64,
        limit: Int = 256,
        bytes: Int = 1 << 20,
        _ done: @escaping (Result<[JournalEntry], JournalFailure>) -> Void
    ) {
        send(.entries(filter, after: after, limit: limit, bytes: bytes)) { done($0.entries) }
    }
}

extension JournalOutcome {
    var nothing: Result<Void, JournalFailure> {
        switch self {
        case .done: .success(())
        case .failed(let failure): .failure(failure)
        default: preconditionFailure("an outcome of another request")
        }
    }

    var admission: Result<JournalAdmission, JournalFailure> {
        switch self {
        case .admitted(let admission): .success(admission)
        case .failed(let failure): .failure(failure)
        default: preconditionFailure("an outcome of another request")
        }
    }

    var entry: Result<JournalEntry?, JournalFailure> {
        switch self {
        case .entry(let entry): .success(entry)
        case .failed(let failure): .failure(failure)
        default: preconditionFailure("an outcome of another request")
        }
    }

    var entries: Result<[JournalEntry], JournalFailure> {
        switch self {
        case .entries(let entries): .success(entries)
        case .failed(let failure): .failure(failure)
        default: preconditionFailure("an outcome of another request")
        }
    }

    var messages: Result<[OutboxMessage], JournalFailure> {
        switch self {
        case .messages(let messages): .success(messages)
        case .failed(let failure): .failure(failure)
        default: preconditionFailure("an outcome of another request")
        }
    }
}
