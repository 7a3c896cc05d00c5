/// Keeps what Home Assistant is told in step with what there is: pure, told of changes, asked what to publish and when.
///
/// A topic whose components or whole device go is told in steps: whole, reduced, then as it is from now on; a server
/// removes only what it has seen whole since its own start. Whether one is there is known from its birth message alone,
/// so what went before one was heard is remembered, and goes once more when one comes.
package struct Announcer: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Pace: Sendable, Equatable {
        /// The least time between two messages.
        package var gap = Duration.milliseconds(50)
        /// The least time between two steps of one topic.
        package var step = Duration.milliseconds(1000)

        package init() {}
    }

    package enum Action: Sendable, Equatable {
        /// Publish this, retained; empty: take the topic away.
        case publish(topic: String, payload: [UInt8])
        /// All is announced to a server that has just come: availability and values once more.
        case renewStates
    }

    /// What comes next for a topic.
    private enum Step {
        case whole, reduced, final
    }

    private struct Entry {
        /// What is to be announced; nil: the topic is to be empty.
        var wanted: DeviceAnnouncement?
        var identity: String
        /// What was announced last.
        var announced: [String: HomePlatform] = [:]
        /// Components that are not announced any more, and that a server may still know.
        var leaving: [String: HomePlatform] = [:]
        /// The next step, and not before when; nil: all is said.
        var next: (step: Step, due: Instant)?
        /// Whether the next step only says once more what was said, because a server has come.
        var isRepeat = false
        /// Whether the topic was taken away; a server that comes is told once more.
        var isCleared = false
        /// The server's life in which it was told whole, if one was there.
        var toldIn: Int?

        /// Whether something has to go, which a server has to be told in steps.
        var isGoing: Bool { wanted == nil || !leaving.isEmpty }

        var components: [String: HomePlatform] {
            leaving.merging(wanted?.platforms ?? announced) { left, _ in left }
        }
    }

    /// The most topics that were taken away and are remembered.
    private static let maxCleared = 1024

    private let pace: Pace
    private var entries: [String: Entry] = [:]
    private var isConnected = false
    /// Counts the lives of the server; nil while nobody knows of one.
    private var life: Int?
    private var lastLife = 0
    /// When the next message may go out.
    private var free: Instant?
    /// Topics that a server that came has not been told yet; nil: none has come.
    private var untold: Set<String>?

    /// Takes up what an earlier life has announced: it is to go, unless it is wanted again.
    package init(_ announced: AnnouncedDevices = AnnouncedDevices(), pace: Pace = Pace()) {
        self.pace = pace
        for record in announced.records {
            var entry = Entry(wanted: nil, identity: record.identity, announced: record.components)
            entry.isCleared = record.isCleared
            entries[record.topic] = entry
        }
    }

    /// What has to be on the disk before the next message goes out.
    package var record: AnnouncedDevices {
        AnnouncedDevices(
            entries.sorted { $0.key < $1.key }.map { topic, entry in
                AnnouncedDevices.Record(
                    topic: topic,
                    identity: entry.identity,
                    components: entry.components,
                    isCleared: entry.isCleared
                )
            }
        )
    }

    /// Whether anything of the past is not taken back for certain.
    package var hasRemains: Bool { entries.values.contains(where: \.isGoing) }

    // MARK: What happens

    /// Says all that there is to announce; what was announced and is not among it goes.
    ///
    /// - Parameters:
    ///   - announcements: Of different topics.
    ///   - now: The present.
    package mutating func want(_ announcements: [DeviceAnnouncement], at now: Instant) {
        let wanted = Dictionary(announcements.map { ($0.topic, $0) }) { first, _ in first }
        for (topic, announcement) in wanted {
            var entry = entries[topic] ?? Entry(wanted: announcement, identity: announcement.identity)
            guard entry.wanted != announcement || entries[topic] == nil else { continue }
            let platforms = announcement.platforms
            let known = entry.leaving.merging(entry.announced) { left, _ in left }
            entry.leaving = known.filter { platforms[$0.key] == nil }
            // What is wanted again before it was gone may still go later.
            entry.announced = known.filter { platforms[$0.key] != nil }
            entry.wanted = announcement
            entry.isCleared = false
            entry.next = (entry.leaving.isEmpty ? .final : .whole, now)
            entry.isRepeat = false
            entries[topic] = entry
        }
        for (topic, var entry) in entries where wanted[topic] == nil && !entry.isCleared {
            guard entry.wanted != nil || entry.next == nil else { continue }
            entry.announced = entry.components
            entry.leaving = [:]
            entry.wanted = nil
            entry.next = (.whole, now)
            entry.isRepeat = false
            entries[topic] = entry
        }
    }

    /// Leaves a topic to somebody else.
    package mutating func abandon(_ topic: String) {
        entries[topic] = nil
        untold?.remove(topic)
    }

    /// The broker is there.
    ///
    /// - Parameters:
    ///   - isSessionKept: Whether it has what was published before.
    ///   - now: The present.
    ///   - delay: By chance, so that not all gateways speak at once.
    package mutating func connected(isSessionKept: Bool, at now: Instant, delay: Duration = .zero) {
        isConnected = true
        for (topic, entry) in entries where entry.next != nil || !isSessionKept && !entry.isCleared {
            entries[topic]?.next = (entry.isGoing ? .whole : .final, now + delay)
            entries[topic]?.isRepeat = false
        }
    }

    /// The broker is not there: of a server nothing is known any more.
    package mutating func disconnected() {
        isConnected = false
        life = nil
        untold = nil
    }

    /// A server has come: it is told everything after a delay that is up to chance.
    package mutating func serverCame(at now: Instant, delay: Duration) {
        lastLife += 1
        life = lastLife
        untold = Set(entries.keys)
        for (topic, entry) in entries {
            begin(topic, at: now + delay)
            if entry.next == nil { entries[topic]?.isRepeat = true }
        }
    }

    /// A message found no place on its way to the broker: it is tried again.
    package mutating func refused(_ topic: String, until due: Instant) {
        guard let entry = entries[topic] else { return }
        entries[topic]?.isCleared = false
        entries[topic]?.next = (entry.isGoing ? .whole : .final, due)
    }

    /// The server has gone; what was to be said once more for it is not.
    package mutating func serverWent() {
        life = nil
        untold = nil
        for (topic, entry) in entries where entry.isRepeat {
            entries[topic]?.next = nil
            entries[topic]?.isRepeat = false
        }
    }

    private mutating func begin(_ topic: String, at due: Instant) {
        guard let entry = entries[topic] else { return }
        // Whatever comes meanwhile moves it no further off.
        entries[topic]?.next = (entry.isGoing ? .whole : .final, entry.next.map { min($0.due, due) } ?? due)
    }

    // MARK: What to do

    /// When there is something to publish.
    package var nextDeadline: Instant? {
        guard isConnected, let earliest = entries.values.compactMap({ $0.next?.due }).min() else { return nil }
        return free.map { max($0, earliest) } ?? earliest
    }

    /// What to publish now.
    package mutating func due(at now: Instant) -> [Action] {
        guard isConnected, free.map({ $0 <= now }) ?? true, let topic = nextTopic(at: now) else { return [] }
        free = now + pace.gap
        var actions = [Action.publish(topic: topic, payload: advance(topic, at: now))]
        if untold?.isEmpty == true {
            untold = nil
            actions.append(.renewStates)
        }
        return actions
    }

    /// The topic that has waited longest; of several the first, where the gateway's stands before its devices'.
    private func nextTopic(at now: Instant) -> String? {
        entries.filter { $0.value.next.map { $0.due <= now } ?? false }
            .min { Self.order($0) < Self.order($1) }?.key
    }

    private static func order(_ item: (key: String, value: Entry)) -> (Instant, Int, String) {
        let isGateway = item.value.wanted.map { $0.via == nil } ?? false
        return (item.value.next?.due ?? .now, isGateway ? 0 : 1, item.key)
    }

    private func farewell(_ topic: String, _ entry: Entry, as form: DeviceAnnouncement.Leaving) -> [UInt8] {
        DeviceAnnouncement.farewell(topic: topic, identity: entry.identity, components: entry.components, as: form)
    }

    /// Carries out the next step of a topic.
    private mutating func advance(_ topic: String, at now: Instant) -> [UInt8] {
        guard var entry = entries[topic], let step = entry.next?.step else { return [] }
        entry.isRepeat = false
        let payload: [UInt8]
        switch (step, entry.wanted) {
        case (.whole, let wanted?):
            payload = wanted.encode(leaving: entry.leaving, as: .whole)
            entry.announced = wanted.platforms
            entry.next = (.reduced, now + pace.step)
            entry.toldIn = life
        case (.reduced, let wanted?):
            payload = wanted.encode(leaving: entry.leaving, as: .reduced)
            entry.next = (.final, now + pace.step)
        case (.final, let wanted?):
            payload = wanted.encode()
            entry.announced = wanted.platforms
            entry.next = nil
            if life != nil, entry.toldIn == life { entry.leaving = [:] }
            untold?.remove(topic)
        case (.whole, nil):
            payload = farewell(topic, entry, as: .whole)
            entry.isCleared = false
            entry.next = (.reduced, now + pace.step)
            entry.toldIn = life
        case (.reduced, nil):
            payload = farewell(topic, entry, as: .reduced)
            entry.next = (.final, now + pace.step)
        case (.final, nil):
            payload = []
            entry.next = nil
            entry.isCleared = true
            untold?.remove(topic)
            let isSeen = life != nil && entry.toldIn == life
            if isSeen || entries.values.count(where: \.isCleared) >= Self.maxCleared {
                entries[topic] = nil
                return payload
            }
        }
        entries[topic] = entry
        return payload
    }
}
