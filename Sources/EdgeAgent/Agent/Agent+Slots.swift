internal import BleCore
internal import EventLoop
internal import TaskQueue

/// Link slots: how many links an adapter may have, who has them, and who waits.
extension Agent {
    /// How long a number is believed that an adapter's refusal has taught: the links of other programs come and go.
    private static let learnedFor = Duration.seconds(600)
    /// How much later than a link its slot may be free: the controller lets it go when it has done with the link.
    private static let releaseTime = Duration.seconds(5)

    /// The adapter whose slots a device's link takes, or would take through the adapter of that name.
    func pool(of address: DeviceAddress, on name: AdapterName? = nil) -> AdapterID? {
        manager.assumeIsolated { $0.adapterID(for: address, on: name) }
    }

    /// Tells the queue whether a device has a link, and whether anybody needs it.
    func tellSlot(of address: DeviceAddress) {
        let (link, adapter) = manager.assumeIsolated { ($0.linkState(of: address), $0.adapterID(for: address)) }
        // A link that is being ended has its slot until it is gone.
        guard link.phase != .disconnecting else { return }
        let isUp = link.phase == .connected || link.phase == .resolved
        if isUp, let adapter {
            let isReclaimable = link.owner == .`self` && !isKept(address)
            carryOut(queue.linkUp(address, in: adapter, isReclaimable: isReclaimable, at: .now))
            unlearn(adapter)
        } else if linkTries[address] != nil, let adapter {
            carryOut(queue.linkUp(address, in: adapter, isReclaimable: false, at: .now))
        } else {
            carryOut(queue.linkDown(address, at: .now))
        }
        armQueueTimer()
    }

    /// Whether a link of the agent's own accord would take no slot that a job waits for.
    func hasFreeSlot(for address: DeviceAddress) -> Bool {
        guard let adapter = pool(of: address) else { return true }
        let slots = queue.slots(of: adapter)
        return slots.limit.map { slots.used < $0 } ?? true
    }

    /// Takes the bound of the configuration for an adapter that has come.
    func setSlots(of adapter: AdapterID) {
        guard learnedSlots[adapter] == nil else { return }
        carryOut(queue.setLimit(configuration.links.maximum, of: adapter, at: .now))
    }

    /// Learns from an adapter's refusal how many links it takes, and makes room where a link is idle.
    func slotRefused(to address: DeviceAddress) {
        guard let adapter = pool(of: address) else { return }
        // A slot is on its way: its being late teaches nothing of their number, and needs no other link's end.
        if let last = lastLinkEnds[adapter], ContinuousClock.now - last < Self.releaseTime { return }
        let standing = manager.assumeIsolated { $0.adapters.first { $0.id == adapter }?.links ?? 0 }
        if standing > 0, queue.slots(of: adapter).limit.map({ standing < $0 }) ?? true {
            log.notice("Adapter takes no more links", [.adapter: adapter.description, .count: String(standing)])
            if let timer = learnedSlots.removeValue(forKey: adapter) { loop.cancel(timer) }
            learnedSlots[adapter] = loop.schedule(after: Self.learnedFor) { [weak self] in
                self?.assumeIsolated { $0.forgetSlots(of: adapter) }
            }
            carryOut(queue.setLimit(standing, of: adapter, at: .now))
            publishAdapters()
        }
        carryOut(queue.slotRefused(in: adapter, at: .now))
    }

    /// Believes the configuration again.
    func forgetSlots(of adapter: AdapterID) {
        guard let timer = learnedSlots.removeValue(forKey: adapter) else { return }
        loop.cancel(timer)
        carryOut(queue.setLimit(configuration.links.maximum, of: adapter, at: .now))
        publishAdapters()
    }

    /// More links than a refusal has taught are the proof that it takes more.
    private func unlearn(_ adapter: AdapterID) {
        guard learnedSlots[adapter] != nil, let limit = queue.slots(of: adapter).limit else { return }
        let standing = manager.assumeIsolated { $0.adapters.first { $0.id == adapter }?.links ?? 0 }
        if standing > limit { forgetSlots(of: adapter) }
    }

    /// Ends an idle link whose slot another device waits for.
    func reclaim(_ address: DeviceAddress) {
        log.debug("Idle link gives its slot away", [.device: address.hex])
        if let timer = idleTimers.removeValue(forKey: address) { loop.cancel(timer) }
        // Unstructured because the queue asks for it; the scope bounds it.
        Task.immediate(executorPreference: loop) {
            await self.release(address, within: .seconds(5))
            self.reclaimEnded(address)
        }
    }

    /// Takes up what became of the end of a link whose slot is wanted.
    private func reclaimEnded(_ address: DeviceAddress) {
        tellSlot(of: address)
        let phase = manager.assumeIsolated { $0.device(address)?.link.phase }
        guard phase == .connected || phase == .resolved, let adapter = pool(of: address) else { return }
        // It has not gone: the device may be used again.
        carryOut(queue.linkUp(address, in: adapter, isReclaimable: false, at: .now))
        armQueueTimer()
    }

    /// Tells how many devices wait for a link, when that has changed.
    func tellWaiting() {
        // Without a bound nobody waits.
        guard configuration.links.maximum != nil || !learnedSlots.isEmpty || !toldWaiting.isEmpty else { return }
        let adapters = manager.assumeIsolated { $0.adapters }
        for adapter in adapters where queue.slots(of: adapter.id).waiting != toldWaiting[adapter.name] ?? 0 {
            publish(adapter)
        }
    }

    /// How many links of an adapter there are, may be, and are waited for.
    func linkCounts(of adapter: AdapterInfo) -> LinkCounts {
        let slots = queue.slots(of: adapter.id)
        return LinkCounts(used: adapter.links, max: slots.limit, waiting: slots.waiting)
    }
}
