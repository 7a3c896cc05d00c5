internal import BleCore
internal import EventLoop
internal import MQTT

extension Agent {
    /// Takes up a message that the broker delivered.
    func received(_ message: MQTTMessage) {
        guard let topic = topics.command(message.topic) else {
            counters.ignored += 1
            return
        }
        if topic == .status {
            statusArrived(message)
            return
        }
        counters.commands += 1
        guard !message.isOversize else {
            refuseOversize(message, topic)
            return
        }
        let incoming = incoming(message, topic, payload: message.payload)
        let decoded = decoder.decode(
            incoming,
            clockIsWrong: isClockWrong,
            isKnown: { recent.contains(client: $0, id: $1) },
            makeID: BootID.make
        )
        take(decoded)
    }

    private func take(_ decoded: DecodedCommand) {
        switch decoded {
        case .command(let command):
            log.debug("Command arrived", [.verb: command.request.name.rawValue, .id: command.origin.id.text])
            recent.insert(command.origin)
            start(command)
        case .refused(let refusal):
            recent.insert(refusal.origin)
            refuse(refusal)
        case .ignored(let reason):
            counters.ignored += 1
            if let suppressed = limiter.admit("ignored \(reason.rawValue)") {
                log.info("Message ignored", [.reason: reason.rawValue, .suppressed: String(suppressed)])
            }
        }
    }

    /// Answers a payload that was over the limit and never copied: its envelope cannot be read.
    private func refuseOversize(_ message: MQTTMessage, _ topic: CommandTopic) {
        // One byte too many is as unreadable as a million.
        let filler = [UInt8](repeating: UInt8(ascii: " "), count: decoder.limits.maxPayloadBytes + 1)
        take(decoder.decode(incoming(message, topic, payload: filler), makeID: BootID.make))
    }

    private func incoming(_ message: MQTTMessage, _ topic: CommandTopic, payload: [UInt8]) -> IncomingCommand {
        IncomingCommand(
            topic: topic,
            payload: payload,
            // On MQTT 3.1.1 the flag marks a replay of the broker's; on 5, with retain as published, also a live one.
            isRetained: message.retain,
            properties: IncomingCommand.Properties(
                responseTopic: message.responseTopic,
                correlationData: message.correlationData,
                client: message.userProperties.first { $0.name == "client" }?.value,
                messageExpirySeconds: message.expirySeconds
            ),
            arrivedMs: UTCTime.now.millisecondsSince1970,
            arrivedMonotonic: ContinuousClock.now - epoch
        )
    }

    /// Whether the wall clock is known to be wrong: before this program was made, or, where the configuration asks for
    /// it, not called synchronised by the kernel.
    var isClockWrong: Bool {
        if UTCTime.now.millisecondsSince1970 < AgentVersion.releasedMs - 60_000 { return true }
        return configuration.clock == .requireSync && !SystemClock.isSynchronised
    }

    /// Starts a command that is in order.
    private func start(_ command: Command) {
        guard !isStopping else {
            refuse(command.refusal(.shuttingDown, detail: "the agent is stopping"))
            return
        }
        if command.jitter > .zero {
            // A command to all gateways: they must not all answer in the same moment.
            let delay = command.jitter * Double.random(in: 0...1)
            var command = command
            command.jitter = .zero
            loop.schedule(after: delay) { [weak self, command] in self?.assumeIsolated { $0.start(command) } }
            return
        }
        guard isAllowed(command) else { return }
        guard let device = command.origin.device else {
            startGateway(command)
            return
        }
        submit(command, on: device)
    }

    func refuse(_ refusal: Refusal) {
        counters.refused += 1
        if let suppressed = limiter.admit("refused \(refusal.error.code.rawValue)") {
            log.info(
                "Command refused",
                [
                    .code: refusal.error.code.rawValue, .client: refusal.origin.client, .id: refusal.origin.id.text,
                    .detail: refusal.subject?.reason ?? refusal.error.detail, .suppressed: String(suppressed),
                ]
            )
        }
        answer(.refused(refusal))
    }

    /// Publishes a final result: to its caller first, then, behind the steps before it, to observers of the device.
    func answer(_ body: ResultBody, after steps: [ResultBody] = []) {
        counters.results += 1
        audit.ended(body)
        publisher.publish(body)
        for step in steps { publisher.observe(step) }
        publisher.observe(body)
    }
}
