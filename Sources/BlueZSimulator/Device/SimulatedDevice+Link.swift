internal import DBus
internal import EventLoop

/// Connecting, finding services, disconnecting: the order of signals and replies is bluetoothd's.
extension SimulatedDevice {
    func connect(_ call: IncomingCall) {
        if isConnected { return call.reply() }
        guard attempt == nil else { return call.fail(.failed("Operation already in progress")) }
        guard adapter.isPowered else { return call.fail(.failed("Input/output error")) }
        let answers = peripheral.answersConnects && !isBlocked
        let timer = loop.schedule(after: answers ? model.connectDelay : settings.connectTimeout) { [weak self] in
            self?.attemptEnded()
        }
        attempt = (call, timer)
        stopTemporaryTimer()
    }

    private func attemptEnded() {
        guard let call = attempt?.call else { return }
        attempt = nil
        // Somebody else made the link meanwhile.
        if isConnected { return call.reply() }
        guard peripheral.answersConnects, !isBlocked else {
            call.fail(.abortedByLocal)
            return removeUnreached()
        }
        guard adapter.hasRoomForLink else {
            call.fail(.connectionLimit)
            return restartTemporaryTimer()
        }
        // The reply does not wait for the services.
        linkUp { call.reply() }
    }

    /// The link comes to be.
    ///
    /// - Parameter answer: called at the moment of the reply to `Connect`.
    func linkUp(answer: () -> Void = {}) {
        guard bearer == nil else { return }
        peripheral.linked()
        peripheral.isEncrypted = isPaired && peripheral.isPaired
        adapter.linkBegan()
        bearer = AttBearer(loop: loop, delay: settings.attDelay)
        setTemporary(false)
        if !adapter.isNextLinkSilent() { announce("Connected") }
        answer()
        if isPaired, !peripheral.isPaired { return loseStaleLink() }
        for characteristic in characteristics { characteristic.resumeSessions() }
        switch model.resolveTime ?? .after(settings.resolveDelay) {
        case .after(let delay): resolveTimer = loop.schedule(after: delay) { [weak self] in self?.resolve() }
        case .never: break
        }
    }

    /// The link of a life of bluetoothd that was killed: the kernel has it still, and it is of no use.
    func linger(_ time: Duration) {
        guard bearer == nil else { return }
        peripheral.linked()
        adapter.linkBegan()
        bearer = AttBearer(loop: loop, delay: settings.attDelay)
        loop.schedule(after: time) { [weak self] in self?.linkDown() }
    }

    /// The device does not know the key with which the link is to be encrypted: the kernel ends it.
    ///
    /// bluetoothd makes another one by itself, once, with the same end.
    private func loseStaleLink() {
        loop.schedule(after: .milliseconds(1)) { [weak self] in
            guard let self, bearer != nil else { return }
            linkDown()
            isRelinking.toggle()
            guard isRelinking else { return }
            loop.schedule(after: settings.relinkDelay) { [weak self] in
                guard let self, isRelinking else { return }
                guard adapter.devices[model.address] === self, !isConnected, peripheral.answersConnects else {
                    isRelinking = false
                    return
                }
                linkUp()
            }
        }
    }

    /// Services are known: their objects appear, once, and stay beyond the link.
    func resolve() {
        guard isConnected, !isResolved else { return }
        if let resolveTimer { loop.cancel(resolveTimer) }
        resolveTimer = nil
        // In the order in which bluetoothd first touches them.
        if isPairedLate { announce("Paired") }
        if services.isEmpty { exportServices() }
        isResolved = true
        announce("ServicesResolved")
        finishLatePairing()
        startBattery()
    }

    /// bluetoothd reads a battery level by itself and shows it on the device while the link lasts.
    private func startBattery() {
        let service = peripheral.layout.services.first { $0.model.uuid == LongUUID.text("180f") }
        let level = service?.characteristics.first { $0.model.uuid == LongUUID.text("2a19") }
        guard let level else { return }
        bearer?.submit { [weak self] in
            guard let self, case .success(let bytes) = peripheral.read(level.valueHandle, offset: 0) else { return }
            guard let percentage = bytes.first, percentage <= 100 else { return }
            let battery = SimulatedBattery(percentage)
            self.battery = battery
            tree.add(battery, to: path)
        } abandon: {
        }
    }

    private func stopBattery() {
        if let battery { tree.remove(battery, from: path) }
        battery = nil
    }

    private func exportServices() {
        let before = value(of: "UUIDs")
        services = peripheral.layout.services.compactMap {
            $0.model.isHeldByDaemon ? nil : SimulatedService($0, of: self)
        }
        if value(of: "UUIDs") != before { announce("UUIDs") }
        for service in services { export(service) }
    }

    /// The kernel has given up an attempt: of a device that never had a link nothing is kept.
    private func removeUnreached() {
        if isTemporary, attempt == nil, !isConnected { adapter.remove(self) }
    }

    func requestDisconnect(_ call: IncomingCall) {
        if attempt != nil, !peripheral.answersConnects {
            // The caller has its answer at once; the kernel's own attempt goes on to its end.
            loop.schedule(after: settings.connectTimeout) { [weak self] in self?.removeUnreached() }
        }
        endAttempt(.connectCanceled)
        guard isConnected else { return finishDisconnect(call) }
        disconnectCalls.append(call)
        guard disconnectTimer == nil else { return }
        stopBattery()
        disconnectTimer = loop.schedule(after: settings.disconnectDelay) { [weak self] in
            self?.disconnectTimer = nil
            self?.linkDown()
        }
    }

    /// Gives up an attempt to connect that is under way.
    func endAttempt(_ error: BluezError) {
        guard let attempt else { return }
        loop.cancel(attempt.timer)
        self.attempt = nil
        attempt.call.fail(error)
    }

    private func finishDisconnect(_ call: IncomingCall) {
        if call.member == "RemoveDevice" { adapter.remove(self) }
        call.reply()
    }

    /// The link has ended, whoever ended it.
    func linkDown() {
        guard let bearer else { return }
        self.bearer = nil
        if let disconnectTimer { loop.cancel(disconnectTimer) }
        disconnectTimer = nil
        if let resolveTimer { loop.cancel(resolveTimer) }
        resolveTimer = nil
        if isResolved {
            isResolved = false
            announce("ServicesResolved")
        }
        let calls = disconnectCalls
        disconnectCalls = []
        for call in calls { call.reply() }
        announce("Connected")
        endPairing(.authenticationCanceled)
        peripheral.unlinked()
        adapter.linkEnded()
        stopBattery()
        for characteristic in characteristics { characteristic.suspendSessions() }
        bearer.close()
        if calls.contains(where: { $0.member == "RemoveDevice" }) {
            adapter.remove(self)
        } else {
            restartTemporaryTimer()
        }
    }

    /// The adapter is gone and the link with it: requests that are out stay without an answer.
    func linkLost() {
        bearer?.drop()
        linkDown()
    }

    /// The object is going: whoever waits for it gets no answer, as with bluetoothd.
    func dispose() {
        stopTemporaryTimer()
        if let attempt { loop.cancel(attempt.timer) }
        attempt = nil
        if let disconnectTimer { loop.cancel(disconnectTimer) }
        disconnectTimer = nil
        if let resolveTimer { loop.cancel(resolveTimer) }
        resolveTimer = nil
        if let timer = pairing?.timer { loop.cancel(timer) }
        pairing = nil
        bearer?.drop()
        if bearer != nil {
            peripheral.unlinked()
            adapter.linkEnded()
        }
        bearer = nil
    }
}
