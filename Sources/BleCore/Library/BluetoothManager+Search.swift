internal import EventLoop

extension BluetoothManager {
    /// Listens for devices and asks about each report that the request matches what to do.
    ///
    /// The closure runs in the caller's context, for one report after the other; while it does, up to 256 reports wait,
    /// the latest of them. The time counts for the whole: scan, decisions and connecting.
    ///
    /// ```swift
    /// let tag = try await bluetooth.scan(timeout: .seconds(20)) { device in
    ///     print(device.address, device.name ?? "")
    ///     return device.manufacturerData[0x0499] != nil ? .connect : .skip
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: what a device has to fulfil to be asked about.
    ///   - timeout: how long scanning and connecting may take together.
    ///   - decide: answers what to do about a device.
    /// - Returns: the device with its link, or nil after `stop`.
    /// - Throws: what the closure throws; `BleFailure.notInRange` at the end of the time when there was no decision, or
    ///   why there is no discovery or no link; `CancellationError`.
    public nonisolated func scan(
        _ request: ScanRequest = ScanRequest(),
        timeout: Duration = .seconds(30),
        decide: (Advertisement) async throws -> ScanDecision
    ) async throws -> Peripheral? {
        let search = try await beginSearch(request, timeout)
        do {
            while true {
                let report = try await nextReport(search)
                switch try await decide(report) {
                case .skip: continue
                case .stop:
                    await end(search)
                    return nil
                case .connect:
                    try await connect(to: report.address, after: search)
                    await end(search)
                    return peripheral(report.address)
                }
            }
        } catch {
            await end(search)
            throw error
        }
    }

    /// The reports of the devices that a request matches, from now on.
    ///
    /// BlueZ listens until the task of the sequence's reader is cancelled or nobody holds the sequence any more. When
    /// bluetoothd or the adapter goes away meanwhile, the reports go on when it is back; `eventSequence` tells.
    ///
    /// - Parameters:
    ///   - request: what a device has to fulfil.
    ///   - bound: how many reports wait for a slow reader; beyond it the oldest are dropped and counted.
    ///   - timeout: how long the start may take.
    /// - Returns: the sequence; it does not end by itself.
    /// - Throws: `BleFailure` that says why nothing can be heard; `CancellationError`.
    public func advertisements(
        _ request: ScanRequest = ScanRequest(),
        bound: Int = 1000,
        timeout: Duration = .seconds(10)
    ) async throws -> BoundedSequence<Advertisement> {
        try await withScope(timeout) { scope in
            let demand = try await startDiscovery(request, scope)
            let (sequence, feed) = BoundedSequence<Advertisement>.make(bound: bound)
            let observer = reports.add { if request.matches($0) { feed.send($0) } }
            feed.onEnd { [weak self, loop] in
                loop.execute { [weak self] in
                    self?.assumeIsolated { manager in
                        manager.reports.remove(observer)
                        manager.stopDiscovery(demand)
                    }
                }
            }
            return sequence
        }
    }

    private func beginSearch(_ request: ScanRequest, _ timeout: Duration) async throws -> DeviceSearch {
        let search = DeviceSearch(OperationScope(timeout: timeout, on: loop))
        search.observer = reports.add { [weak self, weak search] report in
            guard let search, request.matches(report) else { return }
            search.note(report)
            self?.assumeIsolated { $0.pokeState() }
        }
        do {
            search.demand = try await within(search.scope) { try await startDiscovery(request, $0) }
        } catch {
            end(search)
            throw error
        }
        search.scope.stage = .scan
        return search
    }

    private func nextReport(_ search: DeviceSearch) async throws -> Advertisement {
        try await within(search.scope) { scope in
            try await suspend(scope) {
                if let unavailability = self.unavailability { return .failure(unavailability) }
                return search.waiting.popFirst().map { .success($0) }
            }
        }
    }

    private func connect(to address: DeviceAddress, after search: DeviceSearch) async throws {
        stopListening(search)
        _ = try await within(search.scope) { try await connect(address, $0) }
    }

    private func end(_ search: DeviceSearch) {
        stopListening(search)
        search.scope.finish()
    }

    private func stopListening(_ search: DeviceSearch) {
        if let observer = search.observer { reports.remove(observer) }
        search.observer = nil
        if let demand = search.demand { stopDiscovery(demand) }
        search.demand = nil
    }
}

/// One search: its bounds, and the reports about which nobody has decided yet.
private final class DeviceSearch: @unchecked Sendable {
    // Safe because: its members are used on the manager's loop only; the caller of `scan` merely holds it.
    private static let bound = 256

    let scope: OperationScope
    var waiting = FIFO<Advertisement>()
    var observer: Int?
    var demand: Int?

    init(_ scope: OperationScope) { self.scope = scope }

    func note(_ report: Advertisement) {
        if waiting.count >= Self.bound { _ = waiting.popFirst() }
        waiting.append(report)
    }
}
