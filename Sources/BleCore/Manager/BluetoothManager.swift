package import DBus
package import EventLoop

/// Bluetooth Low Energy on this machine, through BlueZ: adapters, scanning, links and attributes.
///
/// `run()` keeps the connection to the bus and follows BlueZ for as long as it runs: bluetoothd may be absent at first,
/// restart, or lose its adapter, and is taken up again each time. Everything else may be called from any task, ends with
/// a value, a `BleFailure` or a timeout, and at once with `CancellationError` when the calling task is cancelled.
///
/// ```swift
/// try await BluetoothManager.withManager { bluetooth in
///     try await bluetooth.ready(within: .seconds(10))
///     let belt = try await bluetooth.connect(timeout: .seconds(30)) { $0.services.contains(0x180D) }
///     print(try await belt.read(AttributeSelector(service: 0x180F, characteristic: 0x2A19)))
///     let rates = try await belt.notifications(for: AttributeSelector(service: 0x180D, characteristic: 0x2A37))
///     for await rate in rates.prefix(10) { print(rate.value) }
///     try await belt.disconnect()
/// }
/// ```
public actor BluetoothManager {
    /// What the manager may use and how patient it is.
    public struct Configuration: Sendable {
        /// The one adapter to use; nil: the first that is on.
        public var adapter: AdapterName?
        /// How long a device may stay busy with a call that its caller has given up.
        public var settleLimit: Duration = .seconds(45)
        /// How long bluetoothd may take to tell what it has before it counts as not responding.
        public var answerLimit: Duration = .seconds(10)
        /// The growing gaps between attempts to reach the bus.
        public var busRetry: ClosedRange<Duration> = .seconds(1) ... .seconds(30)
        /// The growing gaps between attempts at one link, or at an operation that may be done twice.
        public var retryGaps = RetryGaps()

        /// How long discovery may hear nothing before it is started anew, at first and at most: the gaps double.
        public var scanSilence: ClosedRange<Duration> = .seconds(90) ... .seconds(3600)

        /// How long a notify session is kept after the last command that needed it.
        public var notifyLinger: Duration = .seconds(10)

        /// Keys that give devices with private addresses one stable name each.
        public var identityKeys = IdentityKeys()
        /// What the agent for pairing says it can do; nil: there is no agent.
        ///
        /// Whoever answers the prompts can compare, read out and type in: together a keyboard and a display.
        public var pairingCapability: PairingCapability? = .keyboardDisplay
        /// How long a prompt of a pairing may wait for its answer.
        ///
        /// The devices give up after 30 s (Core 5.4, Vol 3, Part H, 3.4).
        public var promptLimit: Duration = .seconds(25)

        public init() {}
    }

    package nonisolated let loop: EventLoop
    let configuration: Configuration
    let address: BusAddress
    let worker: Worker
    /// The loop has a thread that ends with the manager.
    private let ownsLoop: Bool

    var connection: DBusConnection?
    /// bluetoothd's unique name on the bus; nil while it is away.
    var owner: String?
    var tree: ObjectTree
    let resolver: AddressResolver?
    /// The tree is complete: bluetoothd has answered `GetManagedObjects`.
    var loaded = false
    /// It was asked and has not answered in time, or nothing that can be read.
    var treeIsMissing = false
    /// How often the bus has told who owns bluetoothd's name.
    var ownerNews = 0
    var denied = false
    /// Nobody knows yet whether bluetoothd is there: the bus has been asked for the first time and has not answered.
    var isStarting = true
    /// Calls in a row that did not settle in time.
    var unsettled = 0
    /// Adapters that rfkill was seen to hold.
    var blockedAdapters: Set<ObjectPath> = []
    var lastState: BluetoothState?
    var links: [DeviceAddress: Link] = [:]
    /// Devices whose link is ours when it turns out to stand: we had made it in an earlier life, ours or bluetoothd's.
    var adoptable: Set<DeviceAddress> = []
    var notifiers: [ObjectPath: Notifier] = [:]
    /// How many reads of a characteristic are under way.
    var readsOut: [ObjectPath: Int] = [:]
    let discovery = DiscoveryControl()
    var scanWatch: ScanWatch
    var scanTimer: EventLoop.TimerID?
    /// What was done so that Bluetooth works again, and how often since the start.
    package var recoveries: [RecoveryStep: Int64] = [:]
    let pairing: PairingState
    var events = Broadcast<BluetoothEvent>()
    var reports = Broadcast<Advertisement>()
    /// Waits for a change of adapters or state.
    var stateProbes: [Int: () -> Void] = [:]
    var lastNumber = 0
    /// How often the connection to the bus was made.
    package var busConnects = 0
    /// How often the object tree was read whole.
    package var treeLoads = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Makes a manager on a loop that the caller runs.
    package init(
        configuration: Configuration = Configuration(),
        bus: BusAddress = .system,
        loop: EventLoop,
        worker: Worker,
        ownsLoop: Bool = false
    ) {
        self.configuration = configuration
        address = bus
        self.loop = loop
        self.worker = worker
        self.ownsLoop = ownsLoop
        let keys = configuration.identityKeys
        resolver = keys.keys.isEmpty ? nil : AddressResolver(keys)
        tree = ObjectTree(resolver)
        scanWatch = ScanWatch(configuration.scanSilence)
        pairing = PairingState(configuration.promptLimit)
    }

    deinit {
        if ownsLoop { loop.stop() }
    }

    /// Makes a manager with a thread of its own, on the system bus.
    ///
    /// - Throws: when the system gives no thread or descriptors.
    public init(configuration: Configuration = Configuration()) throws {
        try self.init(configuration: configuration, onThreadFor: .system)
    }

    /// The same on another bus.
    init(configuration: Configuration, onThreadFor bus: BusAddress) throws {
        let loop = try EventLoop.startThread()
        self.init(configuration: configuration, bus: bus, loop: loop, worker: Worker(), ownsLoop: true)
    }

    // MARK: State

    /// Whether Bluetooth can be used now.
    public var state: BluetoothState {
        if denied { return .denied }
        guard connection != nil, owner != nil else { return .absent }
        guard loaded else { return treeIsMissing ? .notResponding : .absent }
        if unsettled >= 3 { return .notResponding }
        guard let adapter = chosenAdapter else { return .noAdapter }
        if adapter.powered { return .ready }
        return isBlocked(adapter) ? .blocked : .off
    }

    /// The adapters that BlueZ has, by name.
    public var adapters: [AdapterInfo] { tree.adapters.values.sorted { $0.name < $1.name }.map(info) }

    /// The devices that BlueZ knows, by address.
    public var devices: [DeviceInfo] { tree.paths.keys.sorted().compactMap { device($0) } }

    /// What is known of one device; nil when BlueZ does not know it.
    public func device(_ address: DeviceAddress) -> DeviceInfo? {
        let address = tree.name(of: address)
        guard let path = bestObject(of: address), let record = tree.devices[path] else { return nil }
        return DeviceInfo(
            advertisement: record.advertisement,
            link: links[address]?.state ?? LinkState(),
            paired: record.paired,
            bonded: record.bonded,
            trusted: record.trusted,
            blocked: record.blocked
        )
    }

    /// The state of a device's link, also of one that BlueZ has forgotten.
    package func linkState(of address: DeviceAddress) -> LinkState {
        links[tree.name(of: address)]?.state ?? LinkState()
    }

    /// Waits until an adapter can be used.
    ///
    /// - Throws: `BleFailure` that says why there is none after the time, or `CancellationError`.
    public func ready(within limit: Duration) async throws {
        try await withScope(limit) { scope in
            do {
                try await wait(scope) { self.state == .ready ? .success(()) : nil }
            } catch let failure as BleFailure where failure.kind == .timedOut {
                throw self.unavailability ?? failure
            }
        }
    }

    /// The failure that the present state means for an operation; nil when Bluetooth is ready.
    var unavailability: BleFailure? {
        let adapter = configuration.adapter?.text ?? "an adapter"
        return switch state {
        case .ready: nil
        case .off: BleFailure(.adapterOff, at: .adapter, detail: "\(chosenAdapter?.name.text ?? adapter) is off")
        case .blocked: BleFailure(.adapterBlocked, at: .adapter, detail: "rfkill blocks the adapter")
        case .noAdapter: BleFailure(.adapterMissing, at: .adapter, detail: "BlueZ has no such adapter: \(adapter)")
        case .absent: BleFailure(.bluetoothUnavailable, at: .adapter, detail: "bluetoothd is not on the bus")
        case .notResponding: BleFailure(.bluetoothUnavailable, at: .adapter, detail: "bluetoothd does not answer")
        case .denied: BleFailure(.unauthorized, at: .adapter, detail: "the bus refuses this user")
        }
    }

    // MARK: Observers

    /// Everything that happens from now on, for one more observer.
    ///
    /// The oldest are dropped and counted when more than `bound` wait for a slow reader.
    public func eventSequence(bound: Int = 1000) -> BoundedSequence<BluetoothEvent> {
        observe(bound: bound) { $0 }
    }

    /// The events that a function makes something of, for one more observer, behind a first element.
    func observe<Element: Sendable>(
        bound: Int,
        first: Element? = nil,
        _ transform: @escaping (BluetoothEvent) -> Element?
    ) -> BoundedSequence<Element> {
        let (sequence, feed) = BoundedSequence<Element>.make(bound: bound)
        if let first { feed.send(first) }
        let number = events.add { event in
            if let element = transform(event) { feed.send(element) }
        }
        feed.onEnd { [weak self, loop] in
            loop.execute { [weak self] in self?.assumeIsolated { $0.events.remove(number) } }
        }
        return sequence
    }

    /// Calls a handler on the loop with each event, in order.
    package func observe(_ handler: @escaping @Sendable (BluetoothEvent) -> Void) { _ = events.add(handler) }

    // MARK: For the extensions

    var chosenAdapter: AdapterRecord? {
        // Asked before each operation; most machines have one.
        if configuration.adapter == nil, tree.adapters.count == 1 { return tree.adapters.values.first }
        if let name = configuration.adapter { return tree.adapters.values.first { $0.name == name } }
        let sorted = tree.adapters.values.sorted { $0.name < $1.name }
        return sorted.first { $0.powered } ?? sorted.first
    }

    func isBlocked(_ adapter: AdapterRecord) -> Bool {
        adapter.powerState == "off-blocked" || blockedAdapters.contains(adapter.path)
    }

    func info(_ adapter: AdapterRecord) -> AdapterInfo {
        AdapterInfo(
            name: adapter.name,
            address: adapter.address,
            powered: adapter.powered,
            discovering: adapter.discovering,
            links: tree.devices.values.count { $0.connected && $0.adapter == adapter.name }
        )
    }

    /// The object to use for a device: the one that has the link, else the one that heard it strongest.
    ///
    /// Of a device whose private address changes only the objects of its present address count.
    func bestObject(of address: DeviceAddress) -> ObjectPath? {
        guard let paths = tree.paths[tree.name(of: address)] else { return nil }
        if paths.count == 1, configuration.adapter == nil { return paths[0] }
        var usable = paths.compactMap { tree.devices[$0] }.filter {
            configuration.adapter == nil || $0.adapter == configuration.adapter
        }
        if let linked = usable.first(where: { $0.connected }) { return linked.path }
        if usable.count > 1, usable.contains(where: { $0.advertisement.via != nil }) {
            let latest = usable.max { $0.advertisement.lastHeard < $1.advertisement.lastHeard }
            usable.removeAll { $0.pathAddress != latest?.pathAddress }
        }
        return usable.max { strength($0) < strength($1) }?.path
    }

    private func strength(_ device: DeviceRecord) -> Int {
        device.advertisement.signals > 0 ? device.advertisement.rssi ?? -128 : -256
    }

    /// The adapter that an operation with a device uses; nil when there is none.
    package func adapter(for address: DeviceAddress) -> AdapterName? {
        bestObject(of: address).flatMap { tree.devices[$0]?.adapter } ?? chosenAdapter?.name
    }

    func link(_ address: DeviceAddress) -> Link {
        let address = tree.name(of: address)
        if let link = links[address] { return link }
        let link = Link(address: address)
        links[address] = link
        return link
    }
}
