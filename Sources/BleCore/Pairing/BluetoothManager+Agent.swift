internal import DBus
internal import EventLoop

/// The agent on the bus that bluetoothd asks about pairings.
///
/// bluetoothd uses it for pairings that this process begins and, as the default agent, for those that devices begin. The
/// first agent that is registered is the default; another program's stays it until the gateway's window is opened here.
extension BluetoothManager {
    /// Has bluetoothd use our agent with a capability, or none.
    ///
    /// bluetoothd handles the calls in order: what is registered now gives way first.
    func setAgent(_ capability: PairingCapability?) {
        if case .none = pairing.registration {} else { sendToAgents("UnregisterAgent") { _ in } }
        pairing.registration = .none
        if let capability { registerAgent(capability) }
    }

    private func registerAgent(_ capability: PairingCapability, isRepeated: Bool = false) {
        pairing.registration = .underway
        pairing.registrations += 1
        let number = pairing.registrations
        sendToAgents("RegisterAgent", .string(capability.rawValue)) { [weak self] outcome in
            self?.assumeIsolated { manager in
                guard manager.pairing.registrations == number else { return }
                manager.registrationEnded(outcome, capability, isRepeated: isRepeated)
            }
        }
    }

    private func registrationEnded(
        _ outcome: DBusConnection.Outcome,
        _ capability: PairingCapability,
        isRepeated: Bool
    ) {
        switch outcome {
        case .success:
            pairing.registration = .registered(capability)
            if pairing.window.isOpen(now: .now) { sendToAgents("RequestDefaultAgent") { _ in } }
        case .failure(.error("org.bluez.Error.AlreadyExists", _)) where !isRepeated:
            // An agent of ours from before, with whatever capability.
            sendToAgents("UnregisterAgent") { _ in }
            registerAgent(capability, isRepeated: true)
        case .failure(let failure):
            let failure = BluezErrors.failure(failure, at: .operate)
            pairing.registration = .refused(failure)
            if failure.kind != .unauthorized { registerLater(capability) }
        }
        pokeState()
    }

    /// bluetoothd may be starting or ending: it is asked again.
    private func registerLater(_ capability: PairingCapability) {
        loop.schedule(after: .seconds(2)) { [weak self] in
            self?.assumeIsolated { manager in
                guard manager.loaded, case .refused = manager.pairing.registration else { return }
                manager.registerAgent(capability)
            }
        }
    }

    /// Calls `AgentManager1` about our agent; the answer of a bluetoothd that is gone is not told.
    func sendToAgents(
        _ member: String,
        _ arguments: DBusValue...,
        completion: @escaping @Sendable (DBusConnection.Outcome) -> Void
    ) {
        guard let connection, let asked = owner else { return }
        do throws(DBusFailure) {
            let message = try DBusMessage.call(BluezNames.service, BluezNames.root, BluezNames.agentManager, member)
            try message.append { (writer) throws(DBusFailure) in
                try writer.append(path: BluezNames.agentPath)
                for argument in arguments { try writer.append(argument) }
            }
            connection.assumeIsolated { connection in
                connection.call(message) { [weak self] outcome in
                    guard self?.assumeIsolated({ $0.owner == asked }) == true else { return }
                    completion(outcome)
                }
            }
        } catch {
            // Only our own constants go into the call.
        }
    }

    /// bluetoothd is gone or another one: it knows no agent, and nobody waits for the prompts.
    func agentForgotten() {
        pairing.registration = .none
        for id in Array(pairing.prompts.keys) { endPrompt(id, .cancelled) }
    }

    // MARK: What bluetoothd asks

    /// Answers a call to the agent's object.
    func agentCalled(_ call: MethodCall) {
        guard let owner, call.sender == owner else {
            call.fail("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may ask this")
            return
        }
        do throws(DBusFailure) {
            var reader = call.reader()
            switch call.member {
            case "Release":
                call.reply()
                released()
            case "Cancel":
                call.reply()
                cancelled()
            case "RequestConfirmation": ask(try reader.path(), .confirm(passkey: try reader.uint32()), call)
            case "RequestPasskey": ask(try reader.path(), .passkey, call)
            case "RequestPinCode": ask(try reader.path(), .pin, call)
            case "RequestAuthorization": ask(try reader.path(), .authorize, call)
            case "AuthorizeService":
                let path = try reader.path()
                guard let uuid = BluetoothUUID(try reader.string()) else { return refuse(call, "no such service") }
                ask(path, .authorizeService(uuid), call)
            case "DisplayPasskey":
                let path = try reader.path()
                let passkey = try reader.uint32()
                ask(path, .display(passkey: passkey, entered: Int(try reader.uint16())), call)
            case "DisplayPinCode": ask(try reader.path(), .displayPin(try reader.string()), call)
            default: call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
            }
        } catch {
            call.fail("org.freedesktop.DBus.Error.InvalidArgs", "not the arguments of \(call.member)")
        }
    }

    private func refuse(_ call: MethodCall, _ reason: String) { call.fail("org.bluez.Error.Rejected", reason) }

    /// bluetoothd has let our agent go: it is registered anew while bluetoothd stays.
    private func released() {
        guard let capability = configuration.pairingCapability else { return }
        agentForgotten()
        let failure = BleFailure(.bluetoothUnavailable, at: .operate, detail: "bluetoothd has released the agent")
        pairing.registration = .refused(failure)
        registerLater(capability)
    }

    /// bluetoothd has given up its question.
    private func cancelled() {
        for (id, open) in pairing.prompts where open.prompt.kind.needsAnswer { endPrompt(id, .cancelled) }
    }

    private func ask(_ path: ObjectPath, _ kind: PairingPrompt.Kind, _ call: MethodCall) {
        guard let address = tree.devices[path]?.address else { return refuse(call, "unknown device") }
        // Who pairs a device has said that it may; bluetoothd itself asks nobody then (`device_confirm_passkey`).
        if kind == .authorize, pairing.window.isAsked(address) { return call.reply() }
        if let reason = reasonToRefuse(address) {
            refuse(call, reason)
            pairingRefused(address, reason)
            return
        }
        if !kind.needsAnswer {
            call.reply()
            if update(address, kind) { return }
        }
        openPrompt(address, kind, kind.needsAnswer ? call : nil)
    }

    private func reasonToRefuse(_ address: DeviceAddress) -> String? {
        if !pairing.window.admits(address, now: .now) { return "nobody has asked to pair this device" }
        if pairing.observers.isEmpty { return "nobody could answer" }
        return pairing.prompts.count < PairingState.promptBound ? nil : "too many prompts are open"
    }
}
