internal import DBus

/// The end of bluetoothd in good order, as SIGTERM brings it about.
extension SimulatedDaemon {
    /// Switches the adapters off, which ends the links, and takes all objects from the bus, in bluetoothd's order.
    ///
    /// - Returns: what is kept on disk: the devices of each adapter, by address.
    func shutDown() -> [Int: [String: StoredDevice]] {
        let sorted = adapters.sorted { $0.key < $1.key }
        for (_, adapter) in sorted { adapter.setPowered(false) {} }
        tree.flush()
        let stored = self.stored
        // The plugins go first.
        for (_, adapter) in sorted { withdraw(adapter.path, ["org.bluez.Media1"]) }
        if let path = ObjectPath("/org/bluez") {
            withdraw(path, ["org.bluez.HealthManager1"])
            withdraw(path, [BusNames.introspectable, "org.bluez.ProfileManager1", "org.bluez.AgentManager1"])
        }
        for (index, _) in sorted { removeAdapter(index) }
        tree.flush()
        agentCalls.release()
        return stored
    }

    private func withdraw(_ path: ObjectPath, _ interfaces: [String]) {
        for name in interfaces {
            if let interface = tree.object(at: path)?.interface(named: name) { tree.remove(interface, from: path) }
        }
        tree.flush()
    }
}
