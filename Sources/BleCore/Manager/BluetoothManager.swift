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
        /// The adapters to use; empty: all.
        public var adapters: [AdapterID] = []
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

        /// Whether requests that leave it open listen without asking, where BlueZ can do that.
        public var scansPassively = false
        /// When discovery rests while a link is made.
        public var discoveryPause = DiscoveryPause.auto

        /// What may be done so that Bluetooth works again.
        public var recovery = RecoverySettings()

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
    var configuration: Configuration
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
    /// Why there is no connection to the bus, and why bluetoothd does not tell what it has, as far as it was said.
    var busFault: BusFault?
    var treeFault: BusFault?
    /// Hears why the bus is not reached, each time that it is something else than before.
    var onBusFault: ((BusFault) -> Void)?
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
    /// The adapters in use, by their objects.
    var radios: [ObjectPath: Radio] = [:]
    /// Who wants to hear what.
    var demands: [Int: ScanRequest] = [:]
    /// The names by which the configuration means adapters that have come, by their addresses.
    var formerNames: [DeviceAddress: AdapterName] = [:]
    /// Which steps come next against what does not work.
    var ladder = RecoveryLadder()
    var troubles = ConnectTroubles()
    /// bluetoothd has been asked whether it is alive.
    var isProbing = false
    /// Ends the connection to the bus, so that another one is made.
    var endSession: (() -> Void)?
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
        if isAnyAdapterOn { return .ready }
        guard chosenAdapter != nil else { return .noAdapter }
        // An adapter that is switched off and on by us is as good as on.
        if radios.values.contains(where: \.isCycling) { return .ready }
        return usedAdapters.allSatisfy(isBlocked) ? .blocked : .off
    }

    /// The adapters that BlueZ has, by name.
    public var adapters: [AdapterInfo] { tree.adapters.values.sorted { $0.name < $1.name }.map(info) }

    /// The devices that BlueZ knows, by address.
    public var devices: [DeviceInfo] { tree.paths.keys.sorted().compactMap { device($0) } }

    /// What is known of one device; nil when BlueZ does not know it.
    public func device(_ address: DeviceAddress) -> DeviceInfo? { device(address, on: nil) }

    /// What one adapter knows of a device, or the best one for it.
    package func device(_ address: DeviceAddress, on adapter: AdapterName?) -> DeviceInfo? {
        let address = tree.name(of: address)
        guard let path = bestObject(of: address, on: adapter), let record = tree.devices[path] else { return nil }
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

    func isBlocked(_ adapter: AdapterRecord) -> Bool {
        adapter.powerState == "off-blocked" || blockedAdapters.contains(adapter.path)
    }

    func info(_ adapter: AdapterRecord) -> AdapterInfo {
        AdapterInfo(
            id: id(of: adapter),
            name: adapter.name,
            address: adapter.address,
            powered: adapter.powered,
            discovering: adapter.discovering,
            links: tree.devices.values.count { $0.connected && $0.adapter == adapter.name }
        )
    }

    func link(_ address: DeviceAddress) -> Link {
        let address = tree.name(of: address)
        if let link = links[address] { return link }
        let link = Link(address: address)
        links[address] = link
        return link
    }
}
