internal import EventLoop

extension Peripheral {
    /// Subscribes to a characteristic, by notifications where it offers them, else by indications.
    ///
    /// Any number of sequences share one subscription; it ends with the last of them, when its reader's task is
    /// cancelled or nobody holds it any more. It outlasts the link: values go on when any operation has made the link
    /// again, and `events` tells when the subscription was lost and when it stands again.
    ///
    /// - Parameters:
    ///   - selector: which characteristic.
    ///   - bound: how many values wait for a slow reader; beyond it the oldest are dropped and counted.
    ///   - timeout: connecting and discovery included.
    /// - Returns: every value from the moment of subscribing on; it does not end by itself.
    /// - Throws: `BleFailure`, `notSupported` for a characteristic without notifications; `CancellationError`.
    public func notifications(
        for selector: AttributeSelector,
        bound: Int = 1000,
        timeout: Duration = .seconds(20)
    ) async throws -> BoundedSequence<GattNotification> {
        try await perform(timeout) { manager, scope in
            try await manager.notifications(for: selector, of: address, bound: bound, scope)
        }
    }

    /// The state of the link, now and after each change.
    public func linkStates(bound: Int = 100) async -> BoundedSequence<LinkState> {
        await manager.linkStates(of: address, bound: bound)
    }

    /// Everything that happens to the device from now on.
    public func events(bound: Int = 1000) async -> BoundedSequence<BluetoothEvent> {
        await manager.events(of: address, bound: bound)
    }
}

extension BluetoothManager {
    fileprivate func notifications(
        for selector: AttributeSelector,
        of address: DeviceAddress,
        bound: Int,
        _ scope: OperationScope
    ) async throws -> BoundedSequence<GattNotification> {
        lastNumber += 1
        let holder = "sequence \(lastNumber)"
        let (sequence, feed) = BoundedSequence<GattNotification>.make(bound: bound)
        _ = try await subscribe(selector, of: address, holder: holder, scope) { feed.send($0) }
        feed.onEnd { [weak self, loop] in
            loop.execute { [weak self] in self?.assumeIsolated { $0.release(holder, of: address) } }
        }
        return sequence
    }

    fileprivate func linkStates(of address: DeviceAddress, bound: Int) -> BoundedSequence<LinkState> {
        observe(bound: bound, first: links[address]?.state ?? LinkState()) { event in
            if case .link(address, let state) = event { state } else { nil }
        }
    }

    fileprivate func events(of address: DeviceAddress, bound: Int) -> BoundedSequence<BluetoothEvent> {
        observe(bound: bound) { $0.address == address ? $0 : nil }
    }
}
