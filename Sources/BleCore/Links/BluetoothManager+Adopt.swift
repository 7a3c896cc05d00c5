internal import EventLoop

extension BluetoothManager {
    /// Takes links as made by us that an earlier life of ours has made, as far as they are there.
    ///
    /// To be called before `run()`.
    package func adopt(_ addresses: Set<DeviceAddress>) { adoptable.formUnion(addresses) }

    /// Ends the taking of links a while after bluetoothd has told which there are: an attempt that was under way when
    /// its client went may still come to its end (20 s, `HCI_LE_CONN_TIMEOUT`).
    func endAdoption(of asked: String) {
        guard !adoptable.isEmpty else { return }
        loop.schedule(after: .seconds(30)) { [weak self] in
            self?.assumeIsolated { manager in
                if manager.owner == asked { manager.adoptable = [] }
            }
        }
    }
}
