/// What the loop asks of the journal's thread.
enum JournalRequest: Sendable {
    case accept(JournalEntry)
    case begin(Int64)
    case addReply([UInt8], to: Int64)
    case end(Int64, answer: [UInt8], publications: [OutboxMessage])
    case record(JournalEntry, answer: [UInt8], publications: [OutboxMessage])
    case append(OutboxMessage)
    case remove([Int64])
    case forgetDrops([(OutboxClass, Int)])
    case find(JournalKey)
    case entries(JournalFilter, after: Int64, limit: Int, bytes: Int)
    case messages(after: Int64, limit: Int, bytes: Int)

    /// What a full disk still lets through.
    enum Need: Int, Comparable {
        /// Reads.
        case nothing
        /// Ends what was accepted, or makes room: may use the reserve.
        case reserve
        /// Takes on something new.
        case room

        static func < (left: Need, right: Need) -> Bool { left.rawValue < right.rawValue }
    }

    var need: Need {
        switch self {
        case .accept, .addReply: .room
        case .append(let message): message.messageClass == .result ? .reserve : .room
        case .begin, .end, .record, .remove, .forgetDrops: .reserve
        case .find, .entries, .messages: .nothing
        }
    }

    /// Whether it keeps a command that has ended as it came.
    var isRecord: Bool {
        if case .record = self { true } else { false }
    }

    /// What it holds, nearly.
    var bytes: Int {
        switch self {
        case .accept(let entry): entry.bytes
        case .record(let entry, let answer, let publications):
            entry.bytes + answer.count + publications.reduce(0) { $0 + $1.bytes }
        case .end(_, let answer, let publications): answer.count + publications.reduce(64) { $0 + $1.bytes }
        case .addReply(let reply, _): reply.count + 64
        case .append(let message): message.bytes
        case .remove(let ids): ids.count * 8 + 64
        case .begin, .forgetDrops, .find, .entries, .messages: 64
        }
    }
}

/// What came of a request.
enum JournalOutcome: Sendable {
    case done
    case admitted(JournalAdmission)
    case entry(JournalEntry?)
    case entries([JournalEntry])
    case messages([OutboxMessage])
    case failed(JournalFailure)
}
