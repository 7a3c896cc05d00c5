internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Asks for advertisements to be heard and waits until BlueZ listens.
    ///
    /// - Returns: the demand, for `stopDiscovery`.
    /// - Throws: `BleFailure` that says why nothing can be heard.
    package func startDiscovery(_ request: ScanRequest, _ scope: OperationScope) async throws -> Int {
        try await requireReady(scope)
        var request = request
        request.adapter = request.adapter ?? scope.adapter
        if usedAdapters.allSatisfy({ listening(request, at: $0) == .never }) {
            throw BleFailure(.notSupported, at: .scan, detail: "bluetoothd has no advertisement monitor here")
        }
        let demand = demandDiscovery(request)
        do {
            try await wait(scope) { self.hearing(request) }
        } catch {
            stopDiscovery(demand)
            throw error
        }
        return demand
    }

    /// Whether BlueZ listens for a request, at whatever adapter: one may hear where another cannot.
    private func hearing(_ request: ScanRequest) -> Verdict? {
        if let unavailability = unavailability(of: request.adapter) { return .failure(unavailability) }
        var failures: [BleFailure?] = []
        for radio in radios.values.sorted(by: { $0.name < $1.name }) {
            guard let adapter = tree.adapters[radio.path], adapter.powered else { continue }
            let (isRunning, failure) =
                switch listening(request, at: adapter) {
                case .active: (radio.discovery.isRunning, radio.discovery.failure)
                case .passive: (radio.monitor.isActive, radio.monitor.failure)
                case .never: (false, BleFailure?.none)
                }
            if isRunning { return .success(()) }
            if listening(request, at: adapter) != .never { failures.append(failure) }
        }
        return failures.allSatisfy { $0 != nil } ? failures.first?.map { .failure($0) } : nil
    }

    /// Asks for advertisements to be heard, now or as soon as there is an adapter, until `stopDiscovery`.
    package func demandDiscovery(_ request: ScanRequest) -> Int {
        lastNumber += 1
        demands[lastNumber] = request
        for radio in radios.values { add(request, as: lastNumber, to: radio) }
        updateDiscovery()
        return lastNumber
    }

    /// Takes a demand back.
    package func stopDiscovery(_ demand: Int) {
        demands[demand] = nil
        for radio in radios.values {
            radio.discovery.remove(demand)
            radio.monitor.remove(demand)
        }
        updateDiscovery()
    }

    /// Whether BlueZ listens for us now.
    package var isDiscovering: Bool { radios.values.contains { $0.discovery.isRunning || $0.monitor.isActive } }

    /// Why BlueZ could not be made to listen, if it was tried.
    package var discoveryFailure: BleFailure? { radios.values.lazy.compactMap { $0.discovery.failure }.first }

    /// Calls a handler on the loop with each report of a device, as long as BlueZ listens for anybody.
    ///
    /// - Returns: a number for `ignoreAdvertisements`.
    package func hearAdvertisements(_ handler: @escaping @Sendable (Advertisement) -> Void) -> Int {
        reports.add(handler)
    }

    package func ignoreAdvertisements(_ number: Int) { reports.remove(number) }

    /// Listens for a device that a request matches.
    ///
    /// The first that is heard is taken, or the `strongest` of those heard within three seconds of the first.
    ///
    /// - Throws: `BleFailure.notInRange` at the end of the operation's time, or why nothing can be heard.
    package func find(
        _ request: ScanRequest,
        strongest: Bool = false,
        _ scope: OperationScope
    ) async throws -> DeviceAddress {
        var filter = request
        filter.adapter = request.adapter ?? scope.adapter
        let request = filter
        var best: (address: DeviceAddress, rssi: Int)?
        let observer = reports.add { [weak self] report in
            guard request.matches(report) else { return }
            let rssi = report.rssi ?? -128
            if best.map({ rssi > $0.rssi }) ?? true { best = (report.address, rssi) }
            self?.assumeIsolated { $0.pokeState() }
        }
        defer { reports.remove(observer) }
        // A device that has a link does not advertise: it is not heard, but found.
        try await requireReady(scope)
        let linked = tree.devices.values.filter { $0.connected && request.matches($0.advertisement) }
        if let first = linked.min(by: { $0.address < $1.address }) { return first.address }
        let demand = try await startDiscovery(request, scope)
        defer { stopDiscovery(demand) }
        scope.stage = .scan
        try await wait(scope) {
            if let unavailability = self.unavailability(of: scope.adapter) { return .failure(unavailability) }
            return best == nil ? nil : .success(())
        }
        if strongest { try await pause(.seconds(3), scope) }
        guard let best else { throw BleFailure(.notInRange, at: .scan, detail: "no device matched") }
        return best.address
    }

    /// Takes the next step of each discovery session, where there is one.
    func updateDiscovery() {
        guard connection != nil, owner != nil, loaded else { return }
        for adapter in usedAdapters where radios[adapter.path] == nil {
            let radio = Radio(path: adapter.path, name: adapter.name, silence: configuration.scanSilence)
            radios[adapter.path] = radio
            for (number, request) in demands { add(request, as: number, to: radio) }
        }
        for radio in radios.values.sorted(by: { $0.name < $1.name }) {
            update(radio)
            updateMonitor(radio)
        }
    }

    private func update(_ radio: Radio) {
        defer { watch(radio) }
        guard let connection else { return }
        let now = ContinuousClock.now
        let discovery = radio.discovery
        let record = tree.adapters[radio.path].flatMap { isUsed($0) ? $0 : nil }
        let isOn = { [adapters = tree.adapters] (path: ObjectPath) in adapters[path]?.powered == true }
        guard let step = discovery.next(adapter: record, now: now, isOn: isOn) else {
            if discovery.isWanted, !discovery.calling, let notBefore = discovery.notBefore, notBefore > now {
                loop.schedule(at: notBefore) { [weak self, path = radio.path] in
                    self?.assumeIsolated { manager in
                        // A later refusal has its own timer.
                        guard manager.radios[path]?.discovery.notBefore == notBefore else { return }
                        manager.updateDiscovery()
                    }
                }
            }
            return
        }
        let message: DBusMessage
        do throws(DBusFailure) {
            message = try Self.message(step)
        } catch {
            return
        }
        discovery.began()
        let (asked, path) = (owner, radio.path)
        let number = ObjectIdentifier(radio)
        connection.assumeIsolated { connection in
            connection.call(message) { [weak self] outcome in
                self?.assumeIsolated { manager in
                    guard manager.owner == asked, let radio = manager.radios[path], ObjectIdentifier(radio) == number
                    else { return }
                    radio.discovery.ended(step, outcome, now: .now)
                    manager.pokeState()
                    manager.updateDiscovery()
                }
            }
        }
    }

    /// Forgets what was kept of an adapter that has gone: BlueZ has ended its sessions.
    func dropRadio(_ path: ObjectPath) {
        guard let radio = radios.removeValue(forKey: path) else { return }
        if let timer = radio.watchTimer { loop.cancel(timer) }
        radio.watchTimer = nil
    }

    private static func message(_ step: DiscoveryControl.Step) throws(DBusFailure) -> DBusMessage {
        switch step {
        case .start(let path): return try .call(BluezNames.service, path, BluezNames.adapter, "StartDiscovery")
        case .stop(let path): return try .call(BluezNames.service, path, BluezNames.adapter, "StopDiscovery")
        case .setFilter(let filter, let path):
            var properties: [(String, DBusValue)] = [("Transport", .string("le")), ("DuplicateData", .bool(true))]
            if let rssi = filter.rssi { properties.append(("RSSI", .int16(Int16(clamping: rssi)))) }
            return try .call(BluezNames.service, path, BluezNames.adapter, "SetDiscoveryFilter")
                .append { (writer) throws(DBusFailure) in try writer.append(properties: properties) }
        }
    }

    static func powerMessage(_ on: Bool, _ adapter: ObjectPath) throws(DBusFailure) -> DBusMessage {
        try .call(BluezNames.service, adapter, BusNames.properties, "Set")
            .append { (writer) throws(DBusFailure) in
                try writer.append(string: BluezNames.adapter)
                try writer.append(string: "Powered")
                try writer.append(.variant(.bool(on)))
            }
    }

    /// Switches an adapter on or off.
    ///
    /// - Returns: false when it was so already.
    package func setPower(_ on: Bool, adapter name: AdapterName?, _ scope: OperationScope) async throws -> Bool {
        if isStarting { try await wait(scope) { self.isStarting ? nil : .success(()) } }
        guard loaded, state != .absent, state != .denied else {
            throw unavailability ?? BleFailure(.bluetoothUnavailable, at: .adapter)
        }
        guard let adapter = name.map(usedAdapter) ?? chosenAdapter else {
            throw unavailability(of: name) ?? BleFailure(.adapterMissing, at: .adapter)
        }
        if adapter.powered == on { return false }
        let message = try Self.powerMessage(on, adapter.path)
        scope.applied = .maybe
        let reply = send(message)
        let path = adapter.path
        do {
            try await wait(scope) {
                guard let adapter = self.tree.adapters[path] else {
                    let detail = "the adapter went away"
                    return .failure(BleFailure(.adapterMissing, at: .adapter, applied: .maybe, detail: detail))
                }
                if case .failure(let failure) = reply.outcome {
                    return .failure(BluezErrors.failure(failure, at: .adapter, changes: true))
                }
                return reply.outcome != nil && adapter.powered == on ? .success(()) : nil
            }
        } catch let failure as BleFailure {
            if failure.kind == .adapterBlocked {
                blockedAdapters.insert(path)
                stateChanged()
            }
            throw failure
        }
        return true
    }
}
