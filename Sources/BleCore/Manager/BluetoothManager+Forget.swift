internal import DBus

extension BluetoothManager {
    /// Makes BlueZ forget a device: its link, what it knows of its services, and its bond, at all adapters
    /// unless the scope names one.
    ///
    /// - Returns: false when BlueZ did not know it.
    package func forget(_ address: DeviceAddress, _ scope: OperationScope) async throws -> Bool {
        try await requireReady(scope)
        let known = (tree.paths[tree.name(of: address)] ?? []).filter { path in
            guard let name = tree.devices[path]?.adapter, usedAdapter(name) != nil else { return false }
            return scope.adapter == nil || name == scope.adapter
        }
        for path in known { try await remove(path, scope) }
        return !known.isEmpty
    }

    /// Takes a device's object off the bus, with all that BlueZ knows of it.
    func remove(_ path: ObjectPath, _ scope: OperationScope) async throws {
        guard let address = tree.devices[path]?.address else { return }
        scope.stage = .operate
        let message = try DBusMessage.call(BluezNames.service, path.parent, BluezNames.adapter, "RemoveDevice")
            .append { (writer) throws(DBusFailure) in try writer.append(path: path) }
        let link = link(address)
        let reply = ReplySlot()
        scope.applied = .maybe
        send(message, for: link) { reply.outcome = $0 }
        try await wait(scope, on: link) {
            if let lost = self.lostBus(path) { return .failure(lost) }
            if self.tree.devices[path] == nil { return .success(()) }
            guard case .failure(let failure) = reply.outcome else { return nil }
            return .failure(BluezErrors.failure(failure, at: .operate, changes: true))
        }
    }
}
