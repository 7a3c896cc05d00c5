internal import EventLoop
package import Journal

/// The commands of the last minutes with their answers: who repeats one gets the answer of the first, and nothing runs
/// again.
///
/// A command is known by its caller and id; it stays at least until its answer has been acknowledged. Confined to the
/// agent.
package struct ReplayWindow {
    /// How long and how much is remembered.
    package struct Bounds: Sendable, Equatable {
        package var span: Duration
        package var commands: Int
        package var bytes: Int

        package init(span: Duration, commands: Int, bytes: Int) {
            self.span = span
            self.commands = commands
            self.bytes = bytes
        }
    }

    /// Under what a command is remembered: here for a while, in the journal over a restart.
    package typealias Key = JournalKey

    /// What becomes of a command that comes in.
    package enum Admission: Equatable {
        /// It was not known; now it is, and its answer is to be told by `end(_:with:)`.
        case new
        /// It is under way: the one answer goes to this caller too.
        case joined
        /// It has been answered so.
        case replay(EncodedResult)
        /// The same id stood for another command.
        case conflict
    }

    private struct Entry {
        /// Tells it from an earlier one of the same key.
        let number: Int
        let sent: SentCommand
        /// Its number in the journal.
        var journal: Int64?
        /// When it may be forgotten, as a span since the epoch of the caller's clock.
        var ends: Duration
        /// Where the answer goes, in the order of asking; empty once it is out.
        var replies: [ReplyAddress]
        var answer: EncodedResult?
        var history: JobHistory?
        var isAcknowledged = false
        /// It was the oldest when room was needed, and under way.
        var isPassed = false

        var bytes: Int {
            200 + sent.payload.count + (answer?.payload.count ?? 0) + 64 * (history?.steps.count ?? 0)
        }
        var isOver: Bool { answer != nil && isAcknowledged }

        /// Takes the answer; where it goes, and how many bytes more there are; nil when there was one already.
        mutating func end(
            with answer: EncodedResult,
            _ history: JobHistory?
        ) -> (replies: [ReplyAddress], bytes: Int)? {
            guard self.answer == nil else { return nil }
            let before = bytes
            self.answer = answer
            self.history = history
            defer { replies = [] }
            return (replies, bytes - before)
        }

        /// Notes that the answer has arrived; whether that is new of a command that was passed.
        mutating func acknowledge() -> Bool {
            guard answer != nil, !isAcknowledged else { return false }
            isAcknowledged = true
            return isPassed
        }
    }

    package private(set) var bounds: Bounds
    private var entries: [Key: Entry] = [:]
    /// All in the order of their coming, some of them gone; without those that were passed.
    private var order = FIFO<Place>()
    /// Those that were passed and are over now: they go first.
    private var late = FIFO<Place>()
    private var lastNumber = 0

    private struct Place {
        let key: Key
        let number: Int
    }
    package private(set) var bytes = 0

    package init(bounds: Bounds) { self.bounds = bounds }

    /// Remembers commands that come from now on for another time.
    package mutating func setSpan(_ span: Duration) { bounds.span = span }

    package var count: Int { entries.count }

    /// Whether a command is remembered.
    package func contains(_ key: Key) -> Bool { entries[key] != nil }

    /// What is remembered of a job that has ended.
    package func history(of key: Key) -> JobHistory? { entries[key]?.history }

    /// Takes a command in.
    ///
    /// - Parameters:
    ///   - key: Under what it is known.
    ///   - sent: What it says.
    ///   - reply: Where its answer goes.
    ///   - expiry: When it may not start any more, on the clock of `now`.
    ///   - now: The time, as a span since an epoch of the caller's.
    /// - Returns: What becomes of it.
    package mutating func admit(
        _ key: Key,
        _ sent: SentCommand,
        reply: ReplyAddress,
        expiry: Duration,
        now: Duration
    ) -> Admission {
        if var entry = entries[key] {
            if entry.ends > now || !entry.isOver {
                guard entry.sent.isSame(as: sent) else { return .conflict }
                if let answer = entry.answer { return .replay(answer) }
                if !entry.replies.contains(reply) { entry.replies.append(reply) }
                entries[key] = entry
                return .joined
            }
            forget(key)
        }
        lastNumber += 1
        let entry = Entry(number: lastNumber, sent: sent, ends: max(now + bounds.span, expiry), replies: [reply])
        entries[key] = entry
        bytes += entry.bytes
        order.append(Place(key: key, number: lastNumber))
        makeRoom()
        return .new
    }

    /// Notes the number of a command in the journal.
    package mutating func set(journal number: Int64, of key: Key) { entries[key]?.journal = number }

    /// The number in the journal of a command that is under way.
    package func journal(of key: Key) -> Int64? { entries[key]?.journal }

    /// Where the answer of a command that is under way goes.
    package func replies(of key: Key) -> [ReplyAddress]? {
        entries[key].flatMap { $0.answer == nil ? $0.replies : nil }
    }

    /// Notes the answer of a command that is under way.
    ///
    /// - Returns: Where it goes; nil when the command is not remembered or has its answer already.
    package mutating func end(
        _ key: Key,
        with answer: EncodedResult,
        history: JobHistory? = nil
    ) -> [ReplyAddress]? {
        guard let place = entries.index(forKey: key), let ended = entries.values[place].end(with: answer, history)
        else {
            return nil
        }
        bytes += ended.bytes
        makeRoom()
        return ended.replies
    }

    /// Notes that the broker has a command's answer, or has refused it for good: nobody will hear of it later.
    package mutating func acknowledged(_ key: Key) {
        guard let place = entries.index(forKey: key), entries.values[place].acknowledge() else { return }
        late.append(Place(key: key, number: entries.values[place].number))
    }

    /// Forgets what is older than the window; to be called from time to time.
    package mutating func prune(now: Duration) {
        for (key, entry) in entries where entry.isOver && entry.ends <= now { forget(key) }
        makeRoom()
        order = remembered(order)
        late = remembered(late)
    }

    private func remembered(_ places: FIFO<Place>) -> FIFO<Place> {
        var places = places
        var rest = FIFO<Place>()
        while let place = places.popFirst() {
            if entries[place.key]?.number == place.number { rest.append(place) }
        }
        return rest
    }

    /// Forgets a command.
    package mutating func forget(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        bytes -= entry.bytes
    }

    /// Forgets the oldest whose answer has arrived, until the bounds hold, or all that are left are under way.
    ///
    /// Those under way may be many, when commands come faster than the broker takes answers: none is looked at twice.
    private mutating func makeRoom() {
        while entries.count > bounds.commands || bytes > bounds.bytes {
            guard let place = late.popFirst() ?? order.popFirst() else { return }
            guard let entry = entries[place.key], entry.number == place.number else { continue }
            if entry.isOver { forget(place.key) } else { entries[place.key]?.isPassed = true }
        }
    }
}

extension CommandOrigin {
    /// Under what the command is remembered; nil when its repetition cannot be known.
    package var replayKey: ReplayWindow.Key? {
        guard hasOwnID, !isAnonymous else { return nil }
        return ReplayWindow.Key(client: client, isIdentified: identity != nil, id: id.text)
    }
}
