internal import BleCore
internal import EventLoop
internal import Profiles

/// What devices are by their profiles, what they tell, and the telling of it.
extension Agent {
    /// How long the agent runs.
    var elapsed: Duration { ContinuousClock.now - epoch }

    // MARK: Profiles

    /// Reads the profiles and keys that the configuration names, and goes on with them.
    ///
    /// A file that is wrong is told of, and left out. Called at the start and again on SIGHUP.
    func loadProfiles(_ worker: Worker) async {
        let settings = configuration.profiles
        do {
            let loaded = try await worker.run { ProfileSet.load(settings) }
            for problem in loaded.problems { log.error("Profile cannot be used", [.detail: problem]) }
            profiles.replace(library: loaded.library, keys: loaded.keys)
        } catch {
            log.error("Profiles cannot be read", [.error: "\(error)"])
        }
        for device in configuration.devices {
            guard let id = device.profile, profiles.library[id] == nil else { continue }
            log.error("Device has a profile that is not there", [.device: device.address, .detail: id])
        }
        profilesChanged()
        listenForValues()
        restartValues()
        if connection != nil { publisher.retain(topics.info, .other, info.encode) }
    }

    /// Listens all the time where the profile of a configured device reads advertisements.
    private func listenForValues() {
        let isWanted = profiles.wantsAdvertisements && !isStopping
        if isWanted, valueDemand == nil {
            valueDemand = manager.assumeIsolated { $0.demandDiscovery(ScanRequest()) }
        } else if !isWanted, let demand = valueDemand {
            valueDemand = nil
            manager.assumeIsolated { $0.stopDiscovery(demand) }
        }
    }

    /// Takes up what an earlier life knew of the configured devices.
    func restore(_ kept: KeptProfiles, in file: StateFile) {
        profileFile = file
        keptProfiles = kept
        profiles.restore(kept)
    }

    /// Something new is known of what devices are, or tell.
    func profilesChanged() {
        for address in directory.devices {
            let link = profiles.boundProfile(of: address).flatMap { profiles.library[$0]?.link }
            if rulebook.set(profiled: LinkSettings(link), for: address) { updateKeeping(address) }
        }
        announceDevices()
        let records = directory.devices.map { profiles.kept($0) }
        let kept = KeptProfiles(records.filter { $0 != KeptProfiles.Record(address: $0.address) })
        guard kept != keptProfiles, let profileFile else { return }
        keptProfiles = kept
        profileFile.save(kept.encode()) { [weak self] failure in self?.assumeIsolated { $0.noteState(failure) } }
    }

    // MARK: What devices tell

    /// Takes up an advertisement of any device.
    func valuesHeard(_ report: Advertisement) {
        guard isInUse(report.address) else { return }
        let (events, isNew) = profiles.heard(report, at: elapsed)
        // Before the events: who hears of one for the first time has to know what it is.
        if isNew { profilesChanged() }
        for event in events { tell(report.address, .value(event)) }
        publishStates()
    }

    /// Takes up values that a device has confirmed.
    func take(_ values: [DecodedValue], of address: DeviceAddress) {
        if profiles.take(values, of: address, at: elapsed) { profilesChanged() }
        publishStates()
    }

    /// Publishes the states that are due.
    func publishStates() {
        guard !isStopping else { return }
        for (address, values) in profiles.due(at: elapsed) {
            publisher.retain(topics.device(directory.name(of: address)).state, bytes: StateMessage(values).encode())
        }
        let deadline = profiles.nextDeadline
        guard deadline != stateTimer?.at else { return }
        if let stateTimer { loop.cancel(stateTimer.id) }
        stateTimer = deadline.map { deadline in
            let timer = loop.schedule(at: epoch + deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.stateTimer = nil
                    agent.publishStates()
                }
            }
            return (deadline, timer)
        }
    }

    /// Forgets what a device was, and has told.
    func forgetValues(of address: DeviceAddress) {
        endValues(of: address)
        profiles.forget(address)
        profilesChanged()
    }

    /// Reads advertisements for one lasting scan, with a memory of its own.
    func decoding() -> (Advertisement) -> AdvertisementReading {
        var reader = profiles.freshReader
        return { [weak self] report in
            guard let self else { return AdvertisementReading() }
            // Sessions hear on the loop.
            return self.assumeIsolated { agent in
                reader.read(report, boundTo: agent.profiles.boundProfile(of: report.address), at: agent.elapsed)
            }
        }
    }

    // MARK: What is shown

    /// The configured devices as they are to be shown: those of which a profile is known.
    var displayedDevices: [DisplayedDevice] {
        configuration.devices.compactMap { settings in
            guard let address = DeviceAddress(settings.address), isShown(settings) else { return nil }
            let known = profiles.profiles(of: address)
            guard !known.isEmpty else { return nil }
            var device = DisplayedDevice(
                address: address,
                name: settings.name ?? settings.alias,
                isShared: settings.isShared
            )
            device.add(known, told: profiles.kept(address).names, profiles.values(of: address))
            return device.values.isEmpty ? nil : device
        }
    }

    /// Whether it is this gateway that shows a device.
    private func isShown(_ device: DeviceConfiguration) -> Bool {
        device.owner.map { $0 == configuration.gateway } ?? true
    }

    /// The announcements of the devices; what Home Assistant would not take of them is left out and told of.
    var deviceAnnouncements: [DeviceAnnouncement] {
        let identities = configuration.homeIdentities
        return displayedDevices.map { device in
            var announcement = DeviceAnnouncement(
                device,
                target: target(device.address),
                topics: topics,
                identities: identities
            )
            announcement.components.removeAll { component in
                let problems = component.problems
                guard !problems.isEmpty else { return false }
                let key = "\(device.address.hex) \(component.key)"
                if limiter.admit("display \(key)") != nil {
                    log.warning(
                        "Value cannot be shown in Home Assistant",
                        [.device: device.address.hex, .key: component.key, .detail: problems.joined(separator: "; ")]
                    )
                }
                return true
            }
            return announcement
        }
    }

    /// The topics of shared devices that another gateway announces.
    var foreignAnnouncements: [String] {
        configuration.devices.compactMap { settings in
            guard !isShown(settings), let address = DeviceAddress(settings.address) else { return nil }
            return configuration.homeIdentities.topic(address, isShared: true)
        }
    }
}

extension LinkSettings {
    /// What a profile says of a link.
    fileprivate init(_ link: ProfileLink?) {
        self.init(
            policy: link?.policy.flatMap { LinkRules.Policy(rawValue: $0.rawValue) },
            idle: link?.idle,
            maxAttempts: link?.maxAttempts,
            rssiMin: link?.rssiMin
        )
    }
}
