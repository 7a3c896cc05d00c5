package import BlueZSimulator
import DBus
import Synchronization

/// The Bluetooth side of an agent under test: a private bus, a simulated bluetoothd on it, and what happens around it.
package final class AgentWorld: Sendable {
    /// How the world is set up.
    package struct Options: Sendable {
        /// What is around the one adapter, `hci0`; nil: no adapter.
        package var devices: [TestDevice]? = [.thermometer, .heart, .battery, .framer, .awkward]
        /// From a request to a device to its answer.
        package var attDelay = Duration.zero
        /// From a link to the resolved services.
        package var resolveDelay = Duration.milliseconds(1)
        /// Whether the adapter is switched on.
        package var isPowered = true
        /// Further elements of the bus's configuration, such as a policy that denies.
        package var policy = ""
        /// Whether bluetoothd is there from the start.
        package var hasBluez = true
        /// The world as a scenario file describes it, instead of all of the above.
        package var scenario: Scenario?

        package init() {}
    }

    private let bus: PrivateBus
    private let simulator: Simulator
    private let adapter: AdapterModel
    private let stranger = Mutex<SimulatorClient?>(nil)

    fileprivate init(bus: PrivateBus, simulator: Simulator, adapter: AdapterModel) {
        self.bus = bus
        self.simulator = simulator
        self.adapter = adapter
    }

    /// For `DBUS_SYSTEM_BUS_ADDRESS`.
    package var busAddress: String { bus.address.text }

    // MARK: bluetoothd and the bus

    package func leaveBus() async { await simulator.leaveBus() }
    package func returnToBus() async throws { try await simulator.returnToBus() }
    package func killBus() async throws { try await bus.kill() }

    // MARK: The adapter

    package func setPowered(_ on: Bool) async { await simulator.setPowered(on) }
    package func unplugAdapter() async { await simulator.removeAdapter() }
    package func plugAdapter() async { _ = await simulator.addAdapter(adapter) }

    // MARK: Devices

    package func add(_ device: TestDevice) async { await simulator.addDevice(device.model) }
    package func remove(_ device: TestDevice) async { await simulator.removeDevice(device.address) }
    package func rename(_ device: TestDevice, _ name: String) async { await simulator.rename(device.address, name) }
    package func setService(_ device: TestDevice, _ uuid: String, present: Bool) async {
        await simulator.setService(device.address, uuid, present: present)
    }
    package func setReachable(_ reachable: Bool, _ device: TestDevice) async {
        await simulator.setReachable(reachable, device.address)
    }
    /// Ends a device's link through an adapter from the other side.
    package func dropLink(_ device: TestDevice, adapter: Int) async {
        await simulator.dropLink(device.address, adapter: adapter)
    }
    package func dropLink(_ device: TestDevice) async { await simulator.dropLink(device.address) }
    package func notify(_ device: TestDevice, _ characteristic: String, _ bytes: [UInt8]) async {
        await simulator.notify(device.address, characteristic, bytes)
    }

    package func notify(_ device: TestDevice, handle: Int, _ bytes: [UInt8]) async {
        await simulator.notify(device.address, handle: UInt16(clamping: handle), bytes)
    }
    /// Has bluetoothd say something else of the MTU of a device's link.
    package func tellMTU(_ device: TestDevice, _ mtu: UInt16) async {
        await simulator.tellMTU(device.address, .number(mtu))
    }

    // MARK: Pairing

    /// A device loses its half of the bond.
    package func loseKeys(_ device: TestDevice) async {
        await simulator.perform([.world(.loseKeys(.address(device.address)))])
    }
    /// A device that has a link asks for pairing.
    package func askForPairing(_ device: TestDevice) async {
        await simulator.perform([.world(.pair(.address(device.address)))])
    }
    /// Somebody types a number at a device.
    package func type(_ passkey: UInt32, at device: TestDevice) async {
        await simulator.perform([.world(.type(.address(device.address), passkey: passkey))])
    }
    /// What agents were registered with, in order.
    package func capabilities() async -> [String] {
        await simulator.calls(of: "RegisterAgent").map { call in
            if case .string(let capability)? = call.arguments.last { capability } else { "" }
        }
    }

    /// Has the next call of a method fail: with `org.bluez.Error.` and this name.
    package func refuse(_ member: String, _ error: String, _ message: String) async {
        let name = error.contains(".") ? error : "org.bluez.Error." + error
        await simulator.refuse(member, with: BluezError(name: name, message: message))
    }

    /// Connects to a device as another program would.
    package func connectAsStranger(_ device: TestDevice) async throws {
        try await call(device, "org.bluez.Device1", "Connect")
    }

    /// Calls a method of a device's object as another program would.
    package func call(_ device: TestDevice, _ interface: String, _ member: String) async throws {
        let name = "/org/bluez/hci0/dev_" + device.address.map { $0 == ":" ? "_" : String($0) }.joined()
        guard let path = ObjectPath(name) else { throw ChildProcess.Failure(description: "no path: \(name)") }
        try await asStranger().call(path, interface, member)
    }

    private func asStranger() async throws -> SimulatorClient {
        if let known = stranger.withLock({ $0 }) { return known }
        let client = try await SimulatorClient.connect(to: bus)
        stranger.withLock { $0 = client }
        return client
    }

    // MARK: The scenario

    /// Runs an event of the scenario.
    package func trigger(_ event: String) async throws { try await simulator.trigger(event) }
    /// Lets a fault of the scenario hold.
    package func enable(_ fault: String) async { await simulator.setFault(fault, isEnabled: true) }
    /// Takes all faults of the scenario back.
    package func clearFaults() async { await simulator.clearFaults() }
    /// How many calls a fault of the scenario was applied to; all faults without a name.
    package func faultsApplied(_ name: String? = nil) async -> Int { await simulator.faultsApplied(name) }
    /// When bluetoothd received the calls of a method, oldest first.
    package func times(of member: String) async -> [ContinuousClock.Instant] {
        await simulator.calls(of: member).map(\.time)
    }
    /// The last filter of a discovery: texts and flags by their keys.
    package func discoveryFilter() async -> [String: String] {
        guard
            case .dictionary(_, _, let entries)? = await simulator.calls(of: "SetDiscoveryFilter").last?.arguments.first
        else { return [:] }
        var filter: [String: String] = [:]
        for entry in entries {
            guard case .string(let key) = entry.key else { continue }
            switch entry.value.unwrapped {
            case .string(let text): filter[key] = text
            case .bool(let flag): filter[key] = "\(flag)"
            default: filter[key] = entry.value.unwrapped.signature
            }
        }
        return filter
    }

    // MARK: What can be seen

    package func isConnected(_ device: TestDevice, adapter: Int = 0) async -> Bool {
        await simulator.isConnected(device.address, adapter: adapter)
    }
    package func isSubscribed(_ device: TestDevice, _ characteristic: String, adapter: Int = 0) async -> Bool {
        await simulator.isSubscribed(device.address, characteristic, adapter: adapter)
    }
    /// How many calls of a method bluetoothd has received.
    package func count(of member: String) async -> Int { await simulator.count(of: member) }
    /// Waits until bluetoothd has received that many calls of a method.
    package func waitForCalls(of member: String, count: Int = 1) async {
        await simulator.waitForCalls(of: member, count: count)
        Lag.take()
    }
    /// The paths of the objects for which a method was called, oldest first.
    package func paths(of member: String) async -> [String] {
        await simulator.calls(of: member).map(\.path.text)
    }

    /// The calls of some methods in the order of their coming: the method, and the path behind the adapter's.
    package func order(of members: Set<String>) async -> [String] {
        await simulator.calls().filter { members.contains($0.member) }.map { call in
            "\(call.member) \(call.path.text.dropFirst("/org/bluez/hci0/".count))"
        }
    }

    /// What bluetoothd was asked to write to a characteristic.
    package struct Write: Equatable, Sendable {
        package let path: String
        package let bytes: [UInt8]
        /// The option `type`.
        package let type: String?
    }

    /// All that was written, oldest first.
    package func writes() async -> [Write] {
        await simulator.calls(of: "WriteValue").map { call in
            var bytes: [UInt8] = []
            var type: String?
            for argument in call.arguments {
                if case .bytes(let value) = argument { bytes = value }
                guard case .dictionary(_, _, let entries) = argument else { continue }
                for entry in entries where entry.key == .string("type") {
                    if case .variant(.string(let text)) = entry.value { type = text }
                }
            }
            return Write(path: call.path.text, bytes: bytes, type: type)
        }
    }
}

/// Runs a test in a world of its own.
package func withAgentWorld<Value>(
    _ options: AgentWorld.Options = AgentWorld.Options(),
    _ body: (AgentWorld) async throws -> Value
) async throws -> Value {
    if let scenario = options.scenario {
        let adapter = scenario.adapters.first ?? AdapterModel(devices: [])
        return try await withSimulator(scenario: scenario) { bus, simulator in
            try await body(AgentWorld(bus: bus, simulator: simulator, adapter: adapter))
        }
    }
    var settings = SimulatorSettings()
    settings.attDelay = options.attDelay
    settings.resolveDelay = options.resolveDelay
    let adapter = AdapterModel(isPowered: options.isPowered, devices: (options.devices ?? []).map(\.model))
    let adapters = options.devices == nil ? [] : [adapter]
    return try await withSimulator(adapters: adapters, settings: settings, policy: options.policy) { bus, simulator in
        if !options.hasBluez { await simulator.leaveBus() }
        return try await body(AgentWorld(bus: bus, simulator: simulator, adapter: adapter))
    }
}
