internal import DBus
internal import EventLoop

/// What a connect did.
public struct ConnectOutcome: Sendable, Equatable {
    /// The link stood before.
    public let already: Bool
    /// The ATT MTU in bytes, where BlueZ tells it.
    public let mtu: Int?
}

extension BluetoothManager {
    /// Makes a link to a device and waits until its services are known.
    ///
    /// A device that BlueZ does not know is searched for first.
    ///
    /// - Throws: `BleFailure` with the stage, or `CancellationError`.
    package func connect(_ address: DeviceAddress, _ scope: OperationScope) async throws -> ConnectOutcome {
        let address = tree.name(of: address)
        // A link that is being ended still looks as if it stood, for as long as bluetoothd takes.
        if let link = links[address], link.state.phase == .disconnecting {
            scope.stage = .connect
            try await wait(scope, on: link) { link.state.phase == .disconnecting ? nil : .success(()) }
        }
        if let path = bestObject(of: address, on: scope.adapter), let record = tree.devices[path],
            record.connected, record.servicesResolved
        {
            scope.linkReady()
            return ConnectOutcome(already: true, mtu: record.attributes.mtu)
        }
        var link = link(address)
        // One operation makes the link; others wait for what comes of it, and the first of them to look goes on.
        while link.isTaken {
            try await wait(scope, on: link) { link.isTaken ? nil : .success(()) }
            link = self.link(address)
        }
        link.isTaken = true
        defer {
            link.isTaken = false
            link.poke()
            dropIdleLink(address)
        }
        do {
            try await leaveOtherAdapter(link, scope)
            let outcome = try await establish(link, scope)
            scope.linkReady()
            return outcome
        } catch {
            if link.state.phase == .connecting { setLink(link, .disconnected, reason: Self.reason(error)) }
            throw error
        }
    }

    /// Ends the link, whoever made it, and waits until it is gone.
    ///
    /// - Returns: false when there was none.
    package func disconnect(_ address: DeviceAddress, _ scope: OperationScope) async throws -> Bool {
        try await requireReady(scope)
        let address = tree.name(of: address)
        guard let path = bestObject(of: address, on: scope.adapter), let record = tree.devices[path],
            record.connected
        else { return false }
        scope.stage = .operate
        try await disconnect(path, link(address), scope)
        return true
    }

    private func disconnect(_ path: ObjectPath, _ link: Link, _ scope: OperationScope) async throws {
        setLink(link, .disconnecting, reason: nil)
        let message = try DBusMessage.call(BluezNames.service, path, BluezNames.device, "Disconnect")
        var refusal: BleFailure?
        scope.applied = .maybe
        send(message, for: link) { outcome in
            guard case .failure(let failure) = outcome else { return }
            refusal = BluezErrors.failure(failure, at: .operate, changes: true)
        }
        do {
            try await wait(scope, on: link) {
                if let lost = self.lostBus(path) { return .failure(lost) }
                if self.tree.devices[path]?.connected != true { return .success(()) }
                return refusal.map { .failure($0) }
            }
        } catch {
            if link.state.phase == .disconnecting { setLink(link, .resolved, reason: nil) }
            refreshLink(link.address)
            link.poke()
            throw error
        }
    }

    /// Waits until no call for the device is out.
    ///
    /// After the limit the link is dropped, and a late reply is ignored.
    package func settle(_ address: DeviceAddress) async {
        let address = tree.name(of: address)
        guard let link = links[address] else { return }
        if link.isSettled || link.isHurried {
            settled()
        } else if await quiet(link, within: configuration.settleLimit) {
            settled()
        } else {
            cancelLink(address)
            _ = await quiet(link, within: .seconds(5))
            unsettled += 1
            stateChanged()
            if unsettled >= 3 { probeService() }
        }
        link.isHurried = false
        dropIdleLink(address)
    }

    /// Waits within an operation until no call for the device is out, as `settle` does.
    package func untilSettled(_ address: DeviceAddress, _ scope: OperationScope) async throws {
        guard let link = links[tree.name(of: address)], !link.isSettled else { return }
        try await untilSettled(link, within: configuration.settleLimit, scope)
        guard !link.isSettled else { return }
        cancelLink(address)
        try await untilSettled(link, within: .seconds(5), scope)
    }

    private func untilSettled(_ link: Link, within limit: Duration, _ scope: OperationScope) async throws {
        var isOver = false
        let timer = loop.schedule(after: limit) {
            isOver = true
            link.poke()
        }
        defer { loop.cancel(timer) }
        try await wait(scope, on: link) { link.isSettled || isOver ? .success(()) : nil }
    }

    /// Lets a device be used although a call is out: the next thing to be done ends the link, and the call with it.
    package func hurry(_ address: DeviceAddress) {
        guard let link = links[tree.name(of: address)] else { return }
        link.isHurried = true
        link.poke()
    }

    private func settled() {
        guard unsettled > 0 else { return }
        unsettled = 0
        ladder.succeeded(.bus)
        stateChanged()
    }

    private func quiet(_ link: Link, within limit: Duration) async -> Bool {
        let scope = OperationScope(timeout: limit, on: loop)
        defer { scope.finish() }
        do {
            try await wait(scope, on: link) { link.isSettled || link.isHurried ? .success(()) : nil }
            return true
        } catch {
            return false
        }
    }

    // MARK: The way to a link

    /// Forgets what is kept of a device that BlueZ does not know and nobody waits for.
    func dropIdleLink(_ address: DeviceAddress) {
        guard tree.paths[address] == nil, let link = links[address], link.isIdle else { return }
        links[address] = nil
    }

    /// The object of a device, searched for on the air when BlueZ does not know it.
    private func find(_ address: DeviceAddress, _ scope: OperationScope) async throws -> ObjectPath {
        try await requireReady(scope)
        if let path = usableObject(of: address, scope) { return path }
        var request = ScanRequest()
        request.addresses = [address]
        request.adapter = scope.adapter
        let demand = try await startDiscovery(request, scope)
        defer { stopDiscovery(demand) }
        scope.stage = .scan
        return try await suspend(scope, on: link(address)) {
            if let path = self.usableObject(of: address, scope) { return .success(path) }
            return self.unavailability(of: scope.adapter).map { .failure($0) }
        }
    }

    /// The object of a device at an adapter that is on: what one that is off remembers helps nobody.
    private func usableObject(of address: DeviceAddress, _ scope: OperationScope) -> ObjectPath? {
        guard let path = bestObject(of: address, on: scope.adapter), tree.adapters[path.parent]?.powered == true else {
            return nil
        }
        return path
    }

    /// Ends a link of ours through another adapter than the one that is asked for; it is made again through that.
    private func leaveOtherAdapter(_ link: Link, _ scope: OperationScope) async throws {
        guard let wanted = scope.adapter else { return }
        try await requireReady(scope)
        guard let path = bestObject(of: link.address), let record = tree.devices[path], record.connected,
            record.adapter != wanted
        else { return }
        scope.stage = .connect
        guard link.ours else {
            let detail = "another program has a link to the device through \(record.adapter)"
            throw BleFailure(.connectFailed, at: .connect, detail: detail)
        }
        try await disconnect(path, link, scope)
        // The operation itself has not begun.
        scope.applied = .no
    }

    /// Tries until the link stands and its services are known, with growing gaps by the kind of failure, until the
    /// operation's time is over; the timeout then names the last error.
    private func establish(_ link: Link, _ scope: OperationScope) async throws -> ConnectOutcome {
        var bond = BondDoubt()
        while true {
            do {
                let path = try await find(link.address, scope)
                scope.stage = .connect
                let already = tree.devices[path]?.connected == true
                if !already {
                    try await withRadio(path.parent, scope) { try await attempt(path, link, scope) }
                }
                bond.linked(bonded: tree.devices[path]?.bonded ?? false)
                try await resolve(path, link, scope)
                adoptFormerObjects(of: path)
                adoptSubscriptions(to: path)
                await restoreSubscriptions(of: path, scope)
                linkMade(link, at: path)
                return ConnectOutcome(already: already, mtu: tree.devices[path]?.attributes.mtu)
            } catch var failure as BleFailure {
                // An adapter that is on and not ready is not well: that may pass.
                if failure.kind == .adapterOff, failure.dbus != nil, isOn(link.address, scope) {
                    failure.kind = .connectFailed
                }
                if failure.kind == .linkLost, bond.isStale(afterLossAt: .now) { throw BondDoubt.failure }
                let isMended = try await linkFailed(link, failure, scope)
                let family = RetryFamily(connecting: failure, after: scope.lastFamily)
                let gap = scope.tryAgain(
                    after: failure,
                    family,
                    configuration.retryGaps,
                    atMost: isMended ? .milliseconds(500) : nil
                )
                guard let gap else { throw failure }
                scope.stage = .connect
                setLink(link, .connecting, reason: Self.reason(failure), attempt: scope.attempt + 1)
                try await afterFlicker(link, scope)
                try await rest(gap, scope)
                scope.beginTry()
            }
        }
    }

    /// Whether the adapter of a device is on by its own account.
    private func isOn(_ address: DeviceAddress, _ scope: OperationScope) -> Bool {
        guard let name = adapter(for: address, on: scope.adapter) else { return false }
        return usedAdapter(name)?.powered == true
    }

    /// Waits before another try; no longer than bluetoothd is away.
    func rest(_ gap: Duration, _ scope: OperationScope) async throws {
        guard scope.lastFamily == .busGone, state != .ready else { return try await pause(gap, scope) }
        var isOver = false
        let timer = loop.schedule(after: gap) { [weak self] in
            isOver = true
            self?.assumeIsolated { $0.pokeState() }
        }
        defer { loop.cancel(timer) }
        try await wait(scope) { isOver || self.state == .ready ? .success(()) : nil }
    }

    /// One `Connect`, ended by its reply, by the link standing, by the device going, or by the scope.
    private func attempt(_ path: ObjectPath, _ link: Link, _ scope: OperationScope) async throws {
        let message = try DBusMessage.call(BluezNames.service, path, BluezNames.device, "Connect")
        link.connecting = true
        defer { link.connecting = false }
        setLink(link, .connecting, reason: link.state.reason, attempt: scope.attempt)
        let reply = ReplySlot()
        let life = link.life
        var isExcused = false
        send(message, for: link) { outcome in
            reply.outcome = outcome
            if isExcused, life == link.life { link.excused -= 1 }
        }
        let patience = Patience(.seconds(1))
        do {
            try await wait(scope, on: link) {
                guard let record = self.tree.devices[path] else { return .failure(self.removal(path, at: .connect)) }
                switch reply.outcome {
                case .failure(let failure):
                    return .failure(record.judged(BluezErrors.failure(failure, at: .connect)))
                case .success:
                    self.tree.confirmLink(path)
                    return .success(())
                // A reply that is lost: the link tells by itself. BlueZ answers before it knows services, so one that
                // is not there by now is late; an error may still come with a link that was only a flicker.
                case nil:
                    guard record.connected, record.servicesResolved else { return nil }
                    if patience.isOver { return .success(()) }
                    patience.begin(self.loop) { link.poke() }
                    return nil
                }
            }
        } catch {
            if reply.outcome == nil { cancelLink(link.address, at: path) }
            throw error
        }
        if reply.outcome == nil, life == link.life {
            isExcused = true
            link.excused += 1
        }
        link.ours = true
        link.connecting = false
        refreshLink(link.address)
    }

    /// Waits until the services are known.
    private func resolve(_ path: ObjectPath, _ link: Link, _ scope: OperationScope) async throws {
        scope.stage = .discover
        do {
            try await wait(scope, on: link) {
                guard let record = self.tree.devices[path] else { return .failure(self.removal(path, at: .discover)) }
                guard record.connected else {
                    return .failure(BleFailure(.linkLost, at: .connect, detail: "the link ended during discovery"))
                }
                return record.servicesResolved ? .success(()) : nil
            }
        } catch {
            // A link on which nothing can be done is of no use to the next job either.
            if link.ours, scope.isOver {
                if error is BleFailure { tellUnresolved(link, path) }
                cancelLink(link.address, at: path)
            }
            throw error
        }
        refreshLink(link.address)
    }

    /// BlueZ shows a link for a moment where making it fails; the next try must wait until it is gone.
    private func afterFlicker(_ link: Link, _ scope: OperationScope) async throws {
        guard let path = bestObject(of: link.address, on: scope.adapter) else { return }
        // If it stays, the next `Connect` will tell.
        var isOver = false
        let timer = loop.schedule(after: .seconds(5)) {
            isOver = true
            link.poke()
        }
        defer { loop.cancel(timer) }
        try await wait(scope, on: link) {
            isOver || self.tree.devices[path]?.connected != true ? .success(()) : nil
        }
    }

    /// Tells BlueZ to end a link, or the attempt at one, without waiting.
    func cancelLink(_ address: DeviceAddress, at path: ObjectPath? = nil) {
        guard let path = path ?? bestObject(of: address), tree.devices[path] != nil else { return }
        do throws(DBusFailure) {
            let message = try DBusMessage.call(BluezNames.service, path, BluezNames.device, "Disconnect")
            send(message, for: link(address)) { _ in }
        } catch {
            // Only our own constants go into the call.
        }
    }

    /// The failure of a call that is out and changes something, when bluetoothd has gone: that its objects are gone with
    /// it says nothing of what it has done.
    func lostBus(_ path: ObjectPath) -> BleFailure? {
        guard owner == nil else { return nil }
        var failure = removal(path, at: .operate)
        failure.applied = .maybe
        return failure
    }

    /// What the loss of a device's object means.
    func removal(_ path: ObjectPath, at stage: BleFailure.Stage) -> BleFailure {
        if owner == nil {
            return BleFailure(
                stage == .operate ? .busLost : .bluetoothUnavailable,
                at: stage,
                detail: "bluetoothd went away"
            )
        }
        if tree.adapters[path.parent] == nil {
            return BleFailure(.adapterMissing, at: stage, detail: "the adapter went away")
        }
        return BleFailure(.deviceRemoved, at: stage, detail: "BlueZ forgot the device")
    }

    private static func reason(_ error: any Error) -> String {
        guard let failure = error as? BleFailure else { return "cancelled" }
        return failure.dbus?.message ?? (failure.kind == .timedOut ? "timeout" : failure.detail)
    }
}
