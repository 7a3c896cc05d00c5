internal import BleCore
internal import EventLoop
internal import TaskQueue

extension Agent {
    /// Takes up what happened in Bluetooth.
    func happened(_ event: BluetoothEvent) {
        switch event {
        // What leaving the bus looks like is no news.
        case .state where isStopping, .adapterRemoved where isStopping: break
        case .state(let state):
            log.write(state == .ready ? .info : .warning, "Bluetooth changed", [.state: state.rawValue])
            publisher.retain(topics.bluetooth, .other, BluetoothMessage(state).encode)
            if state == .ready, bluetooth != nil { lastRecoveryMs = UTCTime.now.millisecondsSince1970 }
            bluetooth = state
            tellStatus()
            if state == .ready {
                tryAllAgain()
                startWaitingScans()
                startValues()
                startRecovered()
            }
        case .adapter(let adapter):
            noteDiscovery()
            setSlots(of: adapter.id)
            publish(adapter)
            notePower(of: adapter)
        case .adapterRemoved(let name):
            toldWaiting[name] = nil
            poweredAdapters.remove(name)
            lastSteps[name] = nil
            noteDiscovery()
            log.warning("Adapter is gone", [.adapter: name.text])
            publisher.clear(topics.adapter(name))
        case .link(let address, let state): linkChanged(address, state)
        case .name(let address, let name): tell(address, .name(name))
        case .services(let address): servicesChanged(address)
        case .bond(let address, let paired):
            audit.bonded(target(address), paired)
            tell(address, .bond(isBonded: paired))
        case .subscription(let address, let id, let restored):
            let selector = AttributeSelector(
                handle: id.handle,
                service: id.service,
                characteristic: id.characteristic
            )
            tell(
                address,
                restored ? .subscriptionRestored(selector) : .subscriptionLost(selector, reason: "bluetoothd ended it")
            )
        case .removed(let address):
            linked.remove(address)
            tellSlot(of: address)
        case .recovery(let recovery): recovered(by: recovery)
        }
    }

    func publish(_ adapter: AdapterInfo) {
        let waiting = queue.slots(of: adapter.id).waiting
        toldWaiting[adapter.name] = waiting > 0 ? waiting : nil
        let message = AdapterMessage(
            name: adapter.name,
            address: adapter.address,
            isPowered: adapter.powered,
            isDiscovering: adapter.discovering,
            links: linkCounts(of: adapter),
            recovery: lastSteps[adapter.name]
        )
        publisher.retain(topics.adapter(adapter.name), .other, message.encode)
    }

    /// One more adapter that is on may reach devices that the others could not.
    private func notePower(of adapter: AdapterInfo) {
        guard adapter.powered else { return _ = poweredAdapters.remove(adapter.name) }
        if poweredAdapters.insert(adapter.name).inserted, bluetooth == .ready { tryAllAgain() }
    }

    private func linkChanged(_ address: DeviceAddress, _ state: LinkState) {
        noteOwner(of: address, state)
        tellSlot(of: address)
        let isUp = state.phase == .connected || state.phase == .resolved
        if isUp, linked.insert(address).inserted {
            log.info("Device connected", [.device: address.hex, .reason: state.owner?.rawValue ?? ""])
            tell(address, .connected(mtu: state.mtu))
            publishAdapters()
        } else if state.phase == .disconnected, linked.remove(address) != nil {
            log.info("Device disconnected", [.device: address.hex, .reason: state.reason ?? ""])
            tell(address, .disconnected(reason: state.reason))
            publishAdapters()
            pausePolls(of: address)
            if let adapter = pool(of: address) { lastLinkEnds[adapter] = .now }
        }
        if isUp || state.phase == .disconnected { tell(availability.link(address, isUp: isUp, at: .now)) }
        if isUp || state.phase == .disconnected { noteLink(address, isUp: isUp) }
        if isUp, idleTimers[address] == nil { armIdleTimer(address) }
        if state.phase == .resolved { becameUsable(address) }
        publish(state, of: address)
    }

    /// Publishes how a device's link is, once more.
    func publishLink(_ address: DeviceAddress) {
        publish(manager.assumeIsolated { $0.linkState(of: address) }, of: address)
    }

    private func publish(_ state: LinkState, of address: DeviceAddress) {
        guard isInUse(address) else { return }
        let device = target(address)
        let isAway = state.phase == .disconnected
        let message = LinkMessage(
            device: device,
            state: LinkMessage.State(state.phase),
            reason: isAway && keeper.phase(of: address) == .gaveUp ? "max-attempts" : state.reason,
            sinceMs: state.since,
            mtu: state.mtu,
            attempt: keeper.attempt(of: address) ?? state.attempt,
            nextTryMs: isAway ? keeper.nextTry(of: address, at: .now).map { Int($0.milliseconds) } : nil,
            owner: state.owner.map { $0 == .`self` ? .own : .other },
            adapter: state.adapter
        )
        publisher.retain(topics.device(device.name).link, .other, message.encode)
    }

    /// The link stands: subscriptions go on that the manager does not make again by itself.
    private func becameUsable(_ address: DeviceAddress) {
        valuesAreDue(of: address)
        guard !subscriptions.isEmpty(for: address) else { return }
        // Behind the event that says so.
        loop.execute { [weak self] in
            self?.assumeIsolated { agent in
                agent.standAgain(address)
                agent.startDuePoll(of: address)
            }
        }
    }

    /// The number of links has changed.
    func publishAdapters() {
        for adapter in manager.assumeIsolated({ $0.adapters }) { publish(adapter) }
    }

    func tell(_ address: DeviceAddress, _ event: EventMessage.Event) {
        guard isInUse(address) else { return }
        publisher.publish(EventMessage(device: target(address), event: event))
    }

    // MARK: Devices whose topics are kept

    func isInUse(_ address: DeviceAddress) -> Bool {
        devicesInUse[address] != nil || directory.alias(of: address) != nil
    }

    /// Notes that a device had a command.
    func markUse(of address: DeviceAddress) {
        let isNew = !isInUse(address)
        devicesInUse[address] = .now
        if isNew { follow(address) }
        guard isNew, let device = manager.assumeIsolated({ $0.device(address) }) else { return }
        if device.link.phase != .disconnected { linkChanged(address, device.link) }
    }

    /// Takes away the topics of devices that were not used for long.
    func forgetUnused() {
        let limit = configuration.limits.retainedDevice
        for (address, last) in devicesInUse where ContinuousClock.now - last > limit {
            guard running[address] == nil, subscriptions.isEmpty(for: address), !linked.contains(address),
                rulebook[address].policy != .keep
            else { continue }
            devicesInUse[address] = nil
            rulebook.set(LinkSettings(), for: address)
            endValues(of: address)
            profiles.forget(address)
            if directory.alias(of: address) == nil { unfollow(address) }
            if directory.alias(of: address) == nil { publisher.clearDevice(target(address).name) }
        }
    }

    // MARK: Links that nobody needs

    /// Drops a link of ours after a while with nothing to do and no subscription.
    func armIdleTimer(_ address: DeviceAddress) {
        tellSlot(of: address)
        restartIdleTimer(address)
    }

    /// The same where the queue knows already how the link is.
    func restartIdleTimer(_ address: DeviceAddress) {
        if let timer = idleTimers.removeValue(forKey: address) { loop.cancel(timer) }
        guard !isStopping, isIdle(address) else { return }
        idleTimers[address] = loop.schedule(after: rulebook[address].idle) { [weak self] in
            self?.assumeIsolated { $0.dropIdleLink(address) }
        }
    }

    private func isIdle(_ address: DeviceAddress) -> Bool {
        guard queue.running(on: address) == nil, !isKept(address), subscriptions.isEmpty(for: address) else {
            return false
        }
        let link = manager.assumeIsolated { $0.linkState(of: address) }
        return link.owner == .`self` && (link.phase == .resolved || link.phase == .connected)
    }

    private func dropIdleLink(_ address: DeviceAddress) {
        idleTimers[address] = nil
        guard isIdle(address) else { return }
        log.debug("Idle link is dropped", [.device: address.hex])
        // Unstructured because a timer starts it; the scope bounds it.
        Task.immediate(executorPreference: loop) { await self.release(address, within: .seconds(5)) }
    }

    /// Ends a link of ours without a result to anybody.
    func release(_ address: DeviceAddress, within limit: Duration) async {
        let scope = OperationScope(timeout: limit, on: loop)
        defer { scope.finish() }
        do {
            _ = try await manager.disconnect(address, scope)
        } catch {
            log.debug("Link not ended in time", [.device: address.hex, .error: "\(error)"])
        }
    }
}

extension BluetoothMessage {
    init(_ state: BluetoothState) {
        self =
            switch state {
            case .ready: .ready
            case .off: .off
            case .blocked: .blocked
            case .noAdapter: .noAdapter
            case .absent: .absent
            case .notResponding: .notResponding
            case .denied: .denied
            }
    }
}
