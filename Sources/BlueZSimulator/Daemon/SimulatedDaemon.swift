internal import DBus
internal import EventLoop

/// One life of the simulated bluetoothd: its objects from the moment it owns its name until it leaves the bus.
///
/// Used on the loop's thread only.
final class SimulatedDaemon {
    let tree: ObjectTree
    private let loop: EventLoop
    private let settings: SimulatorSettings
    private let agents = AgentManager()
    private let call: AgentCalls.Caller
    let agentCalls: AgentCalls
    private var random: SeededRandom
    private(set) var adapters: [Int: SimulatedAdapter] = [:]
    /// How many links there were, for those that come without their signal.
    private var links = 0

    init(
        loop: EventLoop,
        settings: SimulatorSettings,
        output: @escaping (DBusMessage) -> Void,
        call: @escaping AgentCalls.Caller
    ) {
        agentCalls = AgentCalls(agents, call: call)
        self.call = call
        self.loop = loop
        self.settings = settings
        random = SeededRandom(seed: settings.seed)
        tree = ObjectTree(loop: loop, output: output)
        agents.onChange = { [weak self] isThere in
            for adapter in self?.adapters.values.map(\.self) ?? [] { adapter.setPairable(isThere) }
        }
        if let path = ObjectPath("/org/bluez") { tree.add(path, [agents] + ListedProperties.ofDaemon()) }
    }

    /// Whether the next link is one that is not signalled.
    func takesSilentLink() -> Bool {
        links += 1
        guard let every = settings.silentConnectEvery else { return false }
        return links.isMultiple(of: every)
    }

    /// What is kept on disk: the devices of each adapter, by address.
    var stored: [Int: [String: StoredDevice]] { adapters.mapValues(\.stored) }

    /// Adds an adapter.
    ///
    /// - Parameters:
    ///   - model: the adapter and what is around it.
    ///   - stored: the devices that an earlier life has kept, by address.
    ///   - isPlugged: whether it comes while the daemon runs; it is off when it is announced, and switched on then.
    ///   - lingering: how long links of a life that was killed are still there.
    /// - Returns: false when there is one of that number already.
    @discardableResult
    func add(
        _ model: AdapterModel,
        stored: [String: StoredDevice] = [:],
        isPlugged: Bool = false,
        lingering: Duration? = nil
    ) -> Bool {
        guard adapters[model.index] == nil else { return false }
        let random = self.random.fork()
        var starting = model
        if isPlugged { starting.isPowered = false }
        let adapter = SimulatedAdapter(starting, tree: tree, loop: loop, settings: settings, random: random)
        guard let adapter else { return false }
        adapter.agents = agentCalls
        adapter.isNextLinkSilent = { [weak self] in self?.takesSilentLink() ?? false }
        adapters[model.index] = adapter
        if model.hasMonitor {
            let monitors = MonitorManager(call: call)
            monitors.onChange = { [weak adapter] in adapter?.updateHearing() }
            adapter.monitors = monitors
        }
        let monitors = adapter.monitors.map { [$0] } ?? []
        tree.add(adapter.path, [adapter] + monitors + ListedProperties.ofAdapter())
        adapter.restoreKnownDevices(stored)
        if let lingering, lingering > .zero {
            for (address, kept) in stored where kept.isLinked { adapter.devices[address]?.linger(lingering) }
        }
        if isPlugged, model.isPowered, !model.isBlocked {
            tree.flush()
            adapter.setPowered(true) {}
        }
        return true
    }

    /// Unplugs an adapter: device by device the link ends and the objects go, then the adapter's.
    ///
    /// An attempt to connect is answered, a request to a linked device is not.
    ///
    /// - Returns: what is kept on disk of its devices, by address.
    @discardableResult
    func removeAdapter(_ index: Int) -> [String: StoredDevice] {
        guard let adapter = adapters.removeValue(forKey: index) else { return [:] }
        for device in adapter.sortedDevices {
            device.endAttempt(.abortedByLocal)
            device.linkLost()
        }
        tree.flush()
        let stored = adapter.stored
        for device in adapter.sortedDevices { adapter.remove(device) }
        adapter.setPowered(false) {}
        tree.flush()
        adapter.dispose()
        tree.remove(adapter.path)
        return stored
    }

    func handle(_ call: IncomingCall) { CallDispatcher(tree: tree).dispatch(call) }

    /// A client's connection to the bus has ended, and with it what belonged to it; links stay.
    func clientLeft(_ sender: String) {
        agents.clientLeft(sender)
        for adapter in adapters.values { adapter.clientLeft(sender) }
    }

    /// The daemon's end, without a word on the bus.
    func dispose() {
        for adapter in adapters.values { adapter.dispose() }
        adapters = [:]
        tree.clear()
    }
}
