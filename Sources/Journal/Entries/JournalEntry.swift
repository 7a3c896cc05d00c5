/// Whose command, and which of theirs.
package struct JournalKey: Hashable, Sendable {
    package var client: String
    /// Whether the client's name was proven to the one who took the command.
    package var isIdentified: Bool
    package var id: String

    package init(client: String, isIdentified: Bool, id: String) {
        self.client = client
        self.isIdentified = isIdentified
        self.id = id
    }
}

/// How far a command has come.
package enum JournalProgress: Int64, Sendable {
    /// Accepted; nothing has been done.
    case waiting = 0
    /// Something may have been done.
    case begun = 1
    /// It has an answer that not all who asked are known to have.
    case ended = 2
    case acknowledged = 3
}

/// One command in the journal.
package struct JournalEntry: Sendable, Equatable {
    /// Unique, and growing from life to life.
    package var number: Int64
    package var key: JournalKey
    /// By what a repeated command is known as the same; opaque.
    package var fingerprint: [UInt8]
    /// How to run it again; opaque, empty once it has ended.
    package var request: [UInt8]
    package internal(set) var progress: JournalProgress
    /// When it was accepted, when it may no longer begin, and until when a repeat is answered from here: wall clock.
    package var createdMs: Int64
    package var expiresMs: Int64
    package var windowEndsMs: Int64
    /// Further places that wait for the answer; opaque, in the order of `addReply`, empty once it has ended.
    package internal(set) var replies: [[UInt8]] = []
    /// The answer to a repeat; opaque, nil until it has ended.
    package internal(set) var answer: [UInt8]?

    package init(
        number: Int64,
        key: JournalKey,
        fingerprint: [UInt8],
        request: [UInt8],
        isBegun: Bool = false,
        createdMs: Int64,
        expiresMs: Int64,
        windowEndsMs: Int64
    ) {
        self.number = number
        self.key = key
        self.fingerprint = fingerprint
        self.request = request
        self.progress = isBegun ? .begun : .waiting
        self.createdMs = createdMs
        self.expiresMs = expiresMs
        self.windowEndsMs = windowEndsMs
    }
}

/// What became of a command that was to be accepted.
package enum JournalAdmission: Sendable, Equatable {
    /// It is in the journal.
    case accepted
    /// One with its key is in the journal already, and within its window; nothing was changed.
    case known(JournalEntry)
}

/// Which entries are asked for.
package enum JournalFilter: Sendable {
    /// Those that wait or have begun.
    case unfinished
    /// Those that have an answer.
    case ended
}
