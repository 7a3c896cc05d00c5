internal import EventLoop
internal import Journal
internal import MQTT

/// The way to the broker of what must not be lost while it is away: straight through the client while there is a link,
/// over the disk while there is none.
///
/// With the link back the disk is emptied in order before anything goes straight again. Without a journal, or while it
/// fails, everything goes to the client, whose queue is bounded. Confined to the agent.
final class Outbox {
    private enum Path { case straight, kept, emptying }

    /// How many messages of the disk are with the client at the same time.
    private static let page = 64
    private static let retryGap = Duration.seconds(1)

    /// Where messages are kept; nil without a state directory.
    var store: JournalStore?
    private let client: MQTTClient
    private let loop: EventLoop
    private let log: Log
    private var limiter = LogRateLimiter<String>()
    private var path = Path.kept
    /// The last message of the disk that was handed over in this link.
    private var cursor: Int64 = 0
    /// Messages of the disk that the client has.
    private var handed: Set<Int64> = []
    private var outstanding = 0
    private var isReading = false
    /// Whether something was kept since the disk was last read.
    private var hasMore = false
    private var settled: [Int64] = []
    /// What was dropped and has been said in the log, by this life; the journal has forgotten it.
    private(set) var toldDrops: [OutboxClass: Int] = [:]
    private var isTellingDrops = false
    /// Called when it has been said what was dropped.
    var onDropsTold: (() -> Void)?

    init(client: MQTTClient, loop: EventLoop, log: Log) {
        self.client = client
        self.loop = loop
        self.log = log
    }

    // MARK: Messages

    /// Sends a message, or keeps it.
    ///
    /// - Parameters:
    ///   - publication: The message.
    ///   - messageClass: What may happen to it when too many wait.
    ///   - nowMs: The time, in milliseconds since 1970-01-01 UTC.
    ///   - outcome: Told when the broker or the disk has it (true), or when it had to be dropped (false).
    func send(
        _ publication: MQTTPublication,
        _ messageClass: OutboxClass,
        nowMs: Int64,
        _ outcome: (@Sendable (Bool) -> Void)? = nil
    ) {
        guard path != .straight, let store = working else { return hand(publication, outcome) }
        hasMore = true
        let message = OutboxMessage(
            id: store.newMessageID(),
            messageClass: messageClass,
            createdMs: nowMs,
            head: StoredPublication.head(of: publication),
            payload: publication.payload
        )
        store.append(message) { [weak self] result in
            guard case .failure(let failure) = result else {
                // For those who wait for the broker the disk is as good.
                outcome?(true)
                return
            }
            self?.notKept(publication, messageClass, failure, outcome)
        }
    }

    /// Sends a result that is on the disk already, or leaves it there for later.
    func send(_ publication: MQTTPublication, kept id: Int64) {
        guard path == .straight else {
            hasMore = true
            return
        }
        hand(publication, kept: id)
    }

    private func notKept(
        _ publication: MQTTPublication,
        _ messageClass: OutboxClass,
        _ failure: JournalFailure,
        _ outcome: (@Sendable (Bool) -> Void)?
    ) {
        log.debug("Message not kept on disk", [.topic: publication.topic, .error: failure.description])
        if messageClass == .result { hand(publication, outcome) } else { outcome?(false) }
    }

    private func hand(_ publication: MQTTPublication, _ outcome: (@Sendable (Bool) -> Void)?) {
        let refusal = client.assumeIsolated { client in
            guard let outcome else { return client.publish(publication) }
            return client.publish(publication) { end in
                // What the broker refuses it would refuse again.
                if case .dropped = end { outcome(false) } else { outcome(true) }
            }
        }
        guard refusal != nil else { return }
        if publication.delivery == .required, let suppressed = limiter.admit("result") {
            // The queue takes more results than commands can be accepted: whatever this is, a caller waits in vain.
            log.error(
                "Result found no place",
                [.topic: publication.topic, .suppressed: String(suppressed)]
            )
        }
        outcome?(false)
    }

    private func hand(_ publication: MQTTPublication, kept id: Int64) {
        guard handed.insert(id).inserted else { return }
        outstanding += 1
        let box = OutboxBox(self)
        let refusal = client.assumeIsolated { client in
            client.publish(publication) { box.outbox?.ended(id, $0) }
        }
        if refusal != nil { ended(id, .dropped(.queueFull)) }
    }

    private func ended(_ id: Int64, _ outcome: MQTTOutcome) {
        outstanding -= 1
        switch outcome {
        case .acknowledged, .unheard, .written: forget(id)
        case .refused(let code, let text):
            log.warning("Broker refuses a message that was kept", [.code: String(code), .reason: text])
            forget(id)
        // It is still on the disk.
        case .dropped: handed.remove(id)
        }
        if outstanding == 0 { empty() }
    }

    private func forget(_ id: Int64) {
        if settled.isEmpty {
            loop.schedule(after: .zero) { [weak self] in self?.removeSettled() }
        }
        settled.append(id)
    }

    private func removeSettled() {
        guard !settled.isEmpty else { return }
        let ids = settled
        settled = []
        store?.remove(ids) { [weak self] result in
            // What could not be removed is sent once more after a restart: its bytes are the same.
            if case .success = result { self?.handed.subtract(ids) }
        }
    }

    // MARK: The link

    func linkIsUp() {
        guard let store else {
            path = .straight
            return
        }
        path = store.state == .working ? .emptying : .straight
        cursor = 0
        hasMore = true
        empty()
    }

    func linkIsDown() { path = .kept }

    /// The journal works again: what stands on the disk goes out, whatever went straight meanwhile.
    func diskIsBack() {
        if path == .straight { linkIsUp() }
    }

    /// The disk is empty, or of no use: from now on messages go straight.
    private func goStraight() {
        path = .straight
        // What is told of the disk with the drops is then true of it.
        removeSettled()
        tellDrops()
    }

    private func tellDrops() {
        guard let store = working, !isTellingDrops else { return }
        let drops = OutboxClass.allCases.map { ($0, store.figures[$0].dropped) }.filter { $0.1 > 0 }
        guard !drops.isEmpty else { return }
        log.warning(
            "Messages were dropped while the broker was away",
            [
                .events: String(store.figures.events.dropped),
                .notifications: String(store.figures.notifications.dropped),
            ]
        )
        isTellingDrops = true
        store.forgetDrops(drops) { [weak self] result in
            guard let self else { return }
            self.isTellingDrops = false
            guard case .success = result else { return }
            for (messageClass, count) in drops { self.toldDrops[messageClass, default: 0] += count }
            self.onDropsTold?()
        }
    }

    /// Whether messages can be kept now.
    private var working: JournalStore? { store.flatMap { $0.state == .working ? $0 : nil } }

    /// Hands the next messages of the disk to the client, when those before have arrived.
    private func empty() {
        guard path == .emptying, !isReading, outstanding == 0 else { return }
        guard let store = working else {
            path = .straight
            return
        }
        isReading = true
        hasMore = false
        store.messages(after: cursor, limit: Self.page) { [weak self] in self?.take($0) }
    }

    private func take(_ result: Result<[OutboxMessage], JournalFailure>) {
        isReading = false
        guard path == .emptying else { return }
        guard case .success(let messages) = result else {
            loop.schedule(after: Self.retryGap) { [weak self] in self?.empty() }
            return
        }
        guard let last = messages.last else {
            if hasMore { empty() } else { goStraight() }
            return
        }
        cursor = last.id
        for message in messages where !handed.contains(message.id) {
            do throws(BlobReader.Failure) {
                let payload = message.payload ?? []
                hand(try StoredPublication.publication(head: message.head, payload: payload), kept: message.id)
            } catch {
                log.warning("Message of an earlier version cannot be read", [.count: "1"])
                forget(message.id)
            }
        }
        if outstanding == 0 { empty() }
    }
}

/// Carries the outbox through the client's `@Sendable` completion.
private final class OutboxBox: @unchecked Sendable {
    // Safe because: made, and used, on the loop's thread.
    weak var outbox: Outbox?

    init(_ outbox: Outbox) { self.outbox = outbox }
}
