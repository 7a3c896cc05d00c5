internal import BleCore
internal import EventLoop

extension Agent {
    /// The one holder that the agent is towards the manager: values come once, whoever wants them.
    private static let holder = "mqtt"

    func subscribe(
        _ request: SubscribeRequest,
        to device: DeviceTarget,
        for client: String,
        _ scope: OperationScope
    ) async throws -> VerbOutcome {
        let (id, properties) = try await manager.characteristic(request.attribute, of: device.address, scope)
        let notifies = !properties.isDisjoint(with: [.notify, .indicate])
        guard notifies || request.poll != nil else {
            let detail = "the characteristic neither notifies nor indicates; with pollMs it is read instead"
            throw BleFailure(.notSupported, at: .operate, detail: detail)
        }
        let (subscription, isNew) = entry(for: id, of: device)
        guard subscription.mayHold(client) else {
            let detail = "\(Subscription.maxHolders) callers hold this subscription already"
            throw OperationError(.queueFull, detail: detail)
        }
        // The first value may come before the answer.
        if isNew { set(subscription, request) }
        let wasDurable = subscription.isDurable
        // Held from now on, so that it does not end under our hands with the lease of another caller.
        let before = subscription.holders[client]
        let already = before != nil
        hold(subscription, client, isDurable: request.isDurable, lease: nil)
        do {
            let first = try await listen(to: subscription, polls: !notifies, scope)
            hold(subscription, request, client)
            if !isNew { set(subscription, request) }
            subscription.stands = true
            updateKeeping(device.address)
            if !notifies { poll(subscription, first: first) }
            var warnings: [String] = []
            if notifies, request.poll != nil { warnings.append("pollMs: not used, the characteristic notifies") }
            if wasDurable || request.isDurable { warnings += await keepSubscriptions() }
            return VerbOutcome(
                confirmed: notifies ? .response : .read,
                payload: .already(already),
                warnings: warnings
            )
        } catch {
            if let before {
                resume(subscription, client, before)
            } else {
                _ = subscription.release(client, on: loop)
            }
            if subscription.holders.isEmpty { drop(subscription) }
            throw error
        }
    }

    func unsubscribe(
        _ request: UnsubscribeRequest,
        from device: DeviceTarget,
        for client: String,
        _ scope: OperationScope
    ) async throws -> VerbOutcome {
        guard let subscription = subscriptions.find(request.attribute, of: device.address),
            let held = subscription.release(client, on: loop)
        else { return VerbOutcome(confirmed: .local, payload: .already(true)) }
        let wasLast = subscription.holders.isEmpty
        if wasLast { drop(subscription) }
        let warnings = held.isDurable ? await keepSubscriptions() : []
        if wasLast { try await stopListening(to: subscription, scope) }
        return VerbOutcome(confirmed: .local, payload: .already(false), warnings: warnings)
    }

    // MARK: Standing

    /// The subscription to a characteristic, made when there is none.
    private func entry(for id: CharacteristicID, of device: DeviceTarget) -> (Subscription, isNew: Bool) {
        let key = SubscriptionTable.Key(address: device.address, handle: id.handle)
        if let known = subscriptions[key] { return (known, false) }
        // One from before a restart, whose characteristic has another handle now.
        let lasting = subscriptions.all(of: device.address).first { known in
            !known.stands && !known.id.isAmbiguous && !id.isAmbiguous && known.id.service == id.service
                && known.id.characteristic == id.characteristic
        }
        if let lasting {
            subscriptions.move(lasting, to: id, topic: topic(of: id, device))
            return (lasting, false)
        }
        return (subscriptions.make(for: id, of: device, topic: topic(of: id, device)), true)
    }

    /// Has the manager deliver the values of a characteristic; of one that cannot notify the first is read.
    private func listen(
        to subscription: Subscription,
        polls: Bool,
        _ scope: OperationScope
    ) async throws -> [UInt8]? {
        let (device, selector) = (subscription.device, subscription.selector)
        if polls { return try await manager.read(selector, of: device.address, scope) }
        let number = subscription.number
        _ = try await manager.subscribe(selector, of: device.address, holder: Self.holder, scope) {
            [weak self] notification in
            self?.assumeIsolated { agent in
                guard let subscription = agent.subscriptions.numbered(number) else { return }
                agent.arrived(notification.value, kind: notification.isIndication ? .indicate : .notify, subscription)
            }
        }
        return nil
    }

    /// Makes a subscription from before a restart stand again.
    ///
    /// - Throws: what keeps it from standing.
    func listenAgain(to subscription: Subscription, _ scope: OperationScope) async throws {
        let device = subscription.device
        let (id, properties) = try await manager.characteristic(subscription.lastingSelector, of: device.address, scope)
        guard subscriptions.contains(subscription) else { return }
        if id != subscription.id { subscriptions.move(subscription, to: id, topic: topic(of: id, device)) }
        let polls = properties.isDisjoint(with: [.notify, .indicate])
        guard !polls || subscription.pollInterval != nil else {
            throw BleFailure(.notSupported, at: .operate, detail: "the characteristic does not notify any more")
        }
        let first = try await listen(to: subscription, polls: polls, scope)
        guard subscriptions.contains(subscription) else {
            // Its last holder went away meanwhile.
            try await stopListening(to: subscription, scope)
            return
        }
        guard !subscription.stands else { return }
        subscription.stands = true
        subscription.isMissed = false
        tell(device.address, .subscriptionRestored(subscription.selector))
        if polls { poll(subscription, first: first) }
    }

    private func stopListening(to subscription: Subscription, _ scope: OperationScope) async throws {
        _ = try await manager.unsubscribe(
            subscription.selector,
            of: subscription.device.address,
            holder: Self.holder,
            scope
        )
    }

    // MARK: Holding

    /// Takes up how the last caller wants the values.
    private func set(_ subscription: Subscription, _ request: SubscribeRequest) {
        change(subscription, to: request.coalesce)
        if subscription.retainsLast, !request.retainLast { publisher.clear(subscription.topic) }
        subscription.retainsLast = request.retainLast
        subscription.pollInterval = request.poll
    }

    private func hold(_ subscription: Subscription, _ request: SubscribeRequest, _ client: String) {
        let now = UTCTime.now.millisecondsSince1970
        let lease = request.lease.map { (span: $0, endsMs: now + $0.milliseconds) }
        hold(subscription, client, isDurable: request.isDurable, lease: lease)
    }

    /// Lets a holder go on as it was before a renewal that failed.
    private func resume(_ subscription: Subscription, _ client: String, _ before: Subscription.Holder) {
        let now = UTCTime.now.millisecondsSince1970
        let lease = before.lease.map { DurableSubscriptions.Lease(span: $0.span, endsMs: $0.endsMs) }
        hold(
            subscription,
            client,
            isDurable: before.isDurable,
            lease: lease.map { ($0.span, $0.endsMs) },
            after: lease.map { $0.remaining(atMs: now) ?? .zero }
        )
    }

    /// Adds a holder or renews its lease, which ends after a delay of its own or else after its span.
    ///
    /// - Returns: whether the holder had the subscription already.
    @discardableResult
    func hold(
        _ subscription: Subscription,
        _ client: String,
        isDurable: Bool,
        lease: (span: Duration, endsMs: Int64)?,
        after delay: Duration? = nil
    ) -> Bool {
        let number = subscription.number
        return subscription.hold(client, isDurable: isDurable, lease: lease, after: delay, on: loop) { [weak self] in
            self?.assumeIsolated { agent in
                if let subscription = agent.subscriptions.numbered(number) { agent.leaseEnded(subscription, client) }
            }
        }
    }

    /// Ends a subscription that nobody holds: what waits goes out, what is retained goes away.
    private func drop(_ subscription: Subscription) {
        flush(subscription)
        subscription.cancelTimers(on: loop)
        subscription.poll = nil
        if subscription.retainsLast { publisher.clear(subscription.topic) }
        subscriptions.remove(subscription)
        updateKeeping(subscription.device.address)
    }

    /// Ends all subscriptions of a device that BlueZ has forgotten, whoever holds them.
    ///
    /// - Returns: whether there was any, and warnings that what is gone could not be taken off the disk.
    func endSubscriptions(of address: DeviceAddress, _ scope: OperationScope) async -> (any: Bool, warnings: [String]) {
        let ended = subscriptions.all(of: address)
        let isKept = ended.contains { $0.isDurable }
        for subscription in ended {
            for client in subscription.holders.keys { _ = subscription.release(client, on: loop) }
            drop(subscription)
        }
        for subscription in ended {
            do {
                try await stopListening(to: subscription, scope)
            } catch {
                log.debug("Subscription not ended in time", [.device: address.hex, .error: "\(error)"])
            }
        }
        return (!ended.isEmpty, isKept ? await keepSubscriptions() : [])
    }

    private func leaseEnded(_ subscription: Subscription, _ client: String) {
        guard let held = subscription.release(client, on: loop) else { return }
        let address = subscription.device.address
        log.info("Subscription lease ended", [.device: address.hex, .client: client])
        let wasLast = subscription.holders.isEmpty
        if wasLast { drop(subscription) }
        // Unstructured because a timer starts it; the scope and the save's own patience bound it.
        Task.immediate(executorPreference: loop) {
            if wasLast {
                let scope = OperationScope(timeout: .seconds(5), on: self.loop)
                defer { scope.finish() }
                do {
                    try await self.stopListening(to: subscription, scope)
                } catch {
                    self.log.debug("Subscription not ended in time", [.device: address.hex, .error: "\(error)"])
                }
                self.armIdleTimer(address)
            }
            if held.isDurable { _ = await self.keepSubscriptions() }
        }
    }

    func topic(of id: CharacteristicID, _ device: DeviceTarget) -> String {
        topics.device(device.name).notify(id.service, id.characteristic, handle: id.isAmbiguous ? id.handle : nil)
    }
}
