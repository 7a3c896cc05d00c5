internal import BleCore
internal import EventLoop
internal import Journal

/// What an earlier life has left in the journal.
extension Agent {
    /// How long commands of an earlier life wait for Bluetooth before they are tried all the same.
    private static let patience = Duration.seconds(30)

    /// Opens the journal in the state directory and takes up what it holds.
    func openJournal(in path: String) async {
        var settings = JournalSettings(directory: path)
        settings.durability = configuration.durability == .power ? .power : .process
        settings.windowCount = configuration.limits.replayCommands
        settings.windowBytes = configuration.limits.replayBytes
        let outbox = configuration.outbox
        for (place, count) in [(\JournalSettings.events, outbox.events), (\.notifications, outbox.notifications)] {
            settings[keyPath: place] = OutboxLimits(count: count, bytes: outbox.bytes, ageMs: outbox.age.milliseconds)
        }
        let journal = JournalStore(settings, loop: loop)
        let (opened, opening) = AsyncStream.makeStream(of: Void.self)
        journal.onState = { [weak self] state in
            opening.finish()
            self?.assumeIsolated { $0.journalChanged(state) }
        }
        journal.open()
        let timer = loop.schedule(after: .seconds(10)) { opening.finish() }
        for await _ in opened {}
        loop.cancel(timer)
        self.journal = journal
        publisher.outbox.store = journal
        publisher.outbox.onDropsTold = { [weak self] in self?.assumeIsolated { $0.publishHealth() } }
        if journal.summary != nil { await recover() }
    }

    private func journalChanged(_ state: JournalState) {
        switch state {
        case .opening, .closed: return
        case .working:
            if journalProblem != nil { log.notice("Journal works again") }
            journalProblem = nil
            if journal != nil, !isRecovered { recoverLater() }
            publisher.outbox.diskIsBack()
        case .failed(let failure):
            journalProblem = failure.description
            log.error(
                "Journal fails: commands that change something are refused",
                [.path: configuration.stateDirectory, .error: failure.description]
            )
        }
        tellJournal()
    }

    /// Says in `info` and `health` how the journal is.
    private func tellJournal() {
        guard connection != nil, !isStopping else { return }
        publisher.retain(topics.info, .other, info.encode)
        publishHealth()
    }

    private func recoverLater() {
        // Unstructured because the journal's news starts it; it ends with the last page.
        Task.immediate(executorPreference: loop) { await self.recover() }
    }

    /// Takes up all commands that have not ended.
    private func recover() async {
        guard let journal, !isRecovered else { return }
        isRecovered = true
        var after: Int64 = 0
        var count = 0
        while true {
            let page = await withCheckedContinuation { continuation in
                journal.entries(.unfinished, after: after) { continuation.resume(returning: $0) }
            }
            guard case .success(let entries) = page, let last = entries.last else { break }
            after = last.number
            count += entries.count
            for entry in entries { recover(entry) }
        }
        if count > 0 { log.notice("Commands of an earlier start are taken up", [.count: String(count)]) }
        guard !recovered.isEmpty else { return }
        loop.schedule(after: Self.patience) { [weak self] in self?.assumeIsolated { $0.startRecovered() } }
    }

    private func recover(_ entry: JournalEntry) {
        let now = ContinuousClock.now - epoch
        let stored: StoredCommand
        do throws(BlobReader.Failure) {
            stored = try StoredCommand(
                fingerprint: entry.fingerprint,
                request: entry.request,
                nowMs: UTCTime.now.millisecondsSince1970,
                now: now
            )
        } catch {
            return answerUnreadable(entry)
        }
        switch decoder.decode(stored.message, makeID: { stored.id }) {
        case .ignored: answerUnreadable(entry)
        case .refused(var refusal):
            // The configuration is another one now.
            refusal.origin.journal = entry.number
            remember(refusal.origin, stored, entry, expiry: .zero, now: now)
            refuse(refusal)
        case .command(var command):
            command.origin.journal = entry.number
            command.mayHaveRun = entry.progress == .begun
            remember(command.origin, stored, entry, expiry: command.expiry.monotonic, now: now)
            recover(command, now: now)
        }
    }

    /// Takes a command into the window, with all who have asked for its answer.
    private func remember(
        _ origin: CommandOrigin,
        _ stored: StoredCommand,
        _ entry: JournalEntry,
        expiry: Duration,
        now: Duration
    ) {
        guard let key = origin.replayKey else { return }
        for reply in [origin.reply] + entry.replies.compactMap({ ReplyAddress(stored: $0) }) {
            _ = window.admit(key, stored.sent, reply: reply, expiry: expiry, now: now)
        }
        window.set(journal: entry.number, of: key)
    }

    /// Ends a command whose bytes say nothing to this version: its caller is known at least.
    private func answerUnreadable(_ entry: JournalEntry) {
        let (client, id) = (entry.key.client, String(entry.key.id.prefix { $0 != " " }))
        log.error("Command in the journal cannot be read", [.client: client, .id: id])
        var origin = CommandOrigin(
            id: CommandID(made: id, echo: .text(id)),
            client: client,
            target: .gateway(all: false),
            verb: nil,
            reply: ReplyAddress(topic: topics.result(client: client, id: id))
        )
        origin.journal = entry.number
        let error = OperationError(.internal, detail: "what the journal holds of the command cannot be read")
        var body = ResultBody.refused(Refusal(origin: origin, error: error, changesSomething: true))
        if entry.progress == .begun { body.applied = .maybe }
        answer(body)
    }

    private func recover(_ unresolved: Command, now: Duration) {
        let command: Command
        do throws(OperationError) {
            command = try resolved(unresolved)
        } catch {
            return refuse(unresolved.refusal(error.code, detail: error.detail))
        }
        if command.mayHaveRun, !command.retry.isIdempotent || command.expiry.monotonic <= now {
            answer(.unknown(command))
        } else if command.expiry.monotonic <= now {
            refuse(command.refusal(.expired, detail: "its time to start was over"))
        } else if isAllowed(command) {
            recovered.append(command)
            if bluetooth == .ready { startRecovered() }
        }
    }

    /// Starts what was accepted in an earlier life: Bluetooth is there, or will not come soon.
    func startRecovered() {
        let commands = recovered
        recovered = []
        // Only now BlueZ may have told whose addresses they name.
        for command in commands { start(named(command)) }
    }

    /// Writes what is left to the journal, and closes it.
    func closeJournal() async {
        guard let journal else { return }
        await waitForResults()
        await withCheckedContinuation { continuation in
            journal.close(within: .seconds(3)) { _ in continuation.resume() }
        }
    }
}

extension Agent {
    /// How the journal fares: what was dropped since the start, and before it as far as that has not been told.
    func journalHealth(_ journal: JournalStore) -> HealthMessage.Journal {
        var health = HealthMessage.Journal(journal.figures, problem: journalProblem)
        health.droppedEvents += publisher.outbox.toldDrops[.event] ?? 0
        health.droppedNotifications += publisher.outbox.toldDrops[.notification] ?? 0
        return health
    }
}

extension HealthMessage.Journal {
    fileprivate init(_ figures: JournalFigures, problem: String?) {
        self.init()
        commands = figures.entries
        fileBytes = figures.fileBytes
        results = figures.results.count
        events = figures.events.count
        notifications = figures.notifications.count
        droppedEvents = figures.events.dropped
        droppedNotifications = figures.notifications.dropped
        self.problem = problem
    }
}
