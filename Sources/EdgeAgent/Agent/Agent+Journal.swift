internal import BleCore
internal import EventLoop
internal import Journal
internal import MQTT
internal import TaskQueue

/// Accepting what changes something: it is in the journal before it runs, and its result before it is published.
extension Agent {
    /// How long a result waits for a disk that does not take it before it goes out all the same.
    private static let endPatience = Duration.seconds(10)

    /// Starts a command that is in order and new: one that changes something once it is in the journal.
    ///
    /// A device's commands keep their order of arrival.
    func accept(_ command: Command, _ message: IncomingCommand) {
        // Somebody waits for it who may be the first in that very line.
        if case .pairAnswer = command.request { return start(command) }
        let device = command.origin.device?.address
        guard let journal, command.request.isJournalled else {
            if let device, let line = arrivals[device] {
                line.append(command)
            } else {
                start(command)
            }
            return
        }
        let number = journal.newNumber()
        var command = command
        command.origin.journal = number
        if let key = command.origin.replayKey { window.set(journal: number, of: key) }
        let stored = StoredCommand(message, id: command.origin.id.text)
        let isBegun = beginsAtOnce(command)
        let place = device.map { ($0, arrivalLine(of: $0).reserve()) }
        let (origin, expiresMs) = (command.origin, command.expiry.wallMs)
        let entry = entry(for: origin, stored, number, expiresMs: expiresMs, isBegun: isBegun)
        journal.accept(entry) { [weak self] result in
            self?.assumeIsolated { agent in
                if isBegun, case .success(.accepted) = result { agent.begun.insert(number) }
                agent.admitted(command, stored, result) { command in
                    guard let (device, place) = place, let line = agent.arrivals[device] else {
                        if let command { agent.start(command) }
                        return
                    }
                    line.fill(place, command)
                    agent.startReady(line, of: device)
                }
            }
        }
    }

    /// Whether nothing stands between a command and its device: one commit notes its coming and its beginning then.
    private func beginsAtOnce(_ command: Command) -> Bool {
        guard command.request.sends, let device = command.origin.device?.address else { return false }
        return arrivals[device] == nil && queue.running(on: device) == nil && queue.waiting(for: device) == 0
            && manager.assumeIsolated { $0.device(device)?.link.phase == .resolved }
    }

    private func entry(
        for origin: CommandOrigin,
        _ stored: StoredCommand,
        _ number: Int64,
        expiresMs: Int64,
        isBegun: Bool
    ) -> JournalEntry {
        let window = configuration.limits.replayWindow.milliseconds
        var key = JournalKey(client: origin.client, isIdentified: origin.identity != nil, id: origin.id.text)
        // What has no id of its caller's is never repeated.
        if origin.replayKey == nil { key.id += " \(number)" }
        return JournalEntry(
            number: number,
            key: key,
            fingerprint: stored.sent.fingerprint,
            request: stored.request,
            isBegun: isBegun,
            createdMs: stored.message.arrivedMs,
            expiresMs: expiresMs,
            windowEndsMs: max(saturatingSum(stored.message.arrivedMs, window), expiresMs)
        )
    }

    /// Takes up whether the journal has a command; what is to start is handed on.
    private func admitted(
        _ command: Command,
        _ stored: StoredCommand,
        _ result: Result<JournalAdmission, JournalFailure>,
        _ next: (Command?) -> Void
    ) {
        switch result {
        case .success(.accepted): next(command)
        case .success(.known(let entry)):
            answer(repeated: command.origin, stored.sent, entry)
            next(nil)
        case .failure(let failure):
            var command = command
            command.origin.journal = nil
            let detail = "the command cannot be kept: \(failure)"
            // What waits for somebody's hand has no time.
            let retryAfterMs = failure.isPermanent ? nil : 5000
            let refusal = command.refusal(.storageFailed, at: .agent, detail: detail, retryAfterMs: retryAfterMs)
            record(refusal, stored, expiresMs: command.expiry.wallMs)
            next(nil)
        }
    }

    /// Refuses a command for good: a later start must not carry out what its caller knows as refused.
    ///
    /// On a full disk the journal's reserve takes the answer, as long as it lasts.
    private func record(_ refusal: Refusal, _ stored: StoredCommand, expiresMs: Int64) {
        guard let journal, journal.summary != nil, refusal.origin.replayKey != nil else { return refuse(refusal) }
        var entry = entry(for: refusal.origin, stored, journal.newNumber(), expiresMs: expiresMs, isBegun: false)
        entry.request = []
        entry.fingerprint = stored.sent.shortFingerprint
        // Nothing is said of a refusal, and no number of a result used, when there is an answer already.
        ending += 1
        journal.find(entry.key) { [weak self] found in
            self?.assumeIsolated { agent in
                guard case .success(let known?) = found, known.windowEndsMs > stored.message.arrivedMs else {
                    return agent.record(refusal, stored, entry)
                }
                agent.ending -= 1
                agent.answer(repeated: refusal.origin, stored.sent, known)
                agent.resultKept()
            }
        }
    }

    private func record(_ refusal: Refusal, _ stored: StoredCommand, _ entry: JournalEntry) {
        guard let journal else { return }
        let origin = refusal.origin
        noteRefusal(refusal)
        let body = ResultBody.refused(refusal)
        audit.ended(body)
        counters.results += 1
        let kept = KeptResult(publisher.encode(body), entry.number, origin, nil)
        let carriers = carriers(of: kept)
        let (payload, messages) = (kept.result.payload, carriers.map(\.message))
        journal.record(entry, answer: payload, publications: messages) { [weak self] outcome in
            self?.assumeIsolated { agent in
                agent.ending -= 1
                switch outcome {
                case .success(.accepted): agent.send(kept, carriers)
                case .success(.known(let known)): agent.answer(repeated: origin, stored.sent, known)
                case .failure: agent.deliver(kept.result, for: origin)
                }
                agent.publisher.observe(body)
                agent.resultKept()
            }
        }
    }

    /// Answers a command that was carried out in an earlier life.
    private func answer(repeated origin: CommandOrigin, _ sent: SentCommand, _ entry: JournalEntry) {
        guard sent.isSame(asKept: entry.fingerprint) else {
            if let key = origin.replayKey { window.forget(key) }
            return refuse(.conflict(of: origin), isRemembered: false)
        }
        guard let payload = entry.answer else {
            // It is taken up again just now, and its answer is this one's.
            if let key = origin.replayKey { window.set(journal: entry.number, of: key) }
            return
        }
        counters.repeated += 1
        let result = EncodedResult(reply: origin.reply, stored: payload)
        publish(known: result, for: origin)
    }

    /// Sends the answer of an earlier life to all who have asked for it again.
    private func publish(known result: EncodedResult, for origin: CommandOrigin) {
        let replies = origin.replayKey.flatMap { window.end($0, with: result) } ?? [origin.reply]
        for reply in replies { publisher.publish(result, to: reply, replayed: true) }
        if let key = origin.replayKey { window.acknowledged(key) }
    }

    /// Refuses a command that could be read, unless it was answered in an earlier life: when its time was not over yet,
    /// or under another configuration.
    func refuseUnlessKnown(_ refusal: Refusal, _ message: IncomingCommand) {
        guard refusal.changesSomething else { return refuse(refusal) }
        record(refusal, StoredCommand(message, id: refusal.origin.id.text), expiresMs: message.arrivedMs)
    }

    // MARK: Order

    private func arrivalLine(of device: DeviceAddress) -> ArrivalLine {
        if let line = arrivals[device] { return line }
        let line = ArrivalLine()
        arrivals[device] = line
        return line
    }

    private func startReady(_ line: ArrivalLine, of device: DeviceAddress) {
        while let command = line.next() {
            if let command { start(command) }
        }
        if line.isEmpty, arrivals[device] === line { arrivals[device] = nil }
    }

    // MARK: The end

    /// Notes that something may be done to the device from now on; nothing goes out before the journal has it.
    func markBegun(_ number: Int64, _ scope: OperationScope) {
        guard let journal, !begun.contains(number) else { return scope.permit(.success(())) }
        beginning[number, default: []].append(scope)
        // The members of a group share a number.
        guard beginning[number]?.count == 1 else { return }
        journal.begin(number) { [weak self] result in self?.assumeIsolated { $0.hasBegun(number, result) } }
    }

    private func hasBegun(_ number: Int64, _ result: Result<Void, JournalFailure>) {
        let verdict: Result<Void, any Error>
        switch result {
        case .success:
            begun.insert(number)
            verdict = .success(())
        case .failure(let failure):
            let detail = "the command cannot be kept: \(failure)"
            verdict = .failure(OperationError(.storageFailed, at: .agent, detail: detail))
        }
        for scope in beginning.removeValue(forKey: number) ?? [] { scope.permit(verdict) }
    }

    /// Puts a result into the journal, then publishes it.
    func keep(
        _ result: EncodedResult,
        of number: Int64,
        for origin: CommandOrigin,
        _ history: JobHistory?,
        _ then: @escaping @Sendable () -> Void
    ) {
        begun.remove(number)
        keep(KeptResult(result, number, origin, history), then)
    }

    private func keep(_ kept: KeptResult, _ then: @escaping @Sendable () -> Void) {
        guard let journal else { return }
        let carriers = carriers(of: kept)
        let (payload, messages) = (kept.result.payload, carriers.map(\.message))
        ending += 1
        journal.end(kept.number, answer: payload, publications: messages) { [weak self] outcome in
            self?.assumeIsolated { agent in
                agent.ending -= 1
                if case .failure(let failure) = outcome {
                    guard !agent.keepsTrying(kept, failure, then) else { return }
                    agent.log.error("Result cannot be kept", [.id: kept.origin.id.text, .error: failure.description])
                    agent.deliver(kept.result, for: kept.origin, history: kept.history)
                } else {
                    agent.send(kept, carriers)
                }
                then()
                agent.resultKept()
            }
        }
    }

    /// The messages that carry a result to all who have asked for it, as MQTT and as the journal have them.
    private func carriers(of kept: KeptResult) -> [(publication: MQTTPublication, message: OutboxMessage)] {
        guard let journal else { return [] }
        let replies = kept.origin.replayKey.flatMap { window.replies(of: $0) } ?? [kept.result.reply]
        let now = UTCTime.now.millisecondsSince1970
        return replies.map { reply in
            let publication = publisher.publication(of: kept.result, to: reply)
            let message = OutboxMessage(
                id: journal.newMessageID(),
                messageClass: .result,
                createdMs: now,
                head: StoredPublication.head(of: publication),
                payload: nil
            )
            return (publication, message)
        }
    }

    /// Publishes a result that the journal has.
    private func send(_ kept: KeptResult, _ carriers: [(publication: MQTTPublication, message: OutboxMessage)]) {
        for (publication, message) in carriers { publisher.send(publication, kept: message.id) }
        guard let key = kept.origin.replayKey,
            let asked = window.end(key, with: kept.result, history: kept.history)
        else { return }
        // Who asked while the disk was written to.
        let told = carriers.map {
            ReplyAddress(topic: $0.publication.topic, correlationData: $0.publication.correlationData)
        }
        for reply in asked where !told.contains(reply) {
            publisher.publish(kept.result, to: reply)
        }
        window.acknowledged(key)
    }

    /// Tries again to keep a result: as long as it is not in the journal, a restart would tell something else.
    private func keepsTrying(_ kept: KeptResult, _ failure: JournalFailure, _ then: @escaping @Sendable () -> Void)
        -> Bool
    {
        guard failure.isOfStore, ContinuousClock.now - kept.since < Self.endPatience, !isStopping else { return false }
        ending += 1
        loop.schedule(after: .milliseconds(250)) { [weak self] in
            self?.assumeIsolated { agent in
                agent.ending -= 1
                agent.keep(kept, then)
            }
        }
        return true
    }

    /// Publishes a result that no journal holds.
    func deliver(_ result: EncodedResult, for origin: CommandOrigin, history: JobHistory? = nil) {
        guard let key = origin.replayKey, let replies = window.end(key, with: result, history: history) else {
            return publisher.publish(result, to: result.reply)
        }
        for reply in replies {
            publisher.publish(result, to: reply) { [weak self] in
                self?.assumeIsolated { $0.window.acknowledged(key) }
            }
        }
    }

    private func resultKept() {
        guard ending == 0, let waiter = endWaiter else { return }
        endWaiter = nil
        waiter.resume()
    }

    /// Waits until no result is on its way to the journal.
    func waitForResults() async {
        guard ending > 0 else { return }
        await withCheckedContinuation { endWaiter = $0 }
    }
}

/// A result on its way into the journal.
private struct KeptResult {
    let result: EncodedResult
    let number: Int64
    let origin: CommandOrigin
    let history: JobHistory?
    let since = ContinuousClock.now

    init(_ result: EncodedResult, _ number: Int64, _ origin: CommandOrigin, _ history: JobHistory?) {
        self.result = result
        self.number = number
        self.origin = origin
        self.history = history
    }
}
