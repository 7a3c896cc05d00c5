internal import DBus
internal import EventLoop

/// The watch over scanners that go quiet.
extension BluetoothManager {
    /// Brings an adapter's watch in line with whether a session of ours runs there.
    func watch(_ radio: Radio) {
        radio.watch.listening(radio.discovery.session != nil, at: .now)
        guard radio.watchTimer == nil, let deadline = radio.watch.deadline else { return }
        radio.watchTimer = loop.schedule(at: deadline) { [weak self, path = radio.path] in
            self?.assumeIsolated { manager in
                if let radio = manager.radios[path] { manager.look(at: radio) }
            }
        }
    }

    private func look(at radio: Radio) {
        radio.watchTimer = nil
        // What was heard meanwhile has moved the deadline.
        if radio.watch.isDue(at: .now), radio.discovery.session != nil, let adapter = tree.adapters[radio.path] {
            // Where nothing more is to be done discovery is started anew all the same.
            if adapterFailed(adapter, .scannerSilent) == nil, radio.discovery.restart() {
                recovered(Recovery(step: .scanRestart, fault: .scannerSilent, adapter: radio.name))
                updateDiscovery()
            }
        }
        watch(radio)
    }

    /// Takes up that an adapter has heard somebody.
    func heard(by adapter: ObjectPath) {
        guard let radio = radios[adapter] else { return }
        if radio.watch.heard(at: .now), let adapter = tree.adapters[radio.path] {
            ladder.ended(.scannerSilent, of: .adapter(id(of: adapter)))
        }
        radio.hasHeard = true
    }
}
