/// What a journal holds and has done, for those who report it.
package struct JournalFigures: Sendable, Equatable {
    /// Messages of one class.
    package struct Messages: Sendable, Equatable {
        package var count = 0
        package var bytes = 0
        /// Given up for good since `forgetDrops`, also in earlier lives.
        package var dropped = 0

        package init() {}
    }

    /// Commands, those of the window included.
    package var entries = 0
    package var entryBytes = 0
    package var results = Messages()
    package var events = Messages()
    package var notifications = Messages()
    /// The size of the file, without the write-ahead log.
    package var fileBytes = 0
    /// Groups of changes written in this life.
    package var commits = 0

    package init() {}

    package subscript(messageClass: OutboxClass) -> Messages {
        get {
            switch messageClass {
            case .result: results
            case .event: events
            case .notification: notifications
            }
        }
        set {
            switch messageClass {
            case .result: results = newValue
            case .event: events = newValue
            case .notification: notifications = newValue
            }
        }
    }
}

/// What an earlier life left behind.
package struct JournalSummary: Sendable, Equatable {
    /// The first number that no entry has had.
    package var nextNumber: Int64 = 1
    /// The newest time in the journal; nil in a new one.
    package var newestMs: Int64?
    /// Commands that have not ended.
    package var unfinished = 0

    package init() {}
}
