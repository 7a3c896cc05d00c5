package import DBus
package import EventLoop

/// A simulated bluetoothd on a message bus, with devices around it.
///
/// It answers on the loop by itself; the methods here are what the real world would do: power, radio, unplugging.
package actor Simulator {
    package static let busName = "org.bluez"

    /// Why a simulator could not take its place on the bus.
    package enum Failure: Error, Equatable {
        /// Another program owns `org.bluez`.
        case nameTaken
    }

    private struct Presence {
        let connection: DBusConnection
        let daemon: SimulatedDaemon
    }

    package nonisolated let loop: EventLoop
    private let bus: BusAddress
    private let worker: Worker
    private let settings: SimulatorSettings
    private let onEnd: @Sendable () -> Void
    private var models: [AdapterModel]
    private var presence: Presence?
    private var log = CallLog()
    private var refusals: [String: [BluezError]] = [:]
    private var callWaiters: [(member: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(
        bus: BusAddress,
        adapters: [AdapterModel],
        settings: SimulatorSettings,
        loop: EventLoop,
        worker: Worker,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.bus = bus
        self.loop = loop
        self.worker = worker
        self.settings = settings
        self.onEnd = onEnd
        models = adapters
    }

    /// Takes `org.bluez` on a bus and answers from then on.
    ///
    /// - Parameters:
    ///   - bus: where.
    ///   - adapters: each with the devices around it.
    ///   - settings: times and the seed.
    ///   - loop: what the simulator runs on.
    ///   - worker: for connecting.
    ///   - onEnd: called on the loop when the bus has ended the connection.
    /// - Returns: the simulator, which answers from now on.
    /// - Throws: `Failure.nameTaken`, or `DBusFailure`.
    package static func start(
        on bus: BusAddress,
        adapters: [AdapterModel],
        settings: SimulatorSettings = SimulatorSettings(),
        loop: EventLoop,
        worker: Worker,
        onEnd: @escaping @Sendable () -> Void = {}
    ) async throws -> Simulator {
        let simulator = Simulator(
            bus: bus,
            adapters: adapters,
            settings: settings,
            loop: loop,
            worker: worker,
            onEnd: onEnd
        )
        try await simulator.returnToBus()
        return simulator
    }

    // MARK: The bus

    /// Leaves the bus as a daemon that was killed: links end, nothing is signalled but the loss of the name.
    package func leaveBus() async {
        guard let presence else { return }
        self.presence = nil
        presence.daemon.dispose()
        await presence.connection.close()
    }

    /// Comes (back) to the bus, with nothing but the adapters known.
    ///
    /// - Throws: `Failure.nameTaken`, or `DBusFailure`.
    package func returnToBus() async throws {
        guard presence == nil else { return }
        let connection = try await DBusConnection.open(bus, on: loop, worker: worker)
        let daemon = SimulatedDaemon(loop: loop, settings: settings) { message in
            // The connection is on this very loop; when it has ended nobody listens any more.
            connection.assumeIsolated { connection in
                do { try connection.send(message) } catch { return }
            }
        }
        for model in models { daemon.add(model) }
        // What is there at the start is no news.
        daemon.tree.forgetPending()
        presence = Presence(connection: connection, daemon: daemon)
        await connection.setHandler(
            { [weak self] message in self?.assumeIsolated { $0.receive(message) } },
            onDisconnect: { [weak self] in self?.assumeIsolated { $0.disconnected() } }
        )
        do {
            try await connection.addMatch(
                MatchRule(sender: BusNames.bus, interface: BusNames.bus, member: "NameOwnerChanged")
            )
            guard try await connection.requestName(Self.busName) else { throw Failure.nameTaken }
        } catch {
            await leaveBus()
            throw error
        }
    }

    private func receive(_ message: DBusMessage) {
        guard let daemon = presence?.daemon else { return }
        if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged") {
            if message.sender == BusNames.bus, let name = Self.departed(message) { daemon.clientLeft(name) }
            return
        }
        guard message.kind == .methodCall, let call = IncomingCall(message, tree: daemon.tree) else { return }
        log.append(call)
        if let refusal = nextRefusal(of: call.member) { call.fail(refusal) } else { daemon.handle(call) }
        wakeCallWaiters()
    }

    private func nextRefusal(of member: String) -> BluezError? {
        guard let waiting = refusals[member], !waiting.isEmpty else { return nil }
        return refusals[member]?.removeFirst()
    }

    private func disconnected() {
        guard let presence else { return }
        self.presence = nil
        presence.daemon.dispose()
        onEnd()
    }

    /// The unique name of a connection that has gone.
    private static func departed(_ signal: DBusMessage) -> String? {
        do throws(DBusFailure) {
            var reader = signal.reader()
            let name = try reader.string()
            reader.skip()
            let owner = try reader.string()
            return name.hasPrefix(":") && owner.isEmpty ? name : nil
        } catch {
            return nil
        }
    }

    // MARK: The world

    /// Switches an adapter, as `rfkill` or a person does it: signals without a call.
    package func setPowered(_ on: Bool, adapter: Int = 0) {
        presence?.daemon.adapters[adapter]?.setPowered(on) {}
    }

    /// Plugs an adapter in; false when there is one of that number.
    @discardableResult
    package func addAdapter(_ model: AdapterModel) -> Bool {
        guard !models.contains(where: { $0.index == model.index }) else { return false }
        models.append(model)
        return presence?.daemon.add(model) ?? true
    }

    /// Pulls an adapter out.
    package func removeAdapter(_ index: Int = 0) {
        models.removeAll { $0.index == index }
        presence?.daemon.removeAdapter(index)
    }

    /// Brings a device into reach of an adapter.
    package func addDevice(_ device: DeviceModel, adapter index: Int = 0) {
        guard let position = models.firstIndex(where: { $0.index == index }) else { return }
        models[position].devices.append(device)
        presence?.daemon.adapters[index]?.addPeripheral(device)
    }

    /// Takes a device away for good; its link ends.
    package func removeDevice(_ address: String, adapter index: Int = 0) {
        guard let position = models.firstIndex(where: { $0.index == index }) else { return }
        models[position].devices.removeAll { $0.address == address }
        presence?.daemon.adapters[index]?.removePeripheral(address)
    }

    /// Takes a device out of reach: its link ends, it is no longer heard and answers nobody; or brings it back.
    package func setReachable(_ reachable: Bool, _ address: String, adapter: Int = 0) {
        guard let adapter = presence?.daemon.adapters[adapter] else { return }
        adapter.peripherals[address]?.setOnAir(reachable)
        if !reachable { adapter.devices[address]?.linkDown() }
    }

    /// Ends a device's link from the other side.
    package func dropLink(_ address: String, adapter: Int = 0) {
        presence?.daemon.adapters[adapter]?.devices[address]?.linkDown()
    }

    /// Has a device notify a value, if anybody has asked for notifications.
    package func notify(_ address: String, _ characteristic: String, _ bytes: [UInt8], adapter: Int = 0) {
        guard let peripheral = presence?.daemon.adapters[adapter]?.peripherals[address] else { return }
        let uuid = LongUUID.text(characteristic)
        let target = peripheral.layout.characteristics.first { $0.model.uuid == uuid }
        if let target { peripheral.notify(target.valueHandle, bytes) }
    }

    /// Has a device notify a value of the characteristic at a handle, if anybody has asked for notifications.
    package func notify(_ address: String, handle: UInt16, _ bytes: [UInt8], adapter: Int = 0) {
        guard let peripheral = presence?.daemon.adapters[adapter]?.peripherals[address] else { return }
        let target = peripheral.layout.characteristics.first { $0.handle == handle }
        if let target { peripheral.notify(target.valueHandle, bytes) }
    }

    /// Gives a device another name, as bluetoothd does when it has read one over the link.
    package func rename(_ address: String, _ name: String, adapter: Int = 0) {
        presence?.daemon.adapters[adapter]?.devices[address]?.rename(name)
    }

    /// Takes a service of a device from the bus, or brings it back, as bluetoothd does when the device says so.
    package func setService(_ address: String, _ uuid: String, present: Bool, adapter: Int = 0) {
        presence?.daemon.adapters[adapter]?.devices[address]?.setService(uuid, present: present)
    }

    /// Has bluetoothd say something else of the MTU of a device's link, and announce it.
    package func tellMTU(_ address: String, _ told: DeviceModel.ToldMTU, adapter: Int = 0) {
        presence?.daemon.adapters[adapter]?.devices[address]?.tellMTU(told)
    }

    /// Has the next call of a member fail with an error instead of doing anything; one call for each error given.
    package func refuse(_ member: String, with error: BluezError) { refusals[member, default: []].append(error) }

    // MARK: What can be seen

    /// Whether a device has a link.
    package func isConnected(_ address: String, adapter: Int = 0) -> Bool {
        presence?.daemon.adapters[adapter]?.devices[address]?.isConnected ?? false
    }

    /// Whether a device was asked to notify a characteristic.
    package func isSubscribed(_ address: String, _ characteristic: String, adapter: Int = 0) -> Bool {
        guard let peripheral = presence?.daemon.adapters[adapter]?.peripherals[address] else { return false }
        let uuid = LongUUID.text(characteristic)
        return peripheral.layout.characteristics.contains {
            $0.model.uuid == uuid && peripheral.isSubscribed($0.valueHandle)
        }
    }

    /// The paths of all objects on the bus.
    package var objectPaths: [ObjectPath] { presence?.daemon.tree.paths ?? [] }

    /// The last calls received, oldest first: of one member, or all.
    ///
    /// At least 10,000 are kept.
    package func calls(of member: String? = nil) -> [ReceivedCall] {
        member.map { name in log.calls.filter { $0.member == name } } ?? log.calls
    }

    /// How many calls of a member there were.
    package func count(of member: String) -> Int { log.counts[member, default: 0] }

    /// Waits until that many calls of a member have been received.
    package func waitForCalls(of member: String, count: Int = 1) async {
        guard self.count(of: member) < count else { return }
        await withCheckedContinuation { callWaiters.append((member, count, $0)) }
    }

    private func wakeCallWaiters() {
        guard !callWaiters.isEmpty else { return }
        let due = callWaiters.filter { log.counts[$0.member, default: 0] >= $0.count }
        callWaiters.removeAll { log.counts[$0.member, default: 0] >= $0.count }
        for waiter in due { waiter.continuation.resume() }
    }
}
