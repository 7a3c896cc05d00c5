internal import BleCore
internal import EventLoop
internal import Profiles

/// Telling which of the devices in use are there.
extension Agent {
    /// Follows the configured devices.
    func startAvailability() {
        for address in directory.devices { follow(address) }
    }

    /// Follows a device that is in use.
    func follow(_ address: DeviceAddress) {
        let (device, isLinked) = (manager.assumeIsolated { $0.device(address) }, hasLink(address))
        var heard: ContinuousClock.Instant?
        if let report = device?.advertisement, report.signals > 0 {
            heard = .now - .milliseconds(max(0, UTCTime.now.millisecondsSince1970 - report.lastHeard))
        }
        let interval = intervals[address] ?? profiles.profiles(of: address).lazy.compactMap(\.interval).first
        let change = availability.follow(address, interval: interval, hasLink: isLinked, heard: heard, at: .now)
        hearAdvertisements()
        tell(change)
    }

    /// Follows a device no more.
    func unfollow(_ address: DeviceAddress) {
        availability.leave(address)
        hearAdvertisements()
    }

    /// Notes whether anybody listens for advertisements now.
    func noteDiscovery() {
        let isOn = manager.assumeIsolated { $0.adapters.contains { $0.discovering } }
        availability.listening(isOn, at: .now)
    }

    /// Notes that a job has come to an end for which the device was there.
    func noteReached(_ address: DeviceAddress) { tell(availability.reached(address, at: .now)) }

    /// Publishes that a device has come or gone.
    func tell(_ change: Availability.Change?) {
        guard let change, !isStopping else { return }
        let topic = topics.device(directory.name(of: change.address)).avail
        publisher.retain(topic, text: change.isOnline ? "online" : "offline")
        // A later end of somebody else needs no other timer: it looks again when it comes.
        if change.isOnline { armAvailability() }
    }

    private func armAvailability() {
        if let availabilityTimer { loop.cancel(availabilityTimer) }
        availabilityTimer = availability.nextDeadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.availabilityTimer = nil
                    for change in agent.availability.due(at: .now) { agent.tell(change) }
                    agent.armAvailability()
                }
            }
        }
    }

    /// Hears advertisements as long as a scan wants them, or there is a device that they could be of.
    func hearAdvertisements() {
        let isWanted = !sessions.isEmpty || availability.count > 0 && !isStopping
        guard isWanted != (advertisementObserver != nil) else { return }
        let former = advertisementObserver
        advertisementObserver = manager.assumeIsolated { manager in
            if let former { manager.ignoreAdvertisements(former) }
            guard isWanted else { return nil }
            return manager.hearAdvertisements { [weak self] report in self?.assumeIsolated { $0.heard(report) } }
        }
    }

    private func heard(_ report: Advertisement) {
        if availability.count > 0, !isStopping {
            if let change = availability.heard(report.address, at: .now) { tell(change) }
            valuesHeard(report)
        }
        guard !sessions.isEmpty else { return }
        counters.advertisements += 1
        for session in sessions.values { session.hear(report) }
    }
}
