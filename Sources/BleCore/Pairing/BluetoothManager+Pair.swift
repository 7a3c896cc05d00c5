internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Pairs a device and keeps the bond, with a link made for it where there is none.
    ///
    /// A device that is paired stays as it is: bluetoothd 5.66 would try the other kind of Bluetooth and never answer.
    /// One pairing runs at a time; others wait for their turn, as bluetoothd has one question at a time for an agent.
    ///
    /// - Parameters:
    ///   - address: the device.
    ///   - capability: what the agent says for this pairing; nil: what is configured.
    ///   - scope: bounds the whole.
    /// - Returns: what was done.
    /// - Throws: `BleFailure` with `pairingFailed` or `pairingRejected`, or why there was no link; `CancellationError`.
    package func pair(
        _ address: DeviceAddress,
        capability: PairingCapability? = nil,
        _ scope: OperationScope
    ) async throws -> PairOutcome {
        try await requireReady(scope)
        let address = tree.name(of: address)
        if let outcome = earlierPairing(of: address, scope) { return outcome }
        while pairing.current != nil { try await wait(scope) { self.pairing.current == nil ? .success(()) : nil } }
        pairing.current = address
        pairing.refusal = nil
        pairing.window.begin(address)
        defer {
            pairing.current = nil
            pairing.window.end(address)
            endPrompts(of: address)
            if !isRegistered(configuration.pairingCapability) { setAgent(configuration.pairingCapability) }
            pokeState()
        }
        if let outcome = earlierPairing(of: address, scope) { return outcome }
        try await useAgent(capability ?? configuration.pairingCapability ?? .keyboardDisplay, scope)
        while true {
            _ = try await connect(address, scope)
            guard let path = bestObject(of: address, on: scope.adapter) else {
                throw BleFailure(.deviceRemoved, at: .operate, detail: "BlueZ forgot the device")
            }
            // A device may have asked for it by itself as soon as it had a link.
            if let outcome = earlierPairing(of: address, scope) {
                return PairOutcome(already: false, bonded: outcome.bonded)
            }
            do {
                try await callPair(path, scope)
                let bonded = tree.devices[path]?.bonded ?? false
                return PairOutcome(already: false, bonded: bonded)
            } catch let failure as BleFailure where failure.dbus?.name == "org.bluez.Error.AlreadyExists" {
                return PairOutcome(already: true, bonded: tree.devices[path]?.bonded ?? true)
            } catch let failure as BleFailure where failure.dbus?.name == "org.bluez.Error.InProgress" {
                // Another program pairs it now: its outcome is ours.
                guard scope.tryAgain(after: failure, .inProgress, configuration.retryGaps) != nil else { throw failure }
                try await otherPairing(of: path, scope)
            }
        }
    }

    /// Ends a device's bond here; a pairing that is under way is cancelled.
    ///
    /// BlueZ has no way to do so but to forget the device; it is found again when it is heard.
    ///
    /// - Returns: false when there was no bond.
    package func unpair(_ address: DeviceAddress, _ scope: OperationScope) async throws -> Bool {
        try await requireReady(scope)
        let address = tree.name(of: address)
        var isDone = false
        if pairing.current == address {
            isDone = true
            pairing.refusal = "it was unpaired meanwhile"
            if let path = bestObject(of: address) { cancelPairing(path) }
            try await wait(scope) { self.pairing.current == address ? nil : .success(()) }
        }
        let bonds = (tree.paths[address] ?? []).filter { path in
            guard let device = tree.devices[path], device.paired || device.bonded else { return false }
            return scope.adapter == nil || device.adapter == scope.adapter
        }
        for path in bonds {
            try await remove(path, scope)
            isDone = true
        }
        return isDone
    }

    /// Says whether a device's own requests to services of this machine are let through without a question.
    ///
    /// - Returns: false when it was so already.
    package func setTrusted(_ trusted: Bool, _ address: DeviceAddress, _ scope: OperationScope) async throws -> Bool {
        try await requireReady(scope)
        guard let path = bestObject(of: address, on: scope.adapter), let record = tree.devices[path] else {
            throw BleFailure(.notInRange, at: .scan, detail: "BlueZ does not know the device")
        }
        guard record.trusted != trusted else { return false }
        scope.stage = .operate
        let message = try DBusMessage.call(BluezNames.service, path, BusNames.properties, "Set")
            .append { (writer) throws(DBusFailure) in
                try writer.append(string: BluezNames.device)
                try writer.append(string: "Trusted")
                try writer.append(.variant(.bool(trusted)))
            }
        let reply = ReplySlot()
        let link = link(address)
        scope.applied = .maybe
        send(message, for: link) { reply.outcome = $0 }
        try await wait(scope, on: link) {
            switch reply.outcome {
            case .success: return .success(())
            case .failure(let failure): return .failure(BluezErrors.failure(failure, at: .operate, changes: true))
            case nil:
                guard self.tree.devices[path] == nil else { return nil }
                var failure = self.removal(path, at: .operate)
                failure.applied = .maybe
                return .failure(failure)
            }
        }
        return true
    }

    // MARK: The way of one pairing

    private func earlierPairing(of address: DeviceAddress, _ scope: OperationScope) -> PairOutcome? {
        guard let path = bestObject(of: address, on: scope.adapter), let record = tree.devices[path],
            record.paired || record.bonded
        else { return nil }
        return PairOutcome(already: true, bonded: record.bonded)
    }

    private func isRegistered(_ capability: PairingCapability?) -> Bool {
        switch pairing.registration {
        case .none: capability == nil
        case .registered(let present): present == capability
        // What becomes of it is told by itself.
        case .underway, .refused: capability != nil
        }
    }

    /// Waits until bluetoothd knows our agent, with that capability.
    private func useAgent(_ capability: PairingCapability, _ scope: OperationScope) async throws {
        scope.stage = .operate
        var isAsked = false
        try await wait(scope) {
            if let unavailability = self.unavailability(of: scope.adapter) { return .failure(unavailability) }
            switch self.pairing.registration {
            case .registered(capability): return .success(())
            case .underway: return nil
            case .refused(let failure) where isAsked || failure.kind == .unauthorized: return .failure(failure)
            case .none, .registered, .refused:
                isAsked = true
                self.setAgent(capability)
                return nil
            }
        }
    }

    /// One `Pair`, ended by its reply, by the device going, or by the scope.
    private func callPair(_ path: ObjectPath, _ scope: OperationScope) async throws {
        scope.stage = .operate
        let address = try linked(path).address
        let message = try DBusMessage.call(BluezNames.service, path, BluezNames.device, "Pair")
        let link = link(address)
        let reply = ReplySlot()
        scope.applied = .maybe
        send(message, for: link) { reply.outcome = $0 }
        let patience = Patience(.seconds(5))
        do {
            try await wait(scope, on: link) {
                switch reply.outcome {
                case .success: return .success(())
                case .failure(let failure): return .failure(self.pairingFailure(failure))
                case nil: break
                }
                guard let record = self.tree.devices[path] else { return .failure(self.removal(path, at: .operate)) }
                // bluetoothd answers soon after; an answer that is lost is done without.
                guard record.paired || !record.connected else { return nil }
                if patience.isOver {
                    if record.paired { return .success(()) }
                    let detail = "the link ended while the device was paired"
                    return .failure(BleFailure(.pairingFailed, at: .operate, detail: detail))
                }
                patience.begin(self.loop) { link.poke() }
                return nil
            }
        } catch {
            // Never without a pairing under way: bluetoothd would end the bond.
            if reply.outcome == nil { cancelPairing(path) }
            throw error
        }
        scope.applied = .yes
    }

    /// What BlueZ's error means, with what is known here of a refusal: BlueZ itself calls that a failure.
    private func pairingFailure(_ failure: DBusFailure) -> BleFailure {
        var found = BluezErrors.pairingFailure(failure)
        if let refusal = pairing.refusal, found.kind == .pairingFailed || found.kind == .pairingRejected {
            found.kind = .pairingRejected
            found.detail = refusal
        }
        return found
    }

    /// Waits until another program's pairing of the device has succeeded, or for a second.
    private func otherPairing(of path: ObjectPath, _ scope: OperationScope) async throws {
        guard let address = tree.devices[path]?.address else { return }
        let link = link(address)
        let patience = Patience(.seconds(1))
        patience.begin(loop) { link.poke() }
        try await wait(scope, on: link) {
            patience.isOver || self.tree.devices[path]?.paired != false ? .success(()) : nil
        }
    }

    private func cancelPairing(_ path: ObjectPath) {
        guard let record = tree.devices[path] else { return }
        do throws(DBusFailure) {
            let message = try DBusMessage.call(BluezNames.service, path, BluezNames.device, "CancelPairing")
            send(message, for: link(record.address)) { _ in }
        } catch {
            // Only our own constants go into the call.
        }
    }
}
