internal import DBus
internal import EventLoop

/// What is done about links that do not come to be, by the ladders.
extension BluetoothManager {
    /// Takes up that a try to make a link has failed, and takes the step that is due.
    ///
    /// - Returns: whether the next try may come at once.
    func linkFailed(_ link: Link, _ failure: BleFailure, _ scope: OperationScope) async throws -> Bool {
        guard let path = bestObject(of: link.address, on: scope.adapter), let record = tree.devices[path],
            let adapter = tree.adapters[path.parent], let fault = fault(of: failure, record, link.state)
        else { return false }
        if fault == .connectFails, troubles.failed(link.address, on: id(of: adapter), at: .now), !hasLinks(adapter) {
            // It is not the devices that are at fault.
            adapterFailed(adapter, .connectsFail)
            return false
        }
        let step = ladder.failed(.device(link.address), fault, at: .now) { leave($0, record) }
        guard let step else { return false }
        recovered(Recovery(step: step, fault: fault, device: link.address, adapter: record.adapter))
        switch step {
        case .cancelConnect, .disconnect: cancelLink(link.address, at: path)
        case .removeDevice: removeObject(path, link)
        case .scanRestart, .powerCycle, .busReconnect, .helper: return false
        }
        guard !scope.isOver else { return false }
        try await settle(step, path, link, scope)
        return true
    }

    /// Takes up that a link came to be and is of use.
    func linkMade(_ link: Link, at path: ObjectPath) {
        ladder.succeeded(.device(link.address))
        guard let adapter = tree.adapters[path.parent] else { return }
        troubles.succeeded(on: id(of: adapter))
        ladder.ended(.connectsFail, of: .adapter(id(of: adapter)))
    }

    /// Waits until a step has shown what it does, for a moment at most.
    private func settle(_ step: RecoveryStep, _ path: ObjectPath, _ link: Link, _ scope: OperationScope) async throws {
        let patience = Patience(.seconds(2))
        patience.begin(loop) { link.poke() }
        try await wait(scope, on: link) {
            if patience.isOver || self.owner == nil { return .success(()) }
            if step == .removeDevice { return self.tree.devices[path] == nil ? .success(()) : nil }
            return link.isSettled && self.tree.devices[path]?.connected != true ? .success(()) : nil
        }
    }

    private func removeObject(_ path: ObjectPath, _ link: Link) {
        do throws(DBusFailure) {
            let message = try DBusMessage.call(BluezNames.service, path.parent, BluezNames.adapter, "RemoveDevice")
                .append { (writer) throws(DBusFailure) in try writer.append(path: path) }
            send(message, for: link) { _ in }
        } catch {
            // Only our own constants go into the call.
        }
    }

    /// What a failed try says is at fault; nil: nothing that a step would mend.
    private func fault(
        of failure: BleFailure,
        _ record: DeviceRecord,
        _ state: LinkState
    ) -> RecoveryFault? {
        switch (failure.stage, failure.kind) {
        case (.connect, .busy): .connectInProgress
        // A caller's short patience is no fault of the device.
        case (.discover, .timedOut): WallClock.now() - state.since >= 3000 ? .servicesUnresolved : nil
        case (.connect, .connectFailed), (.connect, .timedOut): isHeard(record) ? .connectFails : nil
        default: nil
        }
    }

    /// Whether a device was heard in the last minute: one that is away takes no link, and nothing is at fault.
    private func isHeard(_ record: DeviceRecord) -> Bool {
        record.advertisement.signals > 0 && record.advertisement.lastHeard >= WallClock.now() - 60_000
    }

    /// Whether a step against a device's fault may be taken.
    ///
    /// Forgetting a device loses its bond and what its user has said of it.
    private func leave(_ step: RecoveryStep, _ record: DeviceRecord) -> RecoveryLadder.Leave {
        guard step == .removeDevice else { return .yes }
        let isPrecious = record.paired || record.bonded || record.trusted || !configuration.recovery.removesDevices
        return isPrecious ? .never : .yes
    }

    /// Tells that a link is ended on which services have not come to be known in time.
    func tellUnresolved(_ link: Link, _ path: ObjectPath) {
        let adapter = tree.devices[path]?.adapter
        recovered(
            Recovery(step: .disconnect, fault: .servicesUnresolved, device: link.address, adapter: adapter)
        )
    }

    /// Counts and tells a step that is being taken.
    func recovered(_ recovery: Recovery) {
        recoveries[recovery.step, default: 0] += 1
        events.send(.recovery(recovery))
    }
}
