internal import BleCore
internal import EventLoop

/// Links that are to stand though no job needs them, and how they are made again.
extension Agent {
    /// How long one try may take, with finding the device.
    private static let tryLimit = Duration.seconds(30)

    /// Takes up the links that the configuration wants kept.
    func startKeeping() {
        for address in rulebook.kept { updateKeeping(address) }
        // Of the others nobody wants a link that could be withheld.
        pausedBefore = []
    }

    /// Takes over what a command has said of a device's link.
    ///
    /// Returns once it is on the disk, or cannot be.
    func setLink(_ settings: LinkSettings, of address: DeviceAddress) async {
        rulebook.set(settings, for: address)
        updateKeeping(address)
        tellSlot(of: address)
        await keepLinks()
    }

    /// Whether a link to a device is to be made again when it is lost.
    func isKept(_ address: DeviceAddress) -> Bool {
        switch rulebook[address].policy {
        case .keep: true
        case .onDemand: !subscriptions.isEmpty(for: address)
        case .never: false
        }
    }

    /// Looks again whether a device is to have a link.
    func updateKeeping(_ address: DeviceAddress) {
        guard !isStopping else { return }
        if isKept(address) {
            keeper.want(address, rulebook[address], hasLink: hasLink(address), at: .now)
            keepersTurn(pausedBefore.remove(address) == nil ? [] : keeper.pause(address))
        } else {
            keepersTurn(keeper.unwant(address))
        }
    }

    /// A command ends a device's link: it is not made again before somebody makes one.
    func pauseKeeping(_ address: DeviceAddress) {
        keepersTurn(keeper.pause(address))
        keepLinksLater()
    }

    /// Makes no more tries at all: the agent stops.
    func endKeeping() {
        for case .cancel(let address) in keeper.unwantAll() { linkTries.removeValue(forKey: address)?.cancel() }
        keepersTurn([])
    }

    /// Tries at once: Bluetooth has come back.
    func tryAllAgain() { keepersTurn(keeper.bluetoothReturned(at: .now)) }

    /// Notes whether a device has a link now.
    func noteLink(_ address: DeviceAddress, isUp: Bool) {
        if isUp {
            keeper.linkUp(address, at: .now)
        } else {
            // It may be that nobody has subscribed any more.
            updateKeeping(address)
            keeper.linkDown(address, at: .now)
        }
        keepersTurn([])
    }

    func hasLink(_ address: DeviceAddress) -> Bool {
        let phase = manager.assumeIsolated { $0.linkState(of: address).phase }
        return phase == .connected || phase == .resolved
    }

    // MARK: Private

    /// Carries out what the keeper says, then sets the timer for its next turn.
    private func keepersTurn(_ actions: [LinkKeeper.Action]) {
        for action in actions + keeper.due(at: .now) {
            switch action {
            case .connect(let address): makeLink(address)
            case .cancel(let address): endTry(address)
            case .gaveUp(let address, let attempts):
                log.notice("Link is not tried any more", [.device: address.hex, .count: String(attempts)])
            }
        }
        if let keeperTimer { loop.cancel(keeperTimer) }
        keeperTimer = keeper.nextDeadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.keeperTimer = nil
                    agent.keepersTurn([])
                }
            }
        }
        listenForKept()
    }

    private func makeLink(_ address: DeviceAddress) {
        guard !isStopping, isKept(address) else { return updateKeeping(address) }
        guard hasFreeSlot(for: address) else {
            // Jobs come first; they wait for the slot in order.
            return tryEnded(address, .postponed)
        }
        let scope = OperationScope(timeout: Self.tryLimit, on: loop)
        // The gaps between tries are the keeper's.
        scope.retry = RetryPolicy(max: 0)
        linkTries[address] = scope
        // Takes a slot before the link is there, so that no job is promised the same one.
        tellSlot(of: address)
        // Unstructured because a timer starts it; the scope bounds it.
        Task.immediate(executorPreference: loop) {
            let result: Result<Void, any Error>
            do {
                _ = try await self.manager.connect(address, scope)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            scope.finish()
            guard self.linkTries[address] === scope else { return }
            self.linkTries[address] = nil
            self.tryEnded(address, self.outcome(of: result, address))
        }
    }

    private func endTry(_ address: DeviceAddress) {
        linkTries.removeValue(forKey: address)?.cancel()
        tellSlot(of: address)
    }

    private func outcome(of result: Result<Void, any Error>, _ address: DeviceAddress) -> LinkKeeper.Outcome {
        guard case .failure(let error) = result else { return .success }
        log.debug("Link not made yet", [.device: address.hex, .error: "\(error)"])
        guard let failure = error as? BleFailure else { return .failure }
        if failure.kind == .noSlot {
            slotRefused(to: address)
            return .postponed
        }
        switch failure.kind {
        case .bluetoothUnavailable, .adapterOff, .adapterMissing, .adapterBlocked, .unauthorized, .busLost:
            // Back already: nothing will say so once more.
            return manager.assumeIsolated { $0.state } == .ready ? .postponed : .noBluetooth
        default: return .failure
        }
    }

    private func tryEnded(_ address: DeviceAddress, _ outcome: LinkKeeper.Outcome) {
        let actions = keeper.ended(address, outcome, at: .now)
        tellSlot(of: address)
        keepersTurn(actions)
        if outcome == .success {
            standAgain(address)
            armIdleTimer(address)
        } else {
            // The state has been told without knowing of the next try.
            publishLink(address)
        }
    }

    /// Listens as long as somebody is away whose return would be heard.
    private func listenForKept() {
        if keeper.listening.isEmpty || isStopping {
            guard let listening = keeperListens else { return }
            keeperListens = nil
            manager.assumeIsolated { manager in
                manager.stopDiscovery(listening.demand)
                manager.ignoreAdvertisements(listening.observer)
            }
        } else if keeperListens == nil {
            keeperListens = manager.assumeIsolated { manager in
                let observer = manager.hearAdvertisements { [weak self] report in
                    self?.assumeIsolated { $0.heardKept(report) }
                }
                return (manager.demandDiscovery(ScanRequest()), observer)
            }
        }
    }

    private func heardKept(_ report: Advertisement) {
        let actions = keeper.heard(report.address, rssi: report.rssi, at: .now)
        if !actions.isEmpty { keepersTurn(actions) }
    }
}
