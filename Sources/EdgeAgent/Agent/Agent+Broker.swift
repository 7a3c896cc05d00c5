internal import BleCore
internal import EventLoop
internal import Journal
internal import MQTT
internal import Profiles
internal import TaskQueue

extension Agent {
    /// Takes up what became of the connection to the broker.
    func brokerChanged(_ event: MQTTEvent) {
        switch event {
        case .connected(let connection): connected(connection)
        case .connectFailed(let failure, let gap):
            log.warning(
                "Broker not reached",
                [.broker: broker, .error: failure.description, .waitMs: String(gap.milliseconds)]
            )
        case .disconnected(let failure, let held, let gap, let clash):
            connection = nil
            publisher.outbox.linkIsDown()
            homeBrokerDisconnected()
            remoteLinkIsDown()
            log.warning(
                "Broker lost",
                [
                    .broker: broker, .error: failure.description, .durationMs: String(held.milliseconds),
                    .waitMs: String(gap.milliseconds),
                ]
            )
            if clash {
                log.error(
                    "Another client probably uses the same client id: give this gateway a name of its own",
                    [.client: configuration.clientID]
                )
            }
        case .renewed:
            connection = nil
            publisher.outbox.linkIsDown()
            homeBrokerDisconnected()
            remoteLinkIsDown()
            log.info("Broker connection is made anew", [.broker: broker])
        case .fellBack(let failure):
            log.notice("Broker does not speak MQTT 5, going on with 3.1.1", [.reason: failure.description])
        case .subscription(let filter, let outcome): subscribed(filter, outcome)
        case .closed: log.info("Connection to the broker closed", [.broker: broker])
        }
        tellStatus()
    }

    private var broker: String { configuration.broker.withoutUser.description }

    private func connected(_ connection: MQTTConnection) {
        self.connection = connection
        if !connection.isFirst { lastRecoveryMs = UTCTime.now.millisecondsSince1970 }
        log.info(
            "Broker connected",
            [
                .broker: broker, .version: connection.version.description,
                .session: connection.sessionPresent ? "kept" : "new",
            ]
        )
        limitResults(connection.limits)
        publisher.announce(.online)
        publisher.retain(topics.info, .other, info.encode)
        publishHealth()
        if !connection.sessionPresent { publisher.renew() }
        publisher.linkIsUp()
        homeBrokerConnected(isSessionKept: connection.sessionPresent)
        remoteLinkIsUp()
    }

    /// A result must fit into a packet of the broker's, with its topic and properties.
    func limitResults(_ limits: MQTTServerLimits) {
        var bytes = configuration.limits.maximumResultBytes
        if let packet = limits.maximumPacketBytes { bytes = min(bytes, max(256, packet - 2048)) }
        publisher.limitResults(to: bytes)
    }

    private func subscribed(_ filter: String, _ outcome: MQTTSubscriptionOutcome) {
        switch outcome {
        case .granted(let qos):
            log.debug("Subscribed", [.topic: filter, .detail: "QoS \(qos.rawValue)"])
        case .refused(let code, let text):
            refusedFilters.insert(filter)
            log.error(
                "Broker refuses a subscription: commands on it will not arrive; see the broker's access list",
                [.topic: filter, .code: String(code), .reason: text]
            )
            publishHealth()
            return
        case .unanswered:
            log.warning("Broker has not answered a subscription", [.topic: filter])
        }
        if refusedFilters.remove(filter) != nil { publishHealth() }
    }

    /// Repairs the agent's own status when somebody else has written it: an old will that came late, or a mistake.
    func statusArrived(_ message: MQTTMessage) {
        // What the broker had stored before this connection is replaced by what the agent said on it.
        guard !isStopping, connection != nil, !message.retain, message.payload != publisher.lastStatus else { return }
        if let lastRepair {
            let elapsed = ContinuousClock.now - lastRepair
            guard elapsed >= .seconds(5) else {
                repairLater(.seconds(5) - elapsed)
                return
            }
        }
        lastRepair = .now
        log.notice("Status was overwritten and is put right", [.topic: message.topic])
        publisher.announce(.online)
    }

    private func repairLater(_ delay: Duration) {
        guard !repairIsDue else { return }
        repairIsDue = true
        loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { agent in
                agent.repairIsDue = false
                guard !agent.isStopping, agent.connection != nil else { return }
                agent.lastRepair = .now
                agent.publisher.announce(.online)
            }
        }
    }

    // MARK: What the gateway is and how it fares

    var info: InfoContent {
        let limits = configuration.limits
        return InfoContent(
            version: AgentVersion.current,
            mqttVersion: connection?.version.description ?? "",
            limits: InfoContent.Limits(
                maxPayloadBytes: limits.maximumPayloadBytes,
                maxResultBytes: publisher.results.maxResultBytes,
                maxQueuedPerDevice: limits.maximumQueuedPerDevice,
                maxQueuedTotal: limits.maximumQueuedTotal,
                maxSteps: SequenceRequest.maxSteps,
                replayWindow: InfoContent.ReplayWindow(
                    spanMs: Int(limits.replayWindow.milliseconds),
                    commands: limits.replayCommands,
                    bytes: limits.replayBytes
                )
            ),
            durability: journal == nil ? .none : configuration.durability == .power ? .power : .process,
            profiles: profiles.library.profiles.map(\.id).sorted(),
            groups: decoder.groups.names,
            hasPolicy: configuration.policy != nil,
            configurationHash: configurationHash,
            stateProblem: stateProblem,
            journalProblem: journalProblem
        )
    }

    func publishHealth() {
        guard connection != nil else { return }
        publisher.retain(topics.health, .other, health.encode)
    }

    var health: HealthMessage {
        let figures = ProcessFigures.current(since: startTime)
        let mqtt = client.assumeIsolated { $0.counters }
        let (adapters, busConnects, recoveries) = manager.assumeIsolated { manager in
            (manager.adapters, manager.busConnects, manager.recoveries)
        }
        let (scanning, isPaused, connecting) = manager.assumeIsolated { manager in
            (manager.isDiscovering, manager.isDiscoveryPaused, manager.connecting)
        }
        let counts = adapters.map { linkCounts(of: $0) }
        var message = HealthMessage()
        message.uptimeMs = figures.uptime.milliseconds
        message.residentBytes = Int64(figures.residentBytes)
        message.cpuMs = figures.cpuTime.milliseconds
        message.running = running.count + gatewayJobs.count + groups.count
        message.queued = queue.waiting
        message.outgoing = mqtt.queued
        message.links = LinkCounts(sum: counts)
        message.isScanning = scanning
        message.scanHolders = sessions.keys.map(\.text).sorted()
        if scansUnderWay > 0 { message.scanHolders.append("scan") }
        if keeperListens != nil { message.scanHolders.append("link") }
        if connecting > 0 { message.scanHolders.append("connect:\(connecting)") }
        message.isScanPaused = isPaused
        message.pairing = pairingFigures
        message.mqttReconnects = Int64(max(0, mqtt.connects - 1))
        message.dbusReconnects = Int64(max(0, busConnects - 1))
        message.recoveries = recoveries
        message.counters = counters
        message.drops.messages = Int64(mqtt.droppedRequired + mqtt.droppedOrdered)
        message.drops.notifications = notificationsDropped
        message.drops.advertisements = Int64(mqtt.droppedExpendable)
        message.coalesced.states = Int64(mqtt.replaced)
        message.coalesced.advertisements = sessions.values.reduce(coalescedBefore) { $0 + $1.coalesced }
        message.lastRecoveryMs = lastRecoveryMs
        message.isClockSynced = SystemClock.isSynchronised
        message.refusedSubscriptions = refusedFilters.sorted()
        if let journal { message.journal = journalHealth(journal) }
        return message
    }
}
