internal import BleCore
internal import EventLoop

/// What outlives the process.
extension Agent {
    /// How long it takes until a subscription that could not be made again is tried anew on a standing link.
    private static let retryGap = Duration.seconds(30)

    /// Takes the state directory, and takes up what an earlier life has left in it.
    ///
    /// Without one that can be used the agent works all the same, and says so.
    ///
    /// - Parameters:
    ///   - taken: The directory, or why it cannot be used.
    ///   - worker: Waits for the disk.
    func openState(_ taken: Result<StateDirectory, StateFailure>, _ worker: Worker) async {
        let path = configuration.stateDirectory
        do {
            let (directory, own, links, subscriptions, scans, announced, known) = try await worker.run {
                let directory = try taken.get()
                let names = (DurableSubscriptions.fileName, DurableScans.fileName, KeptLinks.fileName)
                return (
                    directory,
                    try directory.read(OwnLinks.fileName, limit: OwnLinks.maxBytes).map { OwnLinks.decode($0) },
                    try directory.read(names.2, limit: KeptLinks.maxBytes).map {
                        try KeptLinks.decode($0, path: "\(path)/\(names.2)")
                    },
                    try directory.read(names.0, limit: DurableSubscriptions.maxBytes).map {
                        try DurableSubscriptions.decode($0, path: "\(path)/\(names.0)")
                    },
                    try directory.read(names.1, limit: DurableScans.maxBytes).map {
                        try DurableScans.decode($0, path: "\(path)/\(names.1)")
                    },
                    try directory.read(AnnouncedDevices.fileName, limit: AnnouncedDevices.maxBytes).map {
                        try AnnouncedDevices.decode($0, path: "\(path)/\(AnnouncedDevices.fileName)")
                    },
                    try directory.read(KeptProfiles.fileName, limit: KeptProfiles.maxBytes).map {
                        try KeptProfiles.decode($0, path: "\(path)/\(KeptProfiles.fileName)")
                    }
                )
            }
            subscriptionFile = StateFile(DurableSubscriptions.fileName, in: directory, loop: loop, worker: worker)
            scanFile = StateFile(DurableScans.fileName, in: directory, loop: loop, worker: worker)
            linkFile = StateFile(KeptLinks.fileName, in: directory, loop: loop, worker: worker)
            ownLinkFile = StateFile(OwnLinks.fileName, in: directory, loop: loop, worker: worker, isSynced: false)
            stateProblem = nil
            startRemote(StateFile(RemoteMemory.fileName, in: directory, loop: loop, worker: worker))
            restore(own: own ?? [])
            if let links { restore(links) }
            if let subscriptions { restore(subscriptions) }
            if let scans { restore(scans) }
            restore(
                known ?? KeptProfiles(),
                in: StateFile(KeptProfiles.fileName, in: directory, loop: loop, worker: worker)
            )
            let announcedFile = StateFile(AnnouncedDevices.fileName, in: directory, loop: loop, worker: worker)
            startHomeAssistant(announced, in: announcedFile)
            await openJournal(in: path)
        } catch {
            stateProblem = "\(error)"
            log.warning(
                "State directory cannot be used: nothing is kept over a restart",
                [.path: path, .error: "\(error)"]
            )
            startHomeAssistant(nil, in: nil)
            startRemote(nil)
        }
    }

    private func restore(_ kept: DurableSubscriptions) {
        let now = UTCTime.now.millisecondsSince1970
        for record in kept.records {
            let device = target(record.address)
            let subscription = subscriptions.make(for: record.id, of: device, topic: topic(of: record.id, device))
            subscription.stands = false
            for holder in record.holders {
                var lease: (span: Duration, endsMs: Int64)?
                var remaining: Duration?
                if let kept = holder.lease {
                    remaining = kept.remaining(atMs: now)
                    if remaining == nil { continue }
                    lease = (kept.span, kept.endsMs)
                }
                hold(subscription, holder.client, isDurable: true, lease: lease, after: remaining)
            }
            guard !subscription.holders.isEmpty else {
                subscriptions.remove(subscription)
                // The broker still has what its last holder wanted retained.
                if record.retainsLast { publisher.clear(subscription.topic) }
                continue
            }
            subscription.retainsLast = record.retainsLast
            subscription.pollInterval = record.poll
            change(subscription, to: record.coalesce)
            markUse(of: record.address)
            updateKeeping(record.address)
        }
        let count = subscriptions.all.count
        if count > 0 { log.info("Subscriptions are taken up again", [.count: String(count)]) }
    }

    /// Writes down which subscriptions are to survive.
    ///
    /// - Returns: once they are on the disk: nothing; or a warning that they are not.
    func keepSubscriptions() async -> [String] {
        guard let subscriptionFile else { return [Self.notKept(stateProblem ?? "there is no state directory")] }
        let failure = await subscriptionFile.save(DurableSubscriptions(subscriptions).encode())
        noteState(failure)
        return failure.map { [Self.notKept($0.description)] } ?? []
    }

    static func notKept(_ problem: String) -> String { "durable: not kept: \(problem)" }

    /// Takes up what came of a save.
    func noteState(_ failure: StateFailure?) {
        let problem = failure?.description
        guard problem != stateProblem else { return }
        stateProblem = problem
        if let problem { log.error("State is not kept", [.error: problem]) }
        if connection != nil { publisher.retain(topics.info, .other, info.encode) }
    }

    /// Makes the subscriptions of an earlier life stand on a link that is there now.
    func standAgain(_ address: DeviceAddress) {
        guard !isStopping, !standing.contains(address), isWaiting(address) else { return }
        standing.insert(address)
        if let timer = standTimers.removeValue(forKey: address) { loop.cancel(timer) }
        // Unstructured because an event starts it; the scope bounds it.
        Task.immediate(executorPreference: loop) {
            let scope = OperationScope(timeout: .seconds(30), on: self.loop)
            for subscription in self.subscriptions.all(of: address) where !subscription.stands {
                do {
                    try await self.listenAgain(to: subscription, scope)
                } catch {
                    self.staysAway(subscription, error)
                }
            }
            scope.finish()
            self.standing.remove(address)
            self.retryStanding(address)
        }
    }

    private func isWaiting(_ address: DeviceAddress) -> Bool {
        subscriptions.all(of: address).contains { !$0.stands }
    }

    private func staysAway(_ subscription: Subscription, _ error: any Error) {
        let address = subscription.device.address
        log.info(
            "Subscription does not stand again yet",
            [.device: address.hex, .topic: subscription.topic, .error: "\(error)"]
        )
        // With the link it is tried again.
        guard linked.contains(address), subscriptions.contains(subscription), !subscription.isMissed else { return }
        subscription.isMissed = true
        let reason = (error as? BleFailure)?.detail ?? "\(error)"
        tell(address, .subscriptionLost(subscription.lastingSelector, reason: reason))
    }

    private func retryStanding(_ address: DeviceAddress) {
        guard !isStopping, linked.contains(address), isWaiting(address) else { return }
        standTimers[address] = loop.schedule(after: Self.retryGap) { [weak self] in
            self?.assumeIsolated { agent in
                agent.standTimers[address] = nil
                if agent.linked.contains(address) { agent.standAgain(address) }
            }
        }
    }
}

extension DurableSubscriptions {
    /// What of a table is to survive, in a fixed order.
    init(_ table: SubscriptionTable) {
        let kept = table.all.filter(\.isDurable).sorted {
            ($0.device.address.hex, $0.id.handle) < ($1.device.address.hex, $1.id.handle)
        }
        self.init(kept.map(Record.init))
    }
}

extension DurableSubscriptions.Record {
    fileprivate init(_ subscription: Subscription) {
        let durable = subscription.holders.filter(\.value.isDurable).sorted { $0.key < $1.key }
        self.init(
            address: subscription.device.address,
            id: subscription.id,
            retainsLast: subscription.retainsLast,
            coalesce: subscription.coalescer.rule,
            poll: subscription.pollInterval,
            holders: durable.map { client, holder in
                DurableSubscriptions.Holder(
                    client: client,
                    lease: holder.lease.map { DurableSubscriptions.Lease(span: $0.span, endsMs: $0.endsMs) }
                )
            }
        )
    }
}
