internal import BleCore
internal import EventLoop
internal import Journal
internal import MQTT

extension Agent {
    /// Takes up a message that the broker delivered.
    func received(_ message: MQTTMessage) {
        guard let topic = topics.command(message.topic) else {
            guard !homeAssistantSpoke(message) else { return }
            counters.ignored += 1
            return
        }
        if topic == .status {
            statusArrived(message)
            return
        }
        if topic == .desired {
            desiredArrived(message)
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
        take(decoded, SentCommand(topic: topic, payload: message.payload), incoming)
    }

    private func take(_ decoded: DecodedCommand, _ sent: SentCommand, _ message: IncomingCommand) {
        switch decoded {
        case .command(let command):
            log.debug("Command arrived", [.verb: command.request.name.rawValue, .id: command.origin.id.text])
            recent.insert(command.origin)
            let named = named(command)
            let command: Command
            do throws(OperationError) {
                command = try resolved(named)
            } catch {
                // What was carried out already is not refused because its name has gone since.
                guard isNew(named.origin, sent, message, expiry: .zero) else { return }
                return refuseUnlessKnown(named.refusal(error.code, detail: error.detail), message)
            }
            guard isAllowed(command, isRemembered: false),
                isNew(command.origin, sent, message, expiry: command.expiry.monotonic)
            else { return }
            accept(command, message)
        case .refused(let refusal):
            recent.insert(refusal.origin)
            // What was carried out already is not refused because its time has passed since.
            guard !refusal.isOfCommand || isNew(refusal.origin, sent, message, expiry: .zero) else { return }
            if refusal.isOfCommand {
                refuseUnlessKnown(refusal, message)
            } else {
                refuse(refusal, isRemembered: false)
            }
        case .ignored(let reason):
            counters.ignored += 1
            if let suppressed = limiter.admit("ignored \(reason.rawValue)") {
                log.info("Message ignored", [.reason: reason.rawValue, .suppressed: String(suppressed)])
            }
        }
    }

    /// Whether a command is none of those that are remembered; one that is gets its answer here.
    private func isNew(
        _ origin: CommandOrigin,
        _ sent: SentCommand,
        _ message: IncomingCommand,
        expiry: Duration
    ) -> Bool {
        guard let key = origin.replayKey else { return true }
        let admission = window.admit(key, sent, reply: origin.reply, expiry: expiry, now: message.arrivedMonotonic)
        switch admission {
        case .new: return true
        case .joined:
            counters.repeated += 1
            if let number = window.journal(of: key) { journal?.addReply(origin.reply.stored, to: number) { _ in } }
            log.debug("Command repeated while it runs", [.client: origin.client, .id: origin.id.text])
        case .replay(let answer):
            counters.repeated += 1
            log.debug("Command repeated", [.client: origin.client, .id: origin.id.text])
            publisher.publish(answer, to: origin.reply, replayed: true)
        case .conflict:
            refuse(.conflict(of: origin), isRemembered: false)
        }
        return false
    }

    /// Answers a payload that was over the limit and never copied: its envelope cannot be read.
    private func refuseOversize(_ message: MQTTMessage, _ topic: CommandTopic) {
        // One byte too many is as unreadable as a million.
        let filler = [UInt8](repeating: UInt8(ascii: " "), count: decoder.limits.maxPayloadBytes + 1)
        let incoming = incoming(message, topic, payload: filler)
        take(decoder.decode(incoming, makeID: BootID.make), SentCommand(topic: topic, payload: []), incoming)
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

    /// Whether the wall clock is known to be wrong: before this program was made, before the newest time in the journal,
    /// or, where the configuration asks for it, not called synchronised by the kernel.
    var isClockWrong: Bool {
        let known = max(AgentVersion.releasedMs, journal?.summary?.newestMs ?? 0)
        if UTCTime.now.millisecondsSince1970 < known - 60_000 { return true }
        return configuration.clock == .requireSync && !SystemClock.isSynchronised
    }

    /// Starts a command that is in order.
    func start(_ command: Command) {
        guard !isStopping else {
            // The next start finds it in the journal.
            guard command.origin.journal == nil || journal?.state != .working else { return }
            refuse(command.refusal(.shuttingDown, detail: "the agent is stopping"))
            return
        }
        if command.jitter > .zero {
            // A command to all gateways: they must not all answer in the same moment.
            let delay = command.jitter * Double.random(in: 0...1)
            var command = command
            command.jitter = .zero
            lastJob += 1
            let number = lastJob
            delayed[number] = command
            records[number] = JobRecord(number: number, command: command)
            loop.schedule(after: delay) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.records[number] = nil
                    if let command = agent.delayed.removeValue(forKey: number) { agent.start(command) }
                }
            }
            return
        }
        switch command.origin.target {
        case .gateway: startGateway(command)
        case .device(let device):
            if case .pairAnswer(let request) = command.request { return answerPrompt(request, command, of: device) }
            submit(command, on: device)
        case .group(_, let members): startGroup(command, members)
        }
    }

    /// Answers a command that is not carried out.
    ///
    /// - Parameters:
    ///   - refusal: Why.
    ///   - isRemembered: Whether the answer is that of the command with this id, should it be repeated.
    func refuse(_ refusal: Refusal, isRemembered: Bool = true) {
        noteRefusal(refusal)
        let body = ResultBody.refused(refusal)
        guard !isRemembered else { return answer(body) }
        audit.ended(body)
        counters.results += 1
        publisher.publish(publisher.encode(body), to: body.origin.reply)
        publisher.observe(body)
    }

    func noteRefusal(_ refusal: Refusal) {
        counters.refused += 1
        guard let suppressed = limiter.admit("refused \(refusal.error.code.rawValue)") else { return }
        log.info(
            "Command refused",
            [
                .code: refusal.error.code.rawValue, .client: refusal.origin.client, .id: refusal.origin.id.text,
                .detail: refusal.subject?.reason ?? refusal.error.detail, .suppressed: String(suppressed),
            ]
        )
    }

    /// Publishes a final result: to all who asked for it first, then, behind the steps before it, to observers of the
    /// device; what the journal holds the command of, once it holds the result too.
    func answer(_ body: ResultBody, after steps: [ResultBody] = [], history: JobHistory? = nil) {
        counters.results += 1
        audit.ended(body)
        let result = publisher.encode(body)
        guard let number = body.origin.journal, journal != nil else {
            deliver(result, for: body.origin, history: history)
            observe(result, of: body.origin.device, after: steps)
            return
        }
        let device = body.origin.device
        keep(result, of: number, for: body.origin, history) { [weak self] in
            self?.assumeIsolated { $0.observe(result, of: device, after: steps) }
        }
    }

    private func observe(_ result: EncodedResult, of device: DeviceTarget?, after steps: [ResultBody]) {
        for step in steps { publisher.observe(step) }
        if let device { publisher.observe(result, of: device) }
    }
}

extension Refusal {
    /// Whether it is the refusal of a command that could be read: its repetition may be one of a command that ran.
    fileprivate var isOfCommand: Bool {
        switch error.code {
        case .retainedCommand, .conflictingEnvelope, .payloadTooLarge: false
        default: origin.verb != nil
        }
    }
}
