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

    /// Adds an adapter.
    ///
    /// - Parameters:
    ///   - model: the adapter and what is around it.
    ///   - stored: the devices that an earlier life has kept, by address.
    /// - Returns: false when there is one of that number already.
    @discardableResult
    func add(_ model: AdapterModel, stored: [String: StoredDevice] = [:]) -> Bool {
        guard adapters[model.index] == nil else { return false }
        let random = self.random.fork()
        let adapter = SimulatedAdapter(model, tree: tree, loop: loop, settings: settings, random: random)
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
        return true
    }

    /// Unplugs an adapter, with all its devices' objects.
    func removeAdapter(_ index: Int) {
        guard let adapter = adapters.removeValue(forKey: index) else { return }
        for device in adapter.sortedDevices { adapter.remove(device) }
        adapter.dispose()
        tree.remove(adapter.path)
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
