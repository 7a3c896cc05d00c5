internal import BleCore

extension Agent {
    /// The one holder that the agent is towards the manager: values come once, whoever wants them.
    private static let holder = "mqtt"

    func subscribe(
        _ request: SubscribeRequest,
        to device: DeviceTarget,
        for client: String,
        _ scope: OperationScope
    ) async throws -> VerbOutcome {
        let id: CharacteristicID
        do {
            (id, _) = try await manager.subscribe(
                request.attribute,
                of: device.address,
                holder: Self.holder,
                scope
            ) { [weak self] notification in
                self?.assumeIsolated { $0.notified(device, notification) }
            }
        } catch {
            subscriptions.removeUnheld(of: device.address)
            throw error
        }
        let subscription = subscriptions.entry(for: id, of: device) { topic(of: id, device) }
        let key = SubscriptionTable.Key(address: device.address, handle: id.handle)
        let already = subscriptions.hold(subscription, holder: client, lease: request.lease) { [weak self] in
            self?.assumeIsolated { $0.leaseEnded(key, client) }
        }
        subscription.retainsLast = request.retainLast
        return VerbOutcome(confirmed: .response, payload: .already(already))
    }

    func unsubscribe(
        _ request: UnsubscribeRequest,
        from device: DeviceTarget,
        for client: String,
        _ scope: OperationScope
    ) async throws -> VerbOutcome {
        guard let subscription = subscriptions.find(request.attribute, of: device.address) else {
            return VerbOutcome(confirmed: .local, payload: .already(true))
        }
        let (held, wasLast) = subscriptions.release(subscription, holder: client)
        if wasLast { try await end(subscription, scope) }
        return VerbOutcome(confirmed: .local, payload: .already(!held))
    }

    private func end(_ subscription: SubscriptionTable.Subscription, _ scope: OperationScope) async throws {
        if subscription.retainsLast { publisher.clear(subscription.topic) }
        _ = try await manager.unsubscribe(
            subscription.selector,
            of: subscription.device.address,
            holder: Self.holder,
            scope
        )
    }

    private func leaseEnded(_ key: SubscriptionTable.Key, _ client: String) {
        guard let subscription = subscriptions[key] else { return }
        let (_, wasLast) = subscriptions.release(subscription, holder: client)
        guard wasLast else { return }
        log.info("Subscription lease ended", [.device: key.address.hex, .client: client])
        // Unstructured because a timer starts it; the scope bounds it.
        Task.immediate(executorPreference: loop) {
            let scope = OperationScope(timeout: .seconds(5), on: self.loop)
            defer { scope.finish() }
            do {
                try await self.end(subscription, scope)
            } catch {
                self.log.debug("Subscription not ended in time", [.device: key.address.hex, .error: "\(error)"])
            }
            self.armIdleTimer(key.address)
        }
    }

    /// Publishes a value that a device sent.
    private func notified(_ device: DeviceTarget, _ notification: GattNotification) {
        let id = notification.source
        let subscription = subscriptions.entry(for: id, of: device) { topic(of: id, device) }
        counters.notifications += 1
        subscription.count += 1
        let message = NotifyMessage(
            device: device,
            value: notification.value,
            count: subscription.count,
            kind: notification.isIndication ? .indicate : .notify,
            dropped: subscription.dropped
        )
        subscription.dropped = 0
        let key = SubscriptionTable.Key(address: device.address, handle: id.handle)
        publisher.publish(message, to: subscription.topic, retain: subscription.retainsLast) { [weak self] in
            self?.assumeIsolated { agent in
                agent.notificationsDropped += 1
                agent.subscriptions[key]?.dropped += 1
            }
        }
    }

    private func topic(of id: CharacteristicID, _ device: DeviceTarget) -> String {
        topics.device(device.name).notify(id.service, id.characteristic, handle: id.isAmbiguous ? id.handle : nil)
    }
}
