internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Asks for advertisements to be heard and waits until BlueZ listens.
    ///
    /// - Returns: the demand, for `stopDiscovery`.
    /// - Throws: `BleFailure` that says why nothing can be heard.
    package func startDiscovery(_ request: ScanRequest, _ scope: OperationScope) async throws -> Int {
        try await requireReady(scope)
        if request.mode == .passive, chosenAdapter?.hasMonitor != true {
            throw BleFailure(.notSupported, at: .scan, detail: "bluetoothd has no advertisement monitor here")
        }
        let demand = demandDiscovery(request)
        do {
            try await wait(scope) {
                if let unavailability = self.unavailability { return .failure(unavailability) }
                if let failure = self.discovery.failure { return .failure(failure) }
                return self.discovery.isRunning ? .success(()) : nil
            }
        } catch {
            stopDiscovery(demand)
            throw error
        }
        return demand
    }

    /// Asks for advertisements to be heard, now or as soon as there is an adapter, until `stopDiscovery`.
    package func demandDiscovery(_ request: ScanRequest) -> Int {
        let demand = discovery.add(request)
        updateDiscovery()
        return demand
    }

    /// Takes a demand back.
    package func stopDiscovery(_ demand: Int) {
        discovery.remove(demand)
        updateDiscovery()
    }

    /// Whether BlueZ listens for us now.
    package var isDiscovering: Bool { discovery.isRunning }

    /// Why BlueZ could not be made to listen, if it was tried.
    package var discoveryFailure: BleFailure? { discovery.failure }

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
            if let unavailability = self.unavailability { return .failure(unavailability) }
            return best == nil ? nil : .success(())
        }
        if strongest { try await pause(.seconds(3), scope) }
        guard let best else { throw BleFailure(.notInRange, at: .scan, detail: "no device matched") }
        return best.address
    }

    /// Takes the next step of the discovery session, if there is one.
    func updateDiscovery() {
        defer { watchScanner() }
        guard let connection, owner != nil, loaded else { return }
        let now = ContinuousClock.now
        let isOn = { [adapters = tree.adapters] (path: ObjectPath) in adapters[path]?.powered == true }
        guard let step = discovery.next(adapter: chosenAdapter, now: now, isOn: isOn) else {
            if discovery.isWanted, !discovery.calling, let notBefore = discovery.notBefore, notBefore > now {
                loop.schedule(at: notBefore) { [weak self] in self?.assumeIsolated { $0.retryDiscovery(notBefore) } }
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
        let asked = owner
        connection.assumeIsolated { connection in
            connection.call(message) { [weak self] outcome in
                self?.assumeIsolated { manager in
                    guard manager.owner == asked else { return }
                    manager.discovery.ended(step, outcome, now: .now)
                    manager.pokeState()
                    manager.updateDiscovery()
                }
            }
        }
    }

    private func retryDiscovery(_ due: ContinuousClock.Instant) {
        // A later refusal has its own timer.
        if discovery.notBefore == due { updateDiscovery() }
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

    /// Switches an adapter on or off.
    ///
    /// - Returns: false when it was so already.
    package func setPower(_ on: Bool, adapter name: AdapterName?, _ scope: OperationScope) async throws -> Bool {
        if isStarting { try await wait(scope) { self.isStarting ? nil : .success(()) } }
        guard loaded, state != .absent, state != .denied else {
            throw unavailability ?? BleFailure(.bluetoothUnavailable, at: .adapter)
        }
        let found = name.map { name in tree.adapters.values.first { $0.name == name } } ?? chosenAdapter
        guard let adapter = found else {
            throw BleFailure(.adapterMissing, at: .adapter, detail: "BlueZ has no adapter \(name?.text ?? "")")
        }
        if adapter.powered == on { return false }
        let message = try DBusMessage.call(BluezNames.service, adapter.path, BusNames.properties, "Set")
            .append { (writer) throws(DBusFailure) in
                try writer.append(string: BluezNames.adapter)
                try writer.append(string: "Powered")
                try writer.append(.variant(.bool(on)))
            }
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
