import EventLoop

extension MQTTClient {
    /// Takes other settings, and connects anew with them where they concern the link.
    ///
    /// What is queued stays so. The broker, the client id, who the client is and the will stay as they are.
    ///
    /// - Throws: `MQTTFailure.configuration` for values that cannot work; then nothing has changed.
    package func take(_ settings: MQTTConfiguration) throws(MQTTFailure) {
        var next = configuration
        next.version = settings.version
        next.keepaliveSeconds = settings.keepaliveSeconds
        next.sessionExpirySeconds = settings.sessionExpirySeconds
        next.cleanSession311 = settings.cleanSession311
        next.answerDeadline = settings.answerDeadline
        next.reconnect = settings.reconnect
        next.outgoing = settings.outgoing
        next.maxPayloadBytes = settings.maxPayloadBytes
        try next.validate()
        let isOther = next.concernsLink(otherThan: configuration)
        if next.version != configuration.version { versions = VersionChoice(next.version) }
        if next.reconnect != configuration.reconnect { gap = ReconnectGap(next.reconnect) }
        configuration = next
        queue.limits = next.outgoing
        if isOther { renewLink() }
    }

    /// Ends the link, or the wait for one, in order, and has `run()` connect at once.
    private func renewLink() {
        guard !isClosing else { return }
        if let pause {
            self.pause = nil
            loop.cancel(pause.timer)
            pause.end.resume()
        }
        guard let link else { return }
        isRenewing = true
        switch link.phase {
        case .connecting:
            abandon(nil)
        case .answering:
            endLink(nil)
        case .up:
            // What is read before the goodbye may come back to whoever is calling.
            let number = link.number
            loop.execute { [self] in
                assumeIsolated { if $0.link?.number == number { $0.sayGoodbye() } }
            }
        case .closing:
            break
        }
    }
}

extension MQTTConfiguration {
    /// Whether a link that was made with the other settings does not do for these.
    fileprivate func concernsLink(otherThan other: MQTTConfiguration) -> Bool {
        version != other.version || keepaliveSeconds != other.keepaliveSeconds
            || sessionExpirySeconds != other.sessionExpirySeconds || cleanSession311 != other.cleanSession311
            || answerDeadline != other.answerDeadline || reconnect != other.reconnect || outgoing != other.outgoing
            || maxPayloadBytes != other.maxPayloadBytes
    }
}
