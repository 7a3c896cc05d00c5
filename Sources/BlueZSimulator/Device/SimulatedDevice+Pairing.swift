internal import DBus

/// Pairing: the link is made, the agent is asked, and both sides remember each other.
extension SimulatedDevice {
    /// A pairing under way.
    final class Pairing {
        let call: IncomingCall
        /// Who is asked now.
        var agent: AgentCalls.Agent?

        init(_ call: IncomingCall) { self.call = call }
    }

    func pair(_ call: IncomingCall) {
        guard let model = model.pairing else { return call.fail(.authenticationFailed) }
        guard !isPaired else { return call.fail(.alreadyExists) }
        guard pairing == nil else { return call.fail(.inProgress) }
        guard adapter.isPowered else { return call.fail(.notReady) }
        guard isConnected || peripheral.answersConnects, !isBlocked else { return call.fail(.connectionAttemptFailed) }
        let pairing = Pairing(call)
        self.pairing = pairing
        linkUp()
        prompt(model, pairing)
    }

    func cancelPairing(_ call: IncomingCall) {
        guard pairing != nil else { return call.fail(.doesNotExist) }
        endPairing(.authenticationCanceled)
        call.reply()
    }

    /// Gives up a pairing that is under way, and tells the agent.
    func endPairing(_ error: BluezError) {
        guard let pairing else { return }
        self.pairing = nil
        if let agent = pairing.agent { adapter.agents?.ask(agent, "Cancel", []) { _ in } }
        pairing.call.fail(error)
    }

    private func prompt(_ model: PairingModel, _ pairing: Pairing) {
        let device = DBusValue.path(path)
        switch model.prompt {
        case .none: paired(pairing)
        case .confirm: ask(pairing, "RequestConfirmation", [device, .uint32(model.passkey)]) { _ in true }
        case .authorize: ask(pairing, "RequestAuthorization", [device]) { _ in true }
        case .passkey: ask(pairing, "RequestPasskey", [device]) { $0.first == .uint32(model.passkey) }
        case .pin: ask(pairing, "RequestPinCode", [device]) { $0.first == .string(model.pin) }
        case .display:
            // The device's user types it in, sooner or later.
            ask(pairing, "DisplayPasskey", [device, .uint32(model.passkey), .uint16(0)]) { _ in true }
        }
    }

    private func ask(
        _ pairing: Pairing,
        _ member: String,
        _ arguments: [DBusValue],
        _ isRight: @escaping ([DBusValue]) -> Bool
    ) {
        guard let agents = adapter.agents, let agent = agents.agent(for: pairing.call.sender) else {
            return endPairing(.authenticationFailed)
        }
        pairing.agent = agent
        agents.ask(agent, member, arguments) { [weak self] outcome in
            guard let self, self.pairing === pairing else { return }
            pairing.agent = nil
            switch outcome {
            case .success(let answer) where isRight(answer.values): paired(pairing)
            case .success: endPairing(.authenticationFailed)
            case .failure(.error("org.bluez.Error.Rejected", _)): endPairing(.authenticationRejected)
            case .failure: endPairing(.authenticationCanceled)
            }
        }
    }

    private func paired(_ pairing: Pairing) {
        self.pairing = nil
        isPaired = true
        peripheral.isPaired = true
        if model.pairing?.bonds ?? true {
            isBonded = true
            announce("Bonded")
        }
        announce("Paired")
        pairing.call.reply()
    }
}
