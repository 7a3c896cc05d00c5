internal import DBus
internal import EventLoop

/// Prompts: who hears them, and their answers.
extension BluetoothManager {
    /// The prompts of pairings, from now on; those that are open first.
    ///
    /// While nobody listens, and nothing else observes prompts, all questions are answered with a refusal.
    public func pairingEvents(bound: Int = 100) -> BoundedSequence<PairingEvent> {
        let (sequence, feed) = BoundedSequence<PairingEvent>.make(bound: bound)
        for open in pairing.prompts.values { feed.send(.prompt(open.prompt)) }
        let number = pairing.observers.add { feed.send($0) }
        feed.onEnd { [weak self, loop] in
            loop.execute { [weak self] in self?.assumeIsolated { $0.pairing.observers.remove(number) } }
        }
        return sequence
    }

    /// Calls a handler on the loop with each event of a prompt, in order.
    package func observePairing(_ handler: @escaping @Sendable (PairingEvent) -> Void) {
        _ = pairing.observers.add(handler)
    }

    /// The prompts that are open.
    public var pairingPrompts: [PairingPrompt] {
        pairing.prompts.values.map(\.prompt).sorted { ($0.expires, $0.id) < ($1.expires, $1.id) }
    }

    /// Answers a prompt.
    @discardableResult
    public func answer(_ id: String, _ answer: PairingAnswer) -> PairingAnswerOutcome {
        guard let open = pairing.prompts[id] else { return .unknownPrompt }
        switch (open.prompt.kind, answer) {
        case (.display, _), (.displayPin, _): return .unfit(open.prompt.kind)
        case (_, .reject):
            open.call?.fail("org.bluez.Error.Rejected", "refused")
            endPrompt(id, .rejected)
            pairingRefused(open.prompt.address, "its prompt was answered with a refusal")
            return .taken
        case (.confirm, .accept), (.authorize, .accept), (.authorizeService, .accept): open.call?.reply()
        case (.passkey, .passkey(let number)) where number <= 999_999: open.call?.reply(.uint32(number))
        case (.pin, .pin(let text)) where (1...16).contains(text.utf8.count) && !text.utf8.contains(0):
            open.call?.reply(.string(text))
        default: return .unfit(open.prompt.kind)
        }
        endPrompt(id, .answered)
        return .taken
    }

    /// Lets devices pair that begin it themselves, for a time.
    ///
    /// Meanwhile our agent is the one that bluetoothd asks, whatever other programs have registered.
    public func openPairingWindow(for duration: Duration) {
        pairing.window.open(until: .now + duration)
        if case .registered = pairing.registration { sendToAgents("RequestDefaultAgent") { _ in } }
    }

    /// Ends the time in which devices may begin to pair; their open prompts are refused.
    public func closePairingWindow() {
        pairing.window.open(until: nil)
        for (id, open) in pairing.prompts where !pairing.window.isAsked(open.prompt.address) {
            open.call?.fail("org.bluez.Error.Rejected", "the time for pairing is over")
            endPrompt(id, .cancelled)
        }
    }

    /// Whether devices may begin to pair now.
    public var isPairingWindowOpen: Bool { pairing.window.isOpen(now: .now) }

    // MARK: For the agent

    func openPrompt(_ address: DeviceAddress, _ kind: PairingPrompt.Kind, _ call: MethodCall?) {
        let id = String(UInt64.random(in: .min ... .max), radix: 16)
        let expires = WallClock.now() + pairing.promptLimit.milliseconds
        let prompt = PairingPrompt(id: id, address: address, kind: kind, expires: expires)
        let timer = loop.schedule(after: pairing.promptLimit) { [weak self] in
            self?.assumeIsolated { $0.promptExpired(id) }
        }
        pairing.prompts[id] = PairingState.OpenPrompt(prompt: prompt, call: call, timer: timer)
        pairing.observers.send(.prompt(prompt))
    }

    /// Brings a number that is shown already up to date; false when none is.
    func update(_ address: DeviceAddress, _ kind: PairingPrompt.Kind) -> Bool {
        guard case .display(let passkey, _) = kind else { return false }
        for (id, var open) in pairing.prompts where open.prompt.address == address {
            guard case .display(passkey, _) = open.prompt.kind else { continue }
            if open.prompt.kind != kind {
                open.prompt.kind = kind
                pairing.prompts[id] = open
                pairing.observers.send(.changed(open.prompt))
            }
            return true
        }
        return false
    }

    func endPrompt(_ id: String, _ end: PairingEvent.End) {
        guard let open = pairing.prompts.removeValue(forKey: id) else { return }
        loop.cancel(open.timer)
        pairing.observers.send(.ended(open.prompt, end))
    }

    /// The pairing of a device is over: nothing is asked or shown any more.
    func endPrompts(of address: DeviceAddress) {
        for open in pairing.prompts(of: address) {
            open.call?.fail("org.bluez.Error.Canceled", "the pairing has ended")
            endPrompt(open.prompt.id, .cancelled)
        }
    }

    private func promptExpired(_ id: String) {
        guard let open = pairing.prompts[id] else { return }
        open.call?.fail("org.bluez.Error.Canceled", "nobody answered")
        endPrompt(id, .expired)
        if open.call != nil { pairingRefused(open.prompt.address, "nobody answered its prompt in time") }
    }

    /// A pairing was refused here.
    ///
    /// When a device asked for it because of a request that needs it, bluetoothd leaves that request without an answer:
    /// after a moment, in which those are answered that need no pairing, it counts as refused too.
    func pairingRefused(_ address: DeviceAddress, _ reason: String) {
        if pairing.current == address {
            pairing.refusal = reason
            return
        }
        guard let link = links[address], link.callsOut > 0 else { return }
        let last = link.operations
        loop.schedule(after: .seconds(1)) {
            link.refusedOperations = max(link.refusedOperations, last)
            link.poke()
        }
    }
}
