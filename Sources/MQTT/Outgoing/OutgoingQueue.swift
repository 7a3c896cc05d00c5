import EventLoop

/// What waits to be handed to libmosquitto: bounded, in order, and with a rule for each class when it is full.
///
/// A value without a clock: the instants come from the caller. Messages leave in the order in which they came, save
/// that those given back after a lost link go first, and then those marked `first`.
package struct OutgoingQueue {
    package typealias Instant = ContinuousClock.Instant

    /// A message on its way; a class because it goes through several hands.
    package final class Entry {
        package let publication: MQTTPublication
        package let completion: (@Sendable (MQTTOutcome) -> Void)?
        package let deadline: Instant?
        /// What it takes in the queue.
        package let bytes: Int
        /// Whether libmosquitto has had it before.
        package var handedOver = false
        /// Links in a row that broke while the message was the oldest without an acknowledgement.
        package var brokenLinks = 0

        package init(
            publication: MQTTPublication,
            completion: (@Sendable (MQTTOutcome) -> Void)? = nil,
            deadline: Instant? = nil
        ) {
            self.publication = publication
            self.completion = completion
            self.deadline = deadline
            bytes = publication.bytes
        }
    }

    package struct Dropped {
        package var entry: Entry
        package var reason: MQTTDropReason
    }

    private enum Lane: Int, CaseIterable {
        case returned, first, required, ordered, expendable
    }

    package var limits: MQTTOutgoingLimits
    private var entries: [UInt64: Entry] = [:]
    /// Numbers in the order of their lane; those without an entry have been taken out.
    private var lanes = Lane.allCases.map { _ in FIFO<UInt64>() }
    private var replaceable: [String: UInt64] = [:]
    private var lastNumber: UInt64 = 0
    private var requiredCount = 0
    private var requiredBytes = 0

    package private(set) var bytes = 0
    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }
    /// Whether more than half of what the bounds allow is taken.
    package var isPastHalf: Bool { entries.count > limits.messages / 2 || bytes > limits.bytes / 2 }

    package init(limits: MQTTOutgoingLimits) { self.limits = limits }

    /// Takes a message, and tells which others, or it itself, had to go for it.
    ///
    /// - Throws: `.queueFull` when the required class is at its cap.
    package mutating func append(_ entry: Entry) throws(MQTTRefusal) -> [Dropped] {
        let publication = entry.publication
        if publication.delivery == .required {
            let replacing = publication.replaces ? replaceable[publication.topic].flatMap { entries[$0] } : nil
            let isReplaced = replacing?.publication.delivery == .required
            let freed = isReplaced ? replacing?.bytes ?? 0 : 0
            guard requiredCount - (isReplaced ? 1 : 0) < limits.requiredMessages,
                requiredBytes - freed + entry.bytes <= limits.requiredBytes
            else { throw .queueFull }
        }
        var dropped: [Dropped] = []
        if publication.replaces, let old = replaceable[publication.topic], let entry = remove(old) {
            dropped.append(Dropped(entry: entry, reason: .replaced))
        }
        let lane: Lane =
            if publication.first { .first } else {
                switch publication.delivery {
                case .required: .required
                case .ordered: .ordered
                case .expendable: .expendable
                }
            }
        insert(entry, in: lane)
        shrink(into: &dropped)
        return dropped
    }

    /// Puts messages back that a lost link had not confirmed, before all others; in the order given.
    package mutating func giveBack(_ returned: [Entry]) {
        // What an earlier link lost and this one never took stands behind what this one had taken.
        var waiting: [UInt64] = []
        while let number = lanes[Lane.returned.rawValue].popFirst() { waiting.append(number) }
        for entry in returned {
            entry.handedOver = true
            insert(entry, in: .returned)
        }
        for number in waiting where entries[number] != nil { lanes[Lane.returned.rawValue].append(number) }
    }

    /// The message that goes next.
    package mutating func first() -> Entry? { firstNumber().flatMap { entries[$0.number] } }

    /// Takes the message that goes next.
    package mutating func popFirst() -> Entry? {
        guard let (lane, number) = firstNumber() else { return nil }
        _ = lanes[lane].popFirst()
        return remove(number)
    }

    /// Takes out all messages of the expendable class, as when there is no link.
    package mutating func dropExpendable() -> [Dropped] {
        var dropped: [Dropped] = []
        for (number, entry) in entries where entry.publication.delivery == .expendable {
            if let entry = remove(number) { dropped.append(Dropped(entry: entry, reason: .linkLost)) }
        }
        return dropped
    }

    /// Takes out everything, in order.
    package mutating func removeAll() -> [Entry] {
        var all: [Entry] = []
        while let entry = popFirst() { all.append(entry) }
        return all
    }

    private mutating func insert(_ entry: Entry, in lane: Lane) {
        lastNumber += 1
        entries[lastNumber] = entry
        lanes[lane.rawValue].append(lastNumber)
        bytes += entry.bytes
        if entry.publication.delivery == .required {
            requiredCount += 1
            requiredBytes += entry.bytes
        }
        // What was given back is older than what waits.
        if entry.publication.replaces, lane != .returned || replaceable[entry.publication.topic] == nil {
            replaceable[entry.publication.topic] = lastNumber
        }
    }

    private mutating func remove(_ number: UInt64) -> Entry? {
        guard let entry = entries.removeValue(forKey: number) else { return nil }
        bytes -= entry.bytes
        if entry.publication.delivery == .required {
            requiredCount -= 1
            requiredBytes -= entry.bytes
        }
        let publication = entry.publication
        if publication.replaces, replaceable[publication.topic] == number { replaceable[publication.topic] = nil }
        return entry
    }

    /// Drops the oldest of the classes that may go until the bounds hold, or none of them is left.
    private mutating func shrink(into dropped: inout [Dropped]) {
        for lane in [Lane.expendable, .ordered] {
            while entries.count > limits.messages || bytes > limits.bytes {
                guard let number = lanes[lane.rawValue].popFirst() else { break }
                if let entry = remove(number) { dropped.append(Dropped(entry: entry, reason: .queueFull)) }
            }
        }
        compact()
    }

    private mutating func firstNumber() -> (lane: Int, number: UInt64)? {
        for lane in lanes.indices where !lanes[lane].isEmpty {
            while let number = lanes[lane].first, entries[number] == nil { _ = lanes[lane].popFirst() }
        }
        for lane in [Lane.returned.rawValue, Lane.first.rawValue] {
            if let number = lanes[lane].first { return (lane, number) }
        }
        var best: (lane: Int, number: UInt64)?
        for lane in [Lane.required.rawValue, Lane.ordered.rawValue, Lane.expendable.rawValue] {
            if let number = lanes[lane].first, number < best?.number ?? .max { best = (lane, number) }
        }
        return best
    }

    /// Replaced messages leave their numbers behind: many of them, while there is no link, would be a leak.
    private mutating func compact() {
        var numbers = 0
        for lane in lanes.indices { numbers += lanes[lane].count }
        guard numbers > 2 * entries.count + 64 else { return }
        for lane in lanes.indices {
            var live = FIFO<UInt64>()
            while let number = lanes[lane].popFirst() {
                if entries[number] != nil { live.append(number) }
            }
            lanes[lane] = live
        }
    }
}
