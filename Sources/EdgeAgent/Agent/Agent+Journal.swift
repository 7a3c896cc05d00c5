internal import BleCore
internal import EventLoop
internal import Journal
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
        let place = device.map { ($0, arrivalLine(of: $0).reserve()) }
        let isBegun = beginsAtOnce(command)
        journal.accept(entry(for: command, stored, number, isBegun: isBegun)) { [weak self] result in
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
        return queue.running(on: device) == nil && queue.waiting(for: device) == 0
            && manager.assumeIsolated { $0.device(device)?.link.phase == .resolved }
    }

    private func entry(
        for command: Command,
        _ stored: StoredCommand,
        _ number: Int64,
        isBegun: Bool
    ) -> JournalEntry {
        let origin = command.origin
        let window = configuration.limits.replayWindow.milliseconds
        let key = JournalKey(
            client: origin.client,
            isIdentified: origin.identity != nil,
            // What has no id of its caller's is never repeated.
            id: origin.replayKey == nil ? "\(origin.id.text) \(number)" : origin.id.text
        )
        return JournalEntry(
            number: number,
            key: key,
            fingerprint: stored.sent.fingerprint,
            request: stored.request,
            isBegun: isBegun,
            createdMs: stored.message.arrivedMs,
            expiresMs: command.expiry.wallMs,
            windowEndsMs: max(saturatingSum(stored.message.arrivedMs, window), command.expiry.wallMs)
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
            refuse(command.refusal(.storageFailed, at: .agent, detail: detail, retryAfterMs: 5000))
            next(nil)
        }
    }

    /// Answers a command that was carried out in an earlier life.
    private func answer(repeated origin: CommandOrigin, _ sent: SentCommand, _ entry: JournalEntry) {
        var isSame = false
        do throws(BlobReader.Failure) {
            isSame = try SentCommand(fingerprint: entry.fingerprint).isSame(as: sent)
        } catch {}
        guard isSame, let payload = entry.answer else {
            if let key = origin.replayKey { window.forget(key) }
            refuse(.conflict(of: origin), isRemembered: false)
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

    /// Looks whether a command that is to be refused was carried out in an earlier life, when its time was not over yet.
    func refuseUnlessKnown(_ refusal: Refusal, _ sent: SentCommand) {
        guard let journal, let key = refusal.origin.replayKey, refusal.changesSomething else { return refuse(refusal) }
        journal.find(JournalKey(client: key.client, isIdentified: key.isIdentified, id: key.id)) { [weak self] found in
            self?.assumeIsolated { agent in
                guard case .success(let entry?) = found, entry.answer != nil else { return agent.refuse(refusal) }
                agent.answer(repeated: refusal.origin, sent, entry)
            }
        }
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
        let origin = kept.origin
        let replies = origin.replayKey.flatMap { window.replies(of: $0) } ?? [kept.result.reply]
        let publications = replies.map { publisher.publication(of: kept.result, to: $0) }
        let now = UTCTime.now.millisecondsSince1970
        let messages = publications.map { publication in
            OutboxMessage(
                id: journal.newMessageID(),
                messageClass: .result,
                createdMs: now,
                head: StoredPublication.head(of: publication),
                payload: nil
            )
        }
        ending += 1
        journal.end(kept.number, answer: kept.result.payload, publications: messages) { [weak self] outcome in
            self?.assumeIsolated { agent in
                agent.ending -= 1
                if case .failure(let failure) = outcome {
                    guard !agent.keepsTrying(kept, failure, then) else { return }
                    agent.log.error("Result cannot be kept", [.id: origin.id.text, .error: failure.description])
                    agent.deliver(kept.result, for: origin, history: kept.history)
                } else {
                    let asked = origin.replayKey.flatMap { key in
                        defer { agent.window.acknowledged(key) }
                        return agent.window.end(key, with: kept.result, history: kept.history)
                    }
                    for (publication, message) in zip(publications, messages) {
                        agent.publisher.send(publication, kept: message.id)
                    }
                    // Who asked while the disk was written to.
                    for reply in asked ?? [] where !replies.contains(reply) {
                        agent.publisher.publish(kept.result, to: reply)
                    }
                }
                then()
                agent.resultKept()
            }
        }
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
