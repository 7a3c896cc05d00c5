internal import DBus
internal import EventLoop

/// `org.bluez.Adapter1`: one adapter, the devices around it and those that the daemon knows.
final class SimulatedAdapter: SimulatedInterface {
    let path: ObjectPath
    let model: AdapterModel
    let tree: ObjectTree
    let loop: EventLoop
    let settings: SimulatorSettings

    private(set) var peripherals: [String: Peripheral] = [:]
    /// The daemon's devices by address.
    private(set) var devices: [String: SimulatedDevice] = [:]
    private var random: SeededRandom

    var isPowered: Bool
    /// Whether rfkill holds it.
    private(set) var isBlocked: Bool
    private var alias: String?
    private var isDiscoverable = false
    private var discoverableTimeout: UInt32 = 180
    private var isPairable = false
    private var pairableTimeout: UInt32 = 0

    /// The agents of clients; set when the adapter is added.
    var agents: AgentCalls?
    /// Whether the link that comes to be now is one that bluetoothd does not signal.
    var isNextLinkSilent: () -> Bool = { false }
    /// Links for which there is no room any more, those that have just ended among them.
    var usedLinks = 0

    /// Who listens without a discovery; nil where bluetoothd does not offer that.
    var monitors: MonitorManager?

    // The discovery.
    var isDiscovering = false
    var sessions: [DiscoverySession] = []
    /// Devices heard in the present discovery, latest first.
    var found: [SimulatedDevice] = []
    var scanStart = ContinuousClock.Instant.now
    /// What the controller has reported of each device, and in which period of the scan.
    var reported: [String: (period: Int, content: [[UInt8]])] = [:]

    init?(_ model: AdapterModel, tree: ObjectTree, loop: EventLoop, settings: SimulatorSettings, random: SeededRandom) {
        guard let path = ObjectPath("/org/bluez/hci\(model.index)") else { return nil }
        self.path = path
        self.model = model
        self.tree = tree
        self.loop = loop
        self.settings = settings
        self.random = random
        isPowered = model.isPowered && !model.isBlocked
        isBlocked = model.isBlocked
        if model.isScannedByOthers, isPowered {
            sessions.append(DiscoverySession(sender: "", isRunning: true))
            isDiscovering = true
        }
        for device in model.devices { addPeripheral(device) }
    }

    var description: InterfaceDescription { Self.table }
    /// The daemon's devices in the order of their paths.
    var sortedDevices: [SimulatedDevice] { devices.values.sorted { $0.path < $1.path } }

    func announce(_ property: String) { tree.changed(path, self, property) }

    func value(of property: String) -> DBusValue? {
        switch property {
        case "Address": .string(model.address)
        case "AddressType": .string("public")
        case "Name": .string(model.name)
        case "Alias": .string(alias ?? model.name)
        case "Class": .uint32(0)
        case "Powered": .bool(isPowered)
        case "Discoverable": .bool(isDiscoverable)
        case "DiscoverableTimeout": .uint32(discoverableTimeout)
        case "Pairable": .bool(isPairable)
        case "PairableTimeout": .uint32(pairableTimeout)
        case "Discovering": .bool(isDiscovering)
        case "UUIDs": .strings(["1800", "1801", "180a"].map(LongUUID.text))
        case "Modalias": .string("usb:v1D6Bp0246d0542")
        case "Roles": .strings(["central", "peripheral"])
        default: nil
        }
    }

    func handle(_ call: IncomingCall) {
        do throws(BluezError) {
            switch call.member {
            case "StartDiscovery": try startDiscovery(call)
            case "StopDiscovery": try stopDiscovery(call)
            case "SetDiscoveryFilter": try setDiscoveryFilter(call)
            case "GetDiscoveryFilters": call.reply(.strings(DiscoveryFilter.names))
            case "RemoveDevice": try removeDevice(call)
            default: throw .notSupported
            }
        } catch {
            call.fail(error)
        }
    }

    func set(_ property: String, to value: DBusValue, _ call: IncomingCall) {
        switch (property, value) {
        case ("Powered", .bool(true)) where isBlocked: call.fail(.blocked)
        case ("Powered", .bool(let on)): setPowered(on) { call.reply() }
        case ("Discoverable", .bool(let on)):
            guard isPowered else { return call.fail(.failed("Not Powered")) }
            change(call, on != isDiscoverable, property) { isDiscoverable = on }
        case ("Pairable", .bool(let on)): change(call, on != isPairable, property) { isPairable = on }
        case ("Alias", .string(let text)):
            let wanted = text.isEmpty ? nil : text
            change(call, wanted != alias, property) { alias = wanted }
        case ("DiscoverableTimeout", .uint32(let seconds)):
            change(call, true, property) { discoverableTimeout = seconds }
        case ("PairableTimeout", .uint32(let seconds)): change(call, true, property) { pairableTimeout = seconds }
        default: call.fail(.invalidArguments)
        }
    }

    /// The reply comes first: bluetoothd answers when the kernel has accepted and signals when it reports.
    private func change(_ call: IncomingCall, _ isNews: Bool, _ property: String, _ apply: () -> Void) {
        call.reply()
        guard isNews else { return }
        apply()
        announce(property)
    }

    /// Switches the adapter.
    ///
    /// - Parameters:
    ///   - on: the wanted state.
    ///   - answer: called at the moment of the reply, between the devices' signals and the adapter's own.
    func setPowered(_ on: Bool, answer: () -> Void) {
        guard on != isPowered else { return answer() }
        if !on {
            for device in sortedDevices where device.isTemporary { remove(device) }
            for device in sortedDevices {
                device.endAttempt(.abortedByLocal)
                device.linkDown()
            }
        }
        answer()
        isPowered = on
        announce("Powered")
        if !on { discoveryEndsWithPower() }
        updateHearing()
    }

    /// bluetoothd takes pairings by devices only where an agent could be asked.
    func setPairable(_ pairable: Bool) {
        guard pairable != isPairable else { return }
        isPairable = pairable
        announce("Pairable")
    }

    /// rfkill takes the adapter, or lets it go; then it stays off.
    func setBlocked(_ blocked: Bool) {
        isBlocked = blocked
        if blocked { setPowered(false) {} }
    }

    private func removeDevice(_ call: IncomingCall) throws(BluezError) {
        guard case .path(let path)? = call.arguments.first else { throw .invalidArguments }
        guard let device = devices.values.first(where: { $0.path == path }) else { throw .doesNotExist }
        guard isPowered else { throw .notReady }
        device.setTemporary(true)
        device.requestDisconnect(call)
    }

    // MARK: Devices

    /// Puts a device on the air.
    func addPeripheral(_ device: DeviceModel) {
        guard peripherals[device.address] == nil else { return }
        let peripheral = Peripheral(device, loop: loop, random: random.fork())
        peripheral.onAdvertisement = { [weak self, weak peripheral] advertisement in
            guard let self, let peripheral else { return }
            heard(peripheral, advertisement)
        }
        peripheral.onNotification = { [weak self] handle, bytes in
            let characteristics = self?.devices[device.address]?.characteristics ?? []
            characteristics.first { $0.layout.valueHandle == handle }?.received(bytes)
        }
        peripheral.onHangUp = { [weak self] in self?.devices[device.address]?.linkDown() }
        peripherals[device.address] = peripheral
        devices[device.address]?.peripheral = peripheral
        peripheral.setHeard(isListening)
    }

    /// Takes a device off the air for good; what the daemon knows of it stays.
    func removePeripheral(_ address: String) {
        guard let peripheral = peripherals.removeValue(forKey: address) else { return }
        peripheral.setOnAir(false)
        devices[address]?.linkDown()
    }

    /// The daemon's object for a device that has been heard.
    func makeDevice(_ peripheral: Peripheral) -> SimulatedDevice? {
        guard let device = SimulatedDevice(peripheral, adapter: self) else { return nil }
        devices[peripheral.model.address] = device
        tree.add(device.path, [device])
        return device
    }

    /// The daemon's objects for devices that it knows from an earlier life.
    func restoreKnownDevices(_ stored: [String: StoredDevice]) {
        for peripheral in peripherals.values.sorted(by: { $0.model.address < $1.model.address }) {
            let kept = stored[peripheral.model.address]
            guard peripheral.model.isKnown || kept != nil, devices[peripheral.model.address] == nil else { continue }
            if let device = restore(peripheral) { kept?.restore(device) }
        }
    }

    /// The daemon's object for a device that nobody has heard now, with what was known of it.
    @discardableResult
    func restore(_ peripheral: Peripheral) -> SimulatedDevice? {
        guard let device = makeDevice(peripheral) else { return nil }
        device.name = peripheral.model.advertisement.name
        device.appearance = peripheral.model.advertisement.appearance
        device.advertisedServices = peripheral.model.advertisement.services.map(LongUUID.text)
        device.setTemporary(false)
        if peripheral.model.isPaired {
            device.isPaired = true
            device.isBonded = true
            peripheral.isPaired = true
        }
        return device
    }

    /// What is kept on disk of the devices, by address.
    var stored: [String: StoredDevice] { devices.compactMapValues { StoredDevice($0) } }

    /// Takes a device's object, and all below it, from the bus.
    func remove(_ device: SimulatedDevice) {
        guard devices[device.model.address] === device else { return }
        device.dispose()
        monitors?.lost(device.path)
        found.removeAll { $0 === device }
        tree.remove(device.path)
        devices[device.model.address] = nil
    }

    /// The adapter is unplugged, or the daemon ends: nothing runs on.
    func dispose() {
        for device in devices.values { device.dispose() }
        for peripheral in peripherals.values { peripheral.setHeard(false) }
        isDiscovering = false
    }

    func clientLeft(_ sender: String) {
        for device in sortedDevices { device.clientLeft(sender) }
        endDiscovery(of: sender)
        monitors?.clientLeft(sender)
    }

    static let table = InterfaceDescription(
        "org.bluez.Adapter1",
        methods: [
            .init("StartDiscovery"), .init("SetDiscoveryFilter", in: [.init("properties", "a{sv}")]),
            .init("StopDiscovery"), .init("RemoveDevice", in: [.init("device", "o")]),
            .init("GetDiscoveryFilters", out: [.init("filters", "as")]),
        ],
        properties: [
            .init("Address", "s"), .init("AddressType", "s"), .init("Name", "s"),
            .init("Alias", "s", writable: true), .init("Class", "u"), .init("Powered", "b", writable: true),
            .init("Discoverable", "b", writable: true), .init("DiscoverableTimeout", "u", writable: true),
            .init("Pairable", "b", writable: true), .init("PairableTimeout", "u", writable: true),
            .init("Discovering", "b"), .init("UUIDs", "as"), .init("Modalias", "s"), .init("Roles", "as"),
            .init("ExperimentalFeatures", "as"),
        ]
    )
}
