internal import BleCore
internal import EventLoop
internal import Systemd

extension Agent {
    /// Tells the service manager that the agent works, and from now on that it is alive.
    ///
    /// A broker or Bluetooth that is away is no reason to wait: the agent works on that itself.
    func startServiceManager() {
        tellStatus()
        ServiceManager.ready()
        if let interval = ServiceManager.watchdogInterval { stayAlive(every: interval / 3) }
    }

    /// Only a loop that turns comes here: one that hangs is restarted.
    private func stayAlive(every interval: Duration) {
        ServiceManager.alive()
        loop.schedule(after: interval) { [weak self] in
            self?.assumeIsolated { $0.stayAlive(every: interval) }
        }
    }

    /// The line that `systemctl status` shows.
    func tellStatus() {
        let broker = connection == nil ? "not connected" : "connected"
        ServiceManager.status("Broker \(broker), Bluetooth \(bluetooth?.rawValue ?? "not known yet")")
    }
}
