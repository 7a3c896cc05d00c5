internal import DBus
internal import EventLoop

/// Pairing: the link is made, the agent is asked, and both sides remember each other.
///
/// Source: bluez 5.66, `src/device.c`; what `Tests/Lab/trace` has recorded of it.
extension SimulatedDevice {
    /// A pairing under way.
    final class Pairing {
        /// What is answered at its end; nil for one that the device began, or that a request needs.
        let call: IncomingCall?
        /// Who is asked now.
        var agent: AgentCalls.Agent?
        /// Waits for the device's user to type in a number.
        var isShown = false
        /// Ends it when nothing happens.
        var timer: EventLoop.TimerID?
        /// The link was made for its sake, and ends when it is cancelled.
        var hasMadeLink = false
        /// bluetoothd tries the other kind of Bluetooth, of which it hears nothing.
        var isLost = false

        init(_ call: IncomingCall?) { self.call = call }
    }

    func pair(_ call: IncomingCall) {
        setTemporary(false)
        guard pairing == nil else { return call.fail(.inProgress) }
        let pairing = Pairing(call)
        if isBonded {
            pairing.isLost = true
            self.pairing = pairing
            return
        }
        guard adapter.isPowered else { return call.fail(.failed("Input/output error")) }
        self.pairing = pairing
        if isConnected { return begin(pairing) }
        let answers = peripheral.answersConnects && !isBlocked
        loop.schedule(after: answers ? model.connectDelay : settings.connectTimeout) { [weak self] in
            guard let self, self.pairing === pairing else { return }
            guard isConnected || peripheral.answersConnects, !isBlocked else {
                return endPairing(.failed("Software caused connection abort"))
            }
            pairing.hasMadeLink = !isConnected
            linkUp()
            // What the pairing brings is announced apart from the link.
            loop.schedule(after: .zero) { [weak self] in
                if self?.pairing === pairing { self?.begin(pairing) }
            }
        }
    }

    /// The device asks for pairing by itself, or a request of a client needs it.
    func pairUnasked() {
        guard isConnected, !isPaired, pairing == nil else { return }
        let pairing = Pairing(nil)
        self.pairing = pairing
        begin(pairing)
    }

    /// Whether bluetoothd pairs because of an error: then the request has no answer before that has succeeded.
    func pairsFor(_ error: AttError) -> Bool {
        error == .insufficientAuthentication && model.pairing != nil && !isPaired
    }

    func cancelPairing(_ call: IncomingCall) {
        guard let pairing else {
            // bluetoothd ends the bond then, and says nothing of it.
            if isPaired { loseBond() }
            return call.fail(.doesNotExist)
        }
        endPairing(.authenticationCanceled)
        call.reply()
        if pairing.hasMadeLink { linkDown() }
    }

    /// Gives up a pairing that is under way, and tells the agent.
    func endPairing(_ error: BluezError) {
        guard let pairing else { return }
        self.pairing = nil
        if let timer = pairing.timer { loop.cancel(timer) }
        if let agent = pairing.agent {
            tree.flush()
            adapter.agents?.ask(agent, "Cancel", []) { _ in }
        }
        if !isPaired { isPairedLate = false }
        pairing.call?.fail(error)
    }

    /// Somebody types a number at the device.
    func type(_ passkey: UInt32) {
        guard let pairing, pairing.isShown, let model = model.pairing else { return }
        if passkey == model.passkey { paired(pairing) } else { failed(pairing) }
    }

    private func loseBond() {
        isPaired = false
        isBonded = false
        announce("Bonded")
        announce("Paired")
        linkDown()
    }

    private func begin(_ pairing: Pairing) {
        // The device does not pair, or nobody could be asked about it.
        guard let model = model.pairing, let agent = adapter.agents?.agent(for: pairing.call?.sender) else {
            return endPairing(.authenticationFailed)
        }
        pairing.timer = loop.schedule(after: settings.pairingTimeout) { [weak self] in
            if self?.pairing === pairing { self?.linkDown() }
        }
        // Where the link has just come to be, that is announced first.
        tree.flush()
        let device = DBusValue.path(path)
        switch model.prompt {
        case .none where pairing.call != nil: paired(pairing)
        case .none, .authorize: ask(agent, pairing, "RequestAuthorization", [device]) { _ in true }
        case .confirm:
            ask(agent, pairing, "RequestConfirmation", [device, .uint32(model.passkey)]) { _ in true }
        case .passkey: ask(agent, pairing, "RequestPasskey", [device]) { $0.first == .uint32(model.passkey) }
        case .pin: ask(agent, pairing, "RequestPinCode", [device]) { $0.first == .string(model.pin) }
        case .display: show(model, agent, pairing)
        }
    }

    private func show(_ model: PairingModel, _ agent: AgentCalls.Agent, _ pairing: Pairing) {
        pairing.isShown = true
        adapter.agents?.ask(agent, "DisplayPasskey", [.path(path), .uint32(model.passkey), .uint16(0)]) { _ in }
        // The device's user types it in, sooner or later.
        guard let delay = model.typedAfter else { return }
        loop.schedule(after: delay) { [weak self] in
            if self?.pairing === pairing { self?.type(model.passkey) }
        }
    }

    private func ask(
        _ agent: AgentCalls.Agent,
        _ pairing: Pairing,
        _ member: String,
        _ arguments: [DBusValue],
        _ isRight: @escaping ([DBusValue]) -> Bool
    ) {
        pairing.agent = agent
        adapter.agents?.ask(agent, member, arguments) { [weak self] outcome in
            guard let self, self.pairing === pairing else { return }
            pairing.agent = nil
            switch outcome {
            case .success(let answer) where isRight(answer.values): paired(pairing)
            case .success: failed(pairing)
            // A refusal and any other error are one to bluetoothd, and leave the link.
            case .failure: endPairing(.authenticationFailed)
            }
        }
    }

    /// The two sides have not come to the same keys: the kernel ends the link.
    private func failed(_ pairing: Pairing) {
        endPairing(.authenticationFailed)
        linkDown()
    }

    private func paired(_ pairing: Pairing) {
        if let timer = pairing.timer { loop.cancel(timer) }
        peripheral.isPaired = true
        peripheral.isEncrypted = true
        if model.pairing?.bonds ?? true {
            isBonded = true
            announce("Bonded")
        }
        // While services have never been known, the rest waits for them.
        if services.isEmpty, isConnected, pairing.call != nil {
            isPairedLate = true
        } else {
            finish(pairing)
        }
        bearer?.goOn()
    }

    /// Services are known now: a pairing that waited for them is complete.
    func finishLatePairing() {
        guard isPairedLate, let pairing else { return }
        isPairedLate = false
        finish(pairing)
    }

    private func finish(_ pairing: Pairing) {
        self.pairing = nil
        isPaired = true
        announce("Paired")
        pairing.call?.reply()
    }
}
