internal import DBus

extension BluetoothManager {
    /// Makes BlueZ forget a device: its link, what it knows of its services, and its bond.
    ///
    /// - Returns: false when BlueZ did not know it.
    package func forget(_ address: DeviceAddress, _ scope: OperationScope) async throws -> Bool {
        try await requireReady(scope)
        guard let path = bestObject(of: address) else { return false }
        try await remove(path, scope)
        return true
    }

    /// Takes a device's object off the bus, with all that BlueZ knows of it.
    func remove(_ path: ObjectPath, _ scope: OperationScope) async throws {
        guard let address = tree.devices[path]?.address else { return }
        scope.stage = .operate
        let message = try DBusMessage.call(BluezNames.service, path.parent, BluezNames.adapter, "RemoveDevice")
            .append { (writer) throws(DBusFailure) in try writer.append(path: path) }
        let link = link(address)
        let reply = ReplySlot()
        send(message, for: link) { reply.outcome = $0 }
        try await wait(scope, on: link) {
            if self.tree.devices[path] == nil { return .success(()) }
            guard case .failure(let failure) = reply.outcome else { return nil }
            return .failure(BluezErrors.failure(failure, at: .operate, changes: true))
        }
    }
}
