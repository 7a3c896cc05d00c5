internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Waits until bus and bluetoothd have answered, or not, and tells what there is.
    ///
    /// Nothing is asked of bluetoothd that the manager does not ask anyway.
    ///
    /// - Parameters:
    ///   - limit: how long to wait.
    ///   - whole: the operation that this is a part of, if it is one.
    /// - Returns: what there is, be it that time is over.
    /// - Throws: `CancellationError`.
    package func inspect(within limit: Duration, of whole: OperationScope? = nil) async throws -> BluetoothInspection {
        do {
            try await part(of: whole, limit) { scope in
                try await wait(scope) { self.hasAnswers ? .success(()) : nil }
            }
        } catch let failure as BleFailure where failure.kind == .timedOut {
            // What is missing by now is what there is to tell.
        }
        var found = BluetoothInspection(bus: address.text)
        found.isConnected = connection != nil
        found.busFault = busFault
        found.hasBluez = owner != nil
        found.isLoaded = loaded
        found.treeFault = treeFault
        found.version =
            tree.adapters.values.lazy.compactMap(\.modalias)
            .compactMap(BluetoothInspection.version(inModalias:)).first
        found.adapters = tree.adapters.values.sorted { $0.name < $1.name }.map { adapter in
            BluetoothInspection.Adapter(
                name: adapter.name,
                address: adapter.address,
                isPowered: adapter.powered,
                isBlocked: isBlocked(adapter),
                isUsed: isUsed(adapter)
            )
        }
        found.registration =
            switch pairing.registration {
            case .none: .none
            case .underway: .underway
            case .registered(let capability): .registered(capability)
            case .refused(let failure): .refused(failure)
            }
        return found
    }

    /// Sets who hears why the bus is not reached: once, until it is reached or something else is the reason.
    package func observeBusFaults(_ handler: @escaping @Sendable (BusFault) -> Void) { onBusFault = handler }

    /// Whether nobody is left who was asked and has not answered.
    private var hasAnswers: Bool {
        guard connection != nil else { return busFault != nil }
        guard owner != nil else { return !isStarting }
        guard loaded else { return treeIsMissing }
        guard configuration.pairingCapability != nil else { return true }
        // bluetoothd is asked once it has told what it has.
        return switch pairing.registration {
        case .none, .underway: false
        case .registered, .refused: true
        }
    }

    /// Has BlueZ listen until somebody is heard, for a time at most; then this process wants nothing more.
    ///
    /// - Parameters:
    ///   - limit: how long to listen.
    ///   - whole: the operation that this is a part of, if it is one.
    /// - Returns: whether somebody was heard.
    /// - Throws: `BleFailure` that says why BlueZ does not listen; `CancellationError`.
    package func hearsAnybody(within limit: Duration, of whole: OperationScope? = nil) async throws -> Bool {
        var isHeard = false
        let observer = reports.add { [weak self] _ in
            isHeard = true
            self?.assumeIsolated { $0.pokeState() }
        }
        defer { reports.remove(observer) }
        let demand = try await part(of: whole, .seconds(10)) { try await startDiscovery(ScanRequest(), $0) }
        defer { stopDiscovery(demand) }
        do {
            try await part(of: whole, limit) { scope in
                try await wait(scope) { self.unavailability.map { .failure($0) } ?? (isHeard ? .success(()) : nil) }
            }
        } catch let failure as BleFailure where failure.kind == .timedOut || failure.kind == .notInRange {
            // Silence is an answer, unless the whole is over.
            try whole?.check()
        }
        return isHeard
    }

    /// Makes a link to a device, and lets it go again when it was not there before.
    ///
    /// - Throws: `BleFailure` that says why there was none; `CancellationError`.
    package func tryLink(to address: DeviceAddress, within limit: Duration) async throws -> ConnectOutcome {
        let outcome = try await withScope(limit) { try await connect(address, $0) }
        if !outcome.already { _ = try await withScope(.seconds(10)) { try await disconnect(address, $0) } }
        return outcome
    }

    private func part<Value: Sendable>(
        of whole: OperationScope?,
        _ limit: Duration,
        _ body: (OperationScope) async throws -> Value
    ) async throws -> Value {
        guard let whole else { return try await withScope(limit, body) }
        let part = whole.part(timeout: limit)
        defer { whole.end(part) }
        return try await within(part, body)
    }
}
