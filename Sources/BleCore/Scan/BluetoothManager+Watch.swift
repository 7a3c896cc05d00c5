internal import EventLoop

/// The watch over a scanner that goes quiet.
extension BluetoothManager {
    /// Brings the watch in line with whether a session of ours runs.
    func watchScanner() {
        scanWatch.listening(discovery.session != nil, at: .now)
        guard scanTimer == nil, let deadline = scanWatch.deadline else { return }
        scanTimer = loop.schedule(at: deadline) { [weak self] in self?.assumeIsolated { $0.lookAtScanner() } }
    }

    private func lookAtScanner() {
        scanTimer = nil
        // What was heard meanwhile has moved the deadline.
        if scanWatch.isDue(at: .now), discovery.restart() {
            recoveries[.scanRestart, default: 0] += 1
            events.send(.recovery(.scanRestart))
            updateDiscovery()
        }
        watchScanner()
    }
}
