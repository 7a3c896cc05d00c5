internal import BleCore
internal import EventLoop
internal import MQTT
internal import TaskQueue

extension Agent {
    /// Lets what can hold at once of a configuration hold, and notes what waits for the next start.
    ///
    /// - Returns: whether the connection to the broker is made anew for it.
    @discardableResult
    func apply(_ wanted: Configuration) -> Bool {
        let difference = ConfigurationDifference(from: configuration, to: wanted)
        (remote.wanted, remote.pending) = (wanted, difference.pending)
        let former = configuration
        configuration = difference.now
        guard configuration != former else { return false }
        configurationHash = ConfigurationText.hash(configuration)
        takeLogLevel(former)
        takeLimits(former)
        takeLinks(former)
        takeBluetooth()
        decoder = CommandDecoder(configuration, topics: topics)
        publisher.qos = configuration.mqtt.qos
        profiles.pace = DeviceProfiles.Pace(configuration)
        publisher.retain(topics.info, .other, info.encode)
        guard difference.concernsConnection else { return false }
        return takeConnection()
    }

    private func takeLogLevel(_ former: Configuration) {
        guard configuration.logLevel != former.logLevel else { return }
        endLogLevel()
    }

    private func takeLimits(_ former: Configuration) {
        let limits = configuration.limits
        queue.setBounds(perDevice: limits.maximumQueuedPerDevice, total: limits.maximumQueuedTotal)
        window.setSpan(limits.replayWindow)
        if let connection { limitResults(connection.limits) }
        if limits.healthInterval != former.limits.healthInterval { scheduleHealth() }
    }

    private func takeLinks(_ former: Configuration) {
        let links = configuration.links
        guard links != former.links else { return }
        let kept = Set(rulebook.kept)
        rulebook.standard = links.rules
        keeper.gaps = LinkKeeper.Gaps(links)
        for address in kept.union(rulebook.kept).union(linked).sorted() { updateKeeping(address) }
        guard links.maximum != former.links.maximum else { return }
        for adapter in manager.assumeIsolated({ $0.adapters }) { setSlots(of: adapter.id) }
        publishAdapters()
    }

    private func takeBluetooth() {
        let settings = BluetoothManager.Configuration(configuration)
        manager.assumeIsolated { $0.take(settings) }
    }

    private func takeConnection() -> Bool {
        let settings = MQTTConfiguration(configuration, topics: topics, boot: publisher.boot)
        do {
            try client.assumeIsolated { try $0.take(settings) }
            return true
        } catch {
            log.error("Broker connection is not possible as configured", [.error: "\(error)"])
            return false
        }
    }

    // MARK: Health

    /// Tells from time to time how the gateway is.
    func scheduleHealth() {
        if let healthTimer { loop.cancel(healthTimer) }
        healthTimer = loop.schedule(after: configuration.limits.healthInterval) { [weak self] in
            self?.assumeIsolated { agent in
                agent.scheduleHealth()
                agent.lookAround()
            }
        }
    }
}
