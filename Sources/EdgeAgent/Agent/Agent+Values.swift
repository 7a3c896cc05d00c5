internal import BleCore
internal import EventLoop

/// Publishing what devices send to those who have subscribed.
extension Agent {
    /// Takes up a value that a device sent, or that was read.
    func arrived(_ value: [UInt8], kind: NotifyMessage.Kind, _ subscription: Subscription) {
        counters.notifications += 1
        subscription.count += 1
        subscription.kind = kind
        let value = NotificationCoalescer.Value(value, number: subscription.count)
        publish(subscription.coalescer.arrived(value, at: .now), subscription)
        armFlush(subscription)
    }

    /// Goes on by another rule.
    func change(_ subscription: Subscription, to rule: Coalesce) {
        publish(subscription.coalescer.change(to: rule, at: .now), subscription)
        armFlush(subscription)
    }

    /// Publishes what still waits.
    func flush(_ subscription: Subscription) {
        publish(subscription.coalescer.flush(at: .now), subscription)
        armFlush(subscription)
    }

    private func armFlush(_ subscription: Subscription) {
        let deadline = subscription.coalescer.nextDeadline
        guard let deadline else {
            if let timer = subscription.flushTimer { loop.cancel(timer) }
            subscription.flushTimer = nil
            return
        }
        // A deadline never moves while something waits for it.
        guard subscription.flushTimer == nil else { return }
        let number = subscription.number
        subscription.flushTimer = loop.schedule(at: deadline) { [weak self] in
            self?.assumeIsolated { agent in
                guard let subscription = agent.subscriptions.numbered(number) else { return }
                subscription.flushTimer = nil
                agent.publish(subscription.coalescer.due(at: .now), subscription)
                agent.armFlush(subscription)
            }
        }
    }

    private func publish(_ releases: [NotificationCoalescer.Release], _ subscription: Subscription) {
        for release in releases { publish(release, subscription) }
    }

    private func publish(_ release: NotificationCoalescer.Release, _ subscription: Subscription) {
        let (content, count): (NotifyMessage.Content, Int64) =
            switch release {
            case .single(let value): (.value(value.bytes), value.number)
            case .batch(let values): (.values(values.map(\.bytes)), values.last?.number ?? subscription.count)
            }
        let message = NotifyMessage(
            device: subscription.device,
            content: content,
            count: count,
            kind: subscription.kind,
            dropped: subscription.dropped
        )
        subscription.dropped = 0
        let (number, values, before) = (subscription.number, message.values, message.dropped)
        publisher.publish(message, to: subscription.topic, retain: subscription.retainsLast) { [weak self] in
            self?.assumeIsolated { agent in
                agent.notificationsDropped += Int64(values)
                // What the message said of earlier ones is lost with it.
                agent.subscriptions.numbered(number)?.dropped += values + before
            }
        }
    }
}
