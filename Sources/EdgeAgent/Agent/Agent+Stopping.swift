internal import BleCore
internal import EventLoop
internal import Journal
internal import MQTT
internal import Systemd
internal import TaskQueue

extension Agent {
    /// Does what comes up from time to time, until the task is cancelled.
    func run() async throws {
        // What only the start needs is done with by then.
        loop.schedule(after: .seconds(2)) { SystemMemory.giveBack() }
        scheduleHealth()
        while true { try await loop.sleep(for: .seconds(86_400)) }
    }

    /// Does what is due with each message of `health`.
    func lookAround() {
        SystemMemory.giveBack()
        publishHealth()
        window.prune(now: ContinuousClock.now - epoch)
        forgetUnused()
    }

    /// Calls a handler when a command asks for a restart.
    func observeRestart(_ handler: @escaping @Sendable () -> Void) { onRestart = handler }

    /// Answers first, then has the process end in order: who watches over it starts it again.
    func restart(_ command: Command) {
        log.notice("Agent is restarted by a command", [.client: command.origin.client, .id: command.origin.id.text])
        succeed(command, .nothing)
        onRestart?()
    }

    /// Ends the agent's work in order: nothing new, what runs comes to its result, links are released, goodbye is said.
    ///
    /// The result of each command that was accepted is on its way to the broker when this returns.
    func stop() async {
        guard !isStopping else { return }
        isStopping = true
        ServiceManager.stopping()
        log.info("Agent is stopping", [.count: String(running.count), .queue: String(queue.waiting)])
        recovered = []
        for job in queue.close() where !staysInJournal(job) {
            refuse(job, job.command.refusal(.shuttingDown, detail: "the agent is stopping"))
        }
        for run in groups.values { leaveRest(of: run, detail: "the agent is stopping") }
        for number in Array(delayed.keys) { refuseDelayed(number, .shuttingDown, detail: "the agent is stopping") }
        for job in gatewayJobs.values { job.scope.cancel() }
        endKeeping()
        for current in running.values where current.job.isOwn { current.scope.cancel() }
        await finishRunning()
        for subscription in subscriptions.all { flush(subscription) }
        for name in Array(sessions.keys) { _ = stopSession(name, reason: "shutdown") }
        await waitForResults()
        await releaseLinks()
        await forgetOwnLinks()
        await keepAnnouncements()
        await keepRemote()
        await sayGoodbye()
        await audit.close()
        stopMetrics()
    }

    /// Whether a job that waits is left to the next start, which finds it in the journal.
    private func staysInJournal(_ job: Job) -> Bool {
        guard job.purpose == .command, journal?.state == .working else { return false }
        return job.command.origin.journal != nil
    }

    /// Lets running jobs come to their end, within the grace of the configuration; then cancels them.
    private func finishRunning() async {
        guard !isIdle else { return }
        let timer = loop.schedule(after: configuration.shutdownGrace) { [weak self] in
            self?.assumeIsolated { agent in
                for job in agent.running.values where !job.isAnswered { job.scope.cancel() }
            }
        }
        await withCheckedContinuation { stopWaiter = $0 }
        loop.cancel(timer)
    }

    /// Whether every command that has begun has its result.
    var isIdle: Bool { running.values.allSatisfy(\.isAnswered) && gatewayJobs.isEmpty && groups.isEmpty }

    /// Drops the links that this agent has made.
    private func releaseLinks() async {
        let ours = await manager.devices.filter { $0.link.owner == .`self` }.map(\.advertisement.address)
        await withDiscardingTaskGroup { group in
            for address in ours { group.addTask { await self.release(address, within: .seconds(3)) } }
        }
    }

    /// Publishes `offline` and waits a little for the broker to have it.
    private func sayGoodbye() async {
        guard connection != nil else { return }
        let (said, saying) = AsyncStream.makeStream(of: Void.self)
        let timer = loop.schedule(after: .seconds(2)) { saying.finish() }
        publisher.sayOffline { saying.finish() }
        for await _ in said {}
        loop.cancel(timer)
    }
}
