internal import BleCore
internal import EventLoop
internal import TaskQueue

/// Pairing: prompts and their answers, the window for devices that begin it, and forgetting.
extension Agent {
    // MARK: Prompts

    /// Answers a prompt at once: the job that waits for it may be the one that holds the device.
    func answerPrompt(_ request: PairAnswerRequest, _ command: Command, of device: DeviceTarget) {
        markUse(of: device.address)
        let outcome = manager.assumeIsolated { manager in
            // A prompt of another device is as unknown as one that is over.
            manager.pairingPrompts.contains { $0.id == request.prompt && $0.address == device.address }
                ? manager.answer(request.prompt, request.answer) : .unknownPrompt
        }
        switch outcome {
        case .taken: succeed(command, .nothing)
        case .unknownPrompt:
            let detail = "prompt: no such prompt of this device is open: it may be over"
            refuse(command.refusal(.badRequest, detail: detail))
        case .unfit(let kind):
            refuse(command.refusal(.badRequest, detail: "accept: the prompt wants another answer: \(kind.wish)"))
        }
    }

    /// Publishes what happens to a prompt.
    func pairingHappened(_ event: PairingEvent) {
        let message: PairingMessage
        switch event {
        case .prompt(let prompt): message = PairingMessage(device: target(prompt.address), prompt: prompt, state: .open)
        case .changed(let prompt):
            message = PairingMessage(device: target(prompt.address), prompt: prompt, state: .changed)
        case .ended(let prompt, let end):
            message = PairingMessage(device: target(prompt.address), prompt: prompt, state: .init(end))
        }
        log.info(
            "Pairing prompt",
            [.device: message.device.address.hex, .state: message.state.rawValue, .reason: message.kind.name]
        )
        publisher.publish(message)
    }

    // MARK: The window

    /// Lets devices pair that begin it themselves, for a time, or ends that.
    func setPairingWindow(_ request: PairingWindowRequest) -> ResultPayload {
        let wasOpen = closePairingWindow()
        guard request.span > .zero else {
            manager.assumeIsolated { $0.closePairingWindow() }
            publishHealth()
            return .pairingWindow(already: !wasOpen, endsMs: nil)
        }
        let endsMs = UTCTime.now.millisecondsSince1970 + request.span.milliseconds
        let timer = loop.schedule(after: request.span) { [weak self] in
            self?.assumeIsolated { agent in
                _ = agent.closePairingWindow()
                // Prompts of pairings that devices have begun are not answered any more.
                agent.manager.assumeIsolated { $0.closePairingWindow() }
                agent.publishHealth()
            }
        }
        pairingWindow = (endsMs, timer)
        manager.assumeIsolated { $0.openPairingWindow(for: request.span) }
        log.notice("Devices may begin to pair", [.durationMs: String(request.span.milliseconds)])
        publishHealth()
        return .pairingWindow(already: wasOpen, endsMs: endsMs)
    }

    /// Takes the window back here; false when there was none.
    private func closePairingWindow() -> Bool {
        guard let window = pairingWindow else { return false }
        loop.cancel(window.timer)
        pairingWindow = nil
        return true
    }

    var pairingFigures: HealthMessage.Pairing {
        var figures = HealthMessage.Pairing()
        figures.windowEndsMs = pairingWindow?.endsMs
        figures.prompts = manager.assumeIsolated { $0.pairingPrompts.count { $0.kind.needsAnswer } }
        return figures
    }

    // MARK: Forgetting

    /// Forgets a device: BlueZ's part with its bond, subscriptions, and what is retained of it.
    func forget(_ device: DeviceTarget, _ scope: OperationScope) async throws -> VerbOutcome {
        let address = device.address
        let wasKnown = try await manager.forget(address, scope)
        pauseKeeping(address)
        if let timer = servicesTimers.removeValue(forKey: address) { loop.cancel(timer) }
        if let timer = standTimers.removeValue(forKey: address) { loop.cancel(timer) }
        let (hadSubscriptions, warnings) = await endSubscriptions(of: address, scope)
        await setLink(LinkSettings(), of: address)
        // With more commands on their way it is used again at once.
        if queue.waiting(for: address) == 0 { devicesInUse[address] = nil }
        publisher.clearDevice(device.name)
        forgetValues(of: address)
        return VerbOutcome(
            confirmed: .local,
            payload: .already(!wasKnown && !hadSubscriptions),
            warnings: warnings
        )
    }

    // MARK: Private addresses

    /// The one name of the device that has an address.
    func name(of address: DeviceAddress) -> DeviceAddress { manager.assumeIsolated { $0.name(of: address) } }

    /// The command for the device by its one name: whatever address it was called by, there is one queue.
    func named(_ command: Command) -> Command {
        guard case .device(let device) = command.origin.target else { return command }
        let address = name(of: device.address)
        guard address != device.address else { return command }
        var command = command
        command.origin.target = .device(target(address))
        return command
    }
}

extension PairingPrompt.Kind {
    /// What an answer has to have.
    fileprivate var wish: String {
        switch self {
        case .confirm, .authorize, .authorizeService: "accept alone"
        case .passkey: "passkey, or accept with false"
        case .pin: "pin, or accept with false"
        case .display, .displayPin: "none, it is to be typed in at the device"
        }
    }
}
