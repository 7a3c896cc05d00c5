internal import DBus
internal import EventLoop

extension BluetoothManager {
    /// Subscribes to a characteristic for a holder; its handler runs on the loop with each value, in order.
    ///
    /// The holder keeps the subscription over disconnections until `unsubscribe`. Subscribing again replaces the
    /// handler.
    ///
    /// - Returns: the characteristic, and whether this holder had it already.
    package func subscribe(
        _ selector: AttributeSelector,
        of address: DeviceAddress,
        holder: String,
        _ scope: OperationScope,
        handler: @escaping @Sendable (GattNotification) -> Void
    ) async throws -> (id: CharacteristicID, already: Bool) {
        try await onLink(address, scope) { path in
            try await subscribe(selector, below: path, holder: holder, isAim: true, scope, handler: handler)
        }
    }

    func subscribe(
        _ selector: AttributeSelector,
        below path: ObjectPath,
        holder: String,
        isAim: Bool = false,
        _ scope: OperationScope,
        handler: @escaping @Sendable (GattNotification) -> Void
    ) async throws -> (id: CharacteristicID, already: Bool) {
        var characteristic = selector
        characteristic.descriptor = nil
        let target = try target(characteristic, of: path, needs: [])
        guard !target.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw BleFailure(.notSupported, at: .operate, detail: "the characteristic neither notifies nor indicates")
        }
        let notifier = try notifier(for: target, of: path)
        // The holder is there before bluetoothd is asked: the first value may come before its answer.
        let isNew = notifier.hold(holder, handler)
        do {
            try await start(notifier, at: target.path, below: path, isAim: isAim, scope)
        } catch {
            if isNew, notifier.release(holder) { _ = endUnwanted(notifier, at: target.path) }
            throw error
        }
        return (notifier.id, !isNew)
    }

    /// Ends a holder's subscription, and bluetoothd's session with the last one.
    ///
    /// - Returns: false when the holder had none.
    package func unsubscribe(
        _ selector: AttributeSelector,
        of address: DeviceAddress,
        holder: String,
        _ scope: OperationScope
    ) async throws -> Bool {
        let address = tree.name(of: address)
        guard let (path, notifier) = subscription(selector, of: address, heldBy: holder) else { return false }
        _ = notifier.release(holder)
        guard let reply = endUnwanted(notifier, at: path) else { return true }
        scope.stage = .operate
        // A session that is over already, or a device that is away, is what was asked for.
        try await wait(scope, on: link(address)) {
            reply.outcome != nil || self.tree.devicePath(of: path) == nil ? .success(()) : nil
        }
        return true
    }

    /// Ends a subscription that nobody holds any more.
    ///
    /// While `StartNotify` is out its answer does that.
    ///
    /// - Returns: where the answer to `StopNotify` lands; nil when there is nothing to stop.
    func endUnwanted(_ notifier: Notifier, at path: ObjectPath) -> ReplySlot? {
        guard !notifier.isWanted, !notifier.isStarting else { return nil }
        if notifiers[path] === notifier { notifiers[path] = nil }
        guard notifier.started else { return nil }
        notifier.started = false
        return stopSession(at: path, of: notifier.address)
    }

    private func stopSession(at path: ObjectPath, of address: DeviceAddress) -> ReplySlot? {
        guard tree.devicePath(of: path) != nil else { return nil }
        do throws(DBusFailure) {
            let message = try DBusMessage.call(BluezNames.service, path, BluezNames.characteristic, "StopNotify")
            let reply = ReplySlot()
            send(message, for: link(address)) { reply.outcome = $0 }
            return reply
        } catch {
            // Only our own constants go into the call.
            return nil
        }
    }

    /// Lets a holder go whose name is its own alone, without waiting for bluetoothd.
    func release(_ holder: String, of address: DeviceAddress) {
        let address = tree.name(of: address)
        let held = notifiers.first { $0.value.address == address && $0.value.holds(holder) }
        guard let (path, notifier) = held else { return }
        _ = notifier.release(holder)
        _ = endUnwanted(notifier, at: path)
    }

    /// Which characteristics of a device somebody has subscribed to.
    package func subscriptions(of address: DeviceAddress) -> [CharacteristicID] {
        notifiers.values.filter { $0.address == address && $0.isWanted }.map(\.id).sorted { $0.handle < $1.handle }
    }

    private func subscription(
        _ selector: AttributeSelector,
        of address: DeviceAddress,
        heldBy holder: String
    ) -> (ObjectPath, Notifier)? {
        notifiers.first { _, notifier in
            let id = notifier.id
            return notifier.address == address && notifier.holds(holder)
                && selector.matches(service: id.service, characteristic: id.characteristic, handle: id.handle)
        }.map { ($0.key, $0.value) }
    }

    private func notifier(for target: AttributeTarget, of path: ObjectPath) throws(BleFailure) -> Notifier {
        if let known = notifiers[target.path] { return known }
        guard let record = tree.devices[path], let found = record.attributes.characteristics[target.path] else {
            throw removal(path, at: .operate)
        }
        let notifier = Notifier(
            address: record.address,
            id: record.attributes.identity(of: found),
            isIndication: !found.properties.contains(.notify),
            readsOut: readsOut[target.path] ?? 0
        )
        notifiers[target.path] = notifier
        return notifier
    }

    /// Starts bluetoothd's notify session, unless it stands.
    ///
    /// With `isAim` it is what the operation is for: a failure with the call out leaves in doubt whether the device
    /// notifies.
    private func start(
        _ notifier: Notifier,
        at path: ObjectPath,
        below device: ObjectPath,
        isAim: Bool = false,
        _ scope: OperationScope
    ) async throws {
        while notifier.isStarting {
            try await wait(scope, on: link(notifier.address)) { notifier.isStarting ? nil : .success(()) }
        }
        guard !notifier.started else { return }
        _ = try linked(device)
        let message = try DBusMessage.call(BluezNames.service, path, BluezNames.characteristic, "StartNotify")
        notifier.isStarting = true
        _ = try await operate(message, device, scope, changes: isAim) { outcome in
            self.startAnswered(notifier, at: path, below: device, outcome)
        }
        guard notifier.started else {
            throw BleFailure(.linkLost, at: .operate, detail: "the link ended while subscribing")
        }
    }

    /// Takes up what bluetoothd says to `StartNotify`, whoever still waits for it.
    private func startAnswered(
        _ notifier: Notifier,
        at path: ObjectPath,
        below device: ObjectPath,
        _ outcome: DBusConnection.Outcome
    ) {
        notifier.isStarting = false
        if case .success = outcome {
            // On a device without a link it answers success all the same, and proves nothing.
            notifier.started = tree.devices[device]?.connected == true
            if !notifier.started { _ = stopSession(at: path, of: notifier.address) }
        }
        _ = endUnwanted(notifier, at: path)
    }

    /// Makes the subscriptions of a device stand again after its link came back.
    func restoreSubscriptions(of path: ObjectPath, _ scope: OperationScope) async {
        takeOverOrphans(for: path)
        for (characteristic, notifier) in notifiers where characteristic.isWithin(path) && notifier.isWanted {
            // Services that were found anew may have put another characteristic in its place.
            let found = tree.devices[path]?.attributes.characteristics[characteristic]
            guard found?.uuid == notifier.id.characteristic else {
                events.send(.subscription(notifier.address, notifier.id, restored: false))
                continue
            }
            do {
                let stage = scope.stage
                try await start(notifier, at: characteristic, below: path, scope)
                scope.stage = stage
                events.send(.subscription(notifier.address, notifier.id, restored: true))
            } catch {
                events.send(.subscription(notifier.address, notifier.id, restored: false))
            }
        }
    }

    /// Takes over the subscriptions of a device's objects that are gone: its adapter has another index now.
    private func takeOverOrphans(for path: ObjectPath) {
        guard let record = tree.devices[path] else { return }
        for place in Array(notifiers.keys) where notifiers[place]?.address == record.address && !place.isWithin(path) {
            // The device of the service of the characteristic.
            let former = place.parent.parent
            if tree.devices[former] == nil { adoptSubscriptions(from: former, to: path) }
        }
    }

    /// A device's object is gone, and bluetoothd's sessions with it.
    func subscriptionsLost(below record: DeviceRecord) {
        for (path, notifier) in notifiers where path.isWithin(record.path) && notifier.started {
            notifier.started = false
            events.send(.subscription(notifier.address, notifier.id, restored: false))
        }
    }

    func valueArrived(_ value: [UInt8], from path: ObjectPath) { notifiers[path]?.arrived(value) }
}
