internal import DBus
internal import EventLoop

/// What is done about adapters, and about a bluetoothd that does not answer.
extension BluetoothManager {
    /// Takes up that an adapter has failed once more, and takes the step that is due.
    ///
    /// - Returns: the step.
    @discardableResult
    func adapterFailed(_ adapter: AdapterRecord, _ fault: RecoveryFault) -> RecoveryStep? {
        let radio = radios[adapter.path]
        let step = ladder.failed(.adapter(id(of: adapter)), fault, at: .now) { step in
            switch step {
            case .scanRestart: radio?.discovery.session == nil ? .never : .yes
            case .powerCycle:
                if !configuration.recovery.powerCycles || fault == .scannerSilent && radio?.hasHeard != true {
                    .never
                } else {
                    isFree(adapter) ? .yes : .notNow
                }
            case .helper: configuration.recovery.hasHelper ? .yes : .never
            case .cancelConnect, .disconnect, .removeDevice, .busReconnect: .never
            }
        }
        guard let step, let radio else { return nil }
        recovered(Recovery(step: step, fault: fault, adapter: adapter.name))
        switch step {
        case .scanRestart:
            if radio.discovery.restart() { updateDiscovery() }
        case .powerCycle: powerCycle(radio)
        default: break
        }
        return step
    }

    /// Whether switching an adapter off would disturb nobody: it has no link, whoever made it, and no operation is under
    /// way but those of devices that take none.
    private func isFree(_ adapter: AdapterRecord) -> Bool {
        if hasLinks(adapter) { return false }
        let id = id(of: adapter)
        return !links.values.contains { link in
            guard link.callsOut > 0 || link.isTaken && !troubles.isFailing(link.address, on: id) else { return false }
            return self.adapter(for: link.address) == adapter.name
        }
    }

    /// Whether any link stands through an adapter, whoever made it.
    func hasLinks(_ adapter: AdapterRecord) -> Bool {
        tree.devices.values.contains { $0.connected && $0.adapter == adapter.name }
    }

    /// Leaves no adapter off that is being switched off and on while the manager leaves the bus.
    func restorePower() {
        for radio in radios.values where radio.isCycling {
            do throws(DBusFailure) { _ = send(try Self.powerMessage(true, radio.path)) } catch { continue }
        }
    }

    /// Switches an adapter off and on.
    ///
    /// Operations that come meanwhile wait for the end.
    private func powerCycle(_ radio: Radio) {
        radio.isCycling = true
        let (path, name) = (radio.path, radio.name)
        // Unstructured because a failure starts it; its scopes bound it.
        Task.immediate(executorPreference: loop) {
            await self.switchPower(false, name)
            // What was switched off is not left so: nobody else knows that it should be on.
            for _ in 0..<3 where self.tree.adapters[path]?.powered == false { await self.switchPower(true, name) }
            self.radios[path]?.isCycling = false
            self.stateChanged()
            self.updateDiscovery()
        }
    }

    private func switchPower(_ on: Bool, _ name: AdapterName) async {
        let scope = OperationScope(timeout: .seconds(10), on: loop)
        defer { scope.finish() }
        do {
            _ = try await setPower(on, adapter: name, scope)
            // A controller may need a moment to find to itself.
            try await pause(.milliseconds(500), scope)
        } catch {
            // That it stays as it is can be seen.
        }
    }

    /// The adapter that an operation has to wait for, because it is being switched off and on.
    func cyclingRadio(for name: AdapterName?) -> Radio? {
        if let name { return radios.values.first { $0.name == name && $0.isCycling } }
        return isAnyAdapterOn ? nil : radios.values.first { $0.isCycling }
    }

    // MARK: The bus

    /// Asks bluetoothd for next to nothing, because several calls in a row have no answer: it may be their devices that
    /// are at fault.
    func probeService() {
        guard !isProbing, let connection, let asked = owner else { return }
        let message: DBusMessage
        do throws(DBusFailure) {
            let path = chosenAdapter?.path ?? BluezNames.root
            message = try .call(BluezNames.service, path, BusNames.properties, "Get")
                .append { (writer) throws(DBusFailure) in
                    try writer.append(string: BluezNames.adapter)
                    try writer.append(string: "Powered")
                }
        } catch {
            return
        }
        isProbing = true
        let timer = loop.schedule(after: configuration.answerLimit) { [weak self] in
            self?.assumeIsolated { manager in
                guard manager.owner == asked, manager.isProbing else { return }
                manager.isProbing = false
                manager.answerMissing()
            }
        }
        connection.assumeIsolated { connection in
            connection.call(message) { [weak self] _ in
                self?.assumeIsolated { manager in
                    manager.isProbing = false
                    manager.loop.cancel(timer)
                }
            }
        }
    }

    /// Takes up that bluetoothd answers nothing at all.
    private func answerMissing() {
        guard owner != nil else { return }
        let step = ladder.failed(.bus, .noAnswers, at: .now) { step in
            step == .helper && !configuration.recovery.hasHelper ? .never : .yes
        }
        guard let step else { return }
        recovered(Recovery(step: step, fault: .noAnswers))
        if step == .busReconnect { endSession?() }
    }

    /// Looks again and again whether bluetoothd has told what it has: at first it may only be slow.
    func lookForTree(of asked: String, isFirst: Bool = true) {
        guard owner == asked, !loaded else { return }
        treeStaysAway()
        if !isFirst { answerMissing() }
        guard owner == asked else { return }
        loop.schedule(after: max(configuration.answerLimit, .seconds(5))) { [weak self] in
            self?.assumeIsolated { $0.lookForTree(of: asked, isFirst: false) }
        }
    }
}
