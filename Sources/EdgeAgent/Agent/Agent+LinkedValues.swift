internal import BleCore
internal import EventLoop
internal import Profiles
internal import TaskQueue

/// When the values of a device's characteristics are read next.
struct ValueTurn {
    var isDue = false
    var timer: EventLoop.TimerID?
    /// Characteristics whose values come by themselves.
    var heard: Set<AttributeSelector> = []
}

/// Values of characteristics: read once a link stands and at the profile's intervals, and listened to where the link is
/// kept.
///
/// As a read for a subscription that cannot notify, it takes the device only when that is free and nobody waits for it.
extension Agent {
    private static let holder = "values"
    private static let limit = Duration.seconds(60)

    /// The sources that need a link, of a device whose profile the configuration names.
    ///
    /// What only looks like something is not read without being asked: it might want pairing for that.
    private func linkedSources(of address: DeviceAddress) -> [LinkedSource] {
        guard profiles.boundProfile(of: address) != nil else { return [] }
        return profiles.profiles(of: address).flatMap { profile in
            profile.sources.compactMap { source in
                guard case .characteristic(let selector, let way) = source.place else { return nil }
                return LinkedSource(source: source, profile: profile, selector: selector, way: way)
            }
        }
    }

    /// A link stands that can be used: whatever is read once a link is is due.
    func valuesAreDue(of address: DeviceAddress) {
        guard isInUse(address), !linkedSources(of: address).isEmpty else { return }
        valueTurns[address, default: ValueTurn()].isDue = true
        // Behind the event that says so.
        loop.execute { [weak self] in self?.assumeIsolated { $0.startDueValues(of: address) } }
    }

    /// Begins with the devices whose values are read at intervals: Bluetooth can be used.
    func startValues() {
        for address in directory.devices where linkedSources(of: address).contains(where: { $0.way.interval != nil }) {
            valuesAreDue(of: address)
        }
    }

    /// Starts the reading that is due, unless the device is busy.
    func startDueValues(of address: DeviceAddress) {
        guard !isStopping, valueTurns[address]?.isDue == true, queue.running(on: address) == nil,
            queue.waiting(for: address) == 0, hasLink(address) || rulebook[address].policy != .never
        else { return }
        valueTurns[address]?.isDue = false
        lastJob += 1
        let job = Job(
            id: lastJob,
            command: .ofNobody(.connect(), on: target(address), timeout: Self.limit),
            device: target(address),
            arrived: .now,
            purpose: .values
        )
        let slot = hasLink(address) ? nil : pool(of: address)
        do throws(Queue.Refusal) {
            let expiry = ContinuousClock.now + Self.limit
            carryOut(try queue.submit(job, for: address, priority: .low, slot: slot, expiry: expiry, at: .now))
        } catch {
            armValues(of: address)
        }
    }

    /// The task that reads and listens.
    func valuesTask(of device: DeviceTarget) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(device.address, timeout: Self.limit) { [weak self] _, scope in
            guard let self else { throw CancellationError() }
            try await self.readValues(of: device.address, scope)
            return VerbOutcome(confirmed: .read, payload: .nothing)
        }
    }

    private func readValues(of address: DeviceAddress, _ scope: OperationScope) async throws {
        for linked in linkedSources(of: address) {
            do {
                if linked.way.notifies, rulebook[address].policy == .keep {
                    try await listen(to: linked, address, scope)
                }
                guard linked.way.readsAtConnect || linked.way.interval != nil else { continue }
                let bytes = try await manager.read(linked.selector, of: address, scope)
                arrived(bytes, from: linked, of: address)
            } catch let failure as BleFailure where failure.isOfOneValue {
                log.debug("Value not read", [.device: address.hex, .detail: failure.description])
            }
        }
    }

    private func listen(to linked: LinkedSource, _ address: DeviceAddress, _ scope: OperationScope) async throws {
        guard valueTurns[address]?.heard.contains(linked.selector) != true else { return }
        _ = try await manager.subscribe(linked.selector, of: address, holder: Self.holder, scope) {
            [weak self] notification in
            self?.assumeIsolated { $0.arrived(notification.value, from: linked, of: address) }
        }
        // From now on the manager makes it again after each reconnection.
        valueTurns[address, default: ValueTurn()].heard.insert(linked.selector)
    }

    private func arrived(_ bytes: [UInt8], from linked: LinkedSource, of address: DeviceAddress) {
        if profiles.read(bytes, from: linked.source, of: linked.profile, at: address, at: elapsed) { profilesChanged() }
        publishStates()
    }

    /// Takes up how a reading ended.
    func valuesEnded(of address: DeviceAddress, _ outcome: Result<VerbOutcome, any Error>) {
        // A command has taken its place.
        if case .failure(is CancellationError) = outcome, !isStopping { valueTurns[address]?.isDue = true }
        armValues(of: address)
    }

    private func armValues(of address: DeviceAddress) {
        if let timer = valueTurns[address]?.timer { loop.cancel(timer) }
        valueTurns[address]?.timer = nil
        guard !isStopping, let interval = linkedSources(of: address).compactMap(\.way.interval).min() else { return }
        let timer = loop.schedule(after: interval) { [weak self] in
            self?.assumeIsolated { agent in
                agent.valueTurns[address]?.timer = nil
                agent.valueTurns[address]?.isDue = true
                agent.startDueValues(of: address)
            }
        }
        valueTurns[address, default: ValueTurn()].timer = timer
    }

    /// The profiles are others now.
    func restartValues() {
        for address in directory.devices {
            valueTurns[address]?.heard = []
            if hasLink(address) { valuesAreDue(of: address) }
        }
        if bluetooth == .ready { startValues() }
    }

    /// Reads nothing more of a device.
    func endValues(of address: DeviceAddress) {
        if let timer = valueTurns.removeValue(forKey: address)?.timer { loop.cancel(timer) }
    }
}

/// A characteristic that a profile reads values from.
private struct LinkedSource: Sendable {
    let source: ValueSource
    let profile: Profile
    let selector: AttributeSelector
    let way: Acquisition
}

extension BleFailure {
    /// Whether it says something of one value alone, so that the next may be read all the same.
    fileprivate var isOfOneValue: Bool {
        switch kind {
        case .noService, .noCharacteristic, .ambiguousCharacteristic, .notSupported, .notPermitted, .att: true
        default: false
        }
    }
}
