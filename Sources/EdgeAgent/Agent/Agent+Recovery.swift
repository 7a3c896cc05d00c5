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
        if journal.summary != nil { await recover() }
    }

    private func journalChanged(_ state: JournalState) {
        switch state {
        case .opening, .closed: return
        case .working:
            if journalProblem != nil { log.notice("Journal works again") }
            journalProblem = nil
            if journal != nil, !isRecovered { recoverLater() }
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
            log.error("Command in the journal cannot be read", [.client: entry.key.client, .id: entry.key.id])
            journal?.end(entry.number, answer: [], publications: []) { _ in }
            return
        }
        switch decoder.decode(stored.message, makeID: { stored.id }) {
        case .ignored: journal?.end(entry.number, answer: [], publications: []) { _ in }
        case .refused(var refusal):
            // The configuration is another one now; or its time was over when it came.
            refusal.origin.journal = entry.number
            refuse(refusal)
        case .command(var command):
            command.origin.journal = entry.number
            defer { command.origin.replayKey.map { window.set(journal: entry.number, of: $0) } }
            if let key = command.origin.replayKey {
                _ = window.admit(
                    key,
                    stored.sent,
                    reply: command.origin.reply,
                    expiry: command.expiry.monotonic,
                    now: now
                )
                for reply in entry.replies {
                    guard let reply = ReplyAddress(stored: reply) else { continue }
                    _ = window.admit(key, stored.sent, reply: reply, expiry: command.expiry.monotonic, now: now)
                }
            }
            recover(command, isBegun: entry.progress == .begun, now: now)
        }
    }

    private func recover(_ command: Command, isBegun: Bool, now: Duration) {
        if isBegun, !command.retry.isIdempotent || command.expiry.monotonic <= now {
            let detail = "the agent ended while the command was carried out"
            let error = OperationError(.outcomeUnknown, at: .operate, detail: detail)
            answer(.failed(command, error, applied: .maybe))
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

extension HealthMessage.Journal {
    init(_ figures: JournalFigures, problem: String?) {
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
