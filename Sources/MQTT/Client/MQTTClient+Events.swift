import EventLoop

extension MQTTClient {
    /// The reason code of a PUBACK for a message that went to nobody (MQTT 5, 3.4.2.1).
    private static let noMatchingSubscribers: UInt8 = 0x10

    /// Acts on what the callbacks collected.
    ///
    /// - Returns: whether there was anything.
    @discardableResult
    func takeEvents() -> Bool {
        guard let link else { return false }
        let events = link.handle.takeEvents()
        guard !events.isEmpty else { return false }
        let wasOccupied = isOccupied
        isOccupied = true
        defer { isOccupied = wasOccupied }
        for event in events {
            // A handler may have closed the client: what came before still counts, an answer to come does not.
            guard self.link?.number == link.number else { break }
            take(event, link.handle)
        }
        link.handle.reuse(events)
        return true
    }

    private func take(_ event: MosquittoEvent, _ handle: MosquittoHandle) {
        switch event {
        case .connack(code: 0, let sessionPresent, let limits):
            connected(handle, sessionPresent: sessionPresent, limits: limits)
        case .connack(let code, _, _):
            link?.refusal = .refused(code: code, text: MosquittoHandle.connackText(code))
        case .message(let message):
            totals.received += 1
            totals.receivedBytes += message.payloadBytes
            if message.isOversize { totals.oversize += 1 }
            onMessage(message)
        case .invalidTopic:
            totals.invalidTopics += 1
        case .settled(let id, let code):
            settled(id, code)
        case .suback(let id, let code):
            guard let filter = link?.unansweredSubscriptions.removeValue(forKey: id) else { return }
            onEvent(.subscription(filter: filter, outcome(code, handle.version)))
        case .disconnected(let code):
            guard code >= 0x80, link?.refusal == nil else { return }
            let reason = UInt8(clamping: code)
            link?.refusal = .disconnectedByBroker(code: reason, text: MosquittoHandle.reason(reason))
        }
    }

    private func connected(_ handle: MosquittoHandle, sessionPresent: Bool, limits: MQTTServerLimits) {
        if let timer = link?.deadline { loop.cancel(timer) }
        link?.deadline = nil
        link?.phase = .up
        link?.upSince = .now
        link?.limits = limits
        handle.stopLogging()
        versions.succeeded()
        totals.connects += 1
        scheduleKeepalive(limits.keepaliveSeconds ?? configuration.keepaliveSeconds)
        send(subscriptions)
        let isFirst = totals.connects == 1
        onEvent(
            .connected(
                MQTTConnection(
                    version: handle.version,
                    sessionPresent: sessionPresent,
                    limits: limits,
                    isFirst: isFirst
                )
            )
        )
    }

    private func settled(_ id: Int32, _ code: UInt8) {
        guard let (entry, qos) = inFlight.remove(id) else { return }
        if code >= 0x80 {
            totals.refused += 1
            entry.completion?(.refused(code: code, text: MosquittoHandle.reason(code)))
        } else if qos == .atMostOnce {
            entry.completion?(.written)
        } else {
            totals.acknowledged += 1
            entry.completion?(code == Self.noMatchingSubscribers ? .unheard : .acknowledged)
        }
    }

    /// Subscribes, one packet a filter, since libmosquitto gives all filters of a packet the same options.
    func send(_ wanted: [MQTTSubscription]) {
        guard let link, !wanted.isEmpty else { return }
        var ids: [Int32] = []
        for subscription in wanted {
            do throws(MQTTFailure) {
                let id = try link.handle.subscribe(subscription)
                self.link?.unansweredSubscriptions[id] = subscription.filter
                ids.append(id)
            } catch {
                // When the link is about to end the next one subscribes anew; else nobody would ever answer.
                guard link.handle.socket >= 0, case .library(_, _, let text) = error else { continue }
                onEvent(.subscription(filter: subscription.filter, .refused(code: 0x80, text: text)))
            }
        }
        let number = link.number
        loop.schedule(after: configuration.answerDeadline) { [self] in
            guard self.link?.number == number else { return }
            for id in ids {
                guard let filter = self.link?.unansweredSubscriptions.removeValue(forKey: id) else { continue }
                onEvent(.subscription(filter: filter, .unanswered))
            }
        }
    }

    private func outcome(_ code: UInt8, _ version: MQTTVersion) -> MQTTSubscriptionOutcome {
        guard code >= 0x80 else { return .granted(code == 0 ? .atMostOnce : .atLeastOnce) }
        return .refused(code: code, text: version == .v5 ? MosquittoHandle.reason(code) : "refused")
    }

    /// libmosquitto pings when asked to look: often enough that no broker's patience, half a keepalive more, runs out.
    private func scheduleKeepalive(_ seconds: Int) {
        guard seconds > 0 else { return }
        let interval = Duration.milliseconds(min(max(seconds * 250, 1000), 15000))
        link?.keepalive = loop.schedule(after: interval) { [self] in
            guard let link, link.isUp else { return }
            afterKeepalive(link.handle.checkKeepalive())
            if self.link?.number == link.number { scheduleKeepalive(seconds) }
        }
    }
}
