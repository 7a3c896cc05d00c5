internal import DBus
internal import EventLoop

/// Scenarios: events on demand, faults while it runs, and what their steps do.
extension Simulator {
    /// Runs a named event of the scenario; its waits go on behind the call.
    ///
    /// - Throws: `Failure.unknownEvent`.
    package func trigger(_ event: String) throws(Failure) {
        guard runner.trigger(event) else { throw .unknownEvent(event) }
    }

    /// Runs steps that answer no call.
    package func perform(_ steps: [ScenarioStep]) { runner.run(steps) }

    /// Adds a fault that goes before all others; one of the same name is replaced.
    package func addFault(_ fault: Fault) { runner.faults.add(fault) }

    /// Switches a fault; its calls are counted anew.
    ///
    /// - Returns: whether there is one of that name.
    @discardableResult
    package func setFault(_ name: String, isEnabled: Bool) -> Bool { runner.faults.set(name, isEnabled: isEnabled) }

    /// Takes a fault back.
    ///
    /// - Returns: whether there was one of that name.
    @discardableResult
    package func removeFault(_ name: String) -> Bool { runner.faults.remove(name) }

    /// Takes all faults back.
    package func clearFaults() { runner.faults.removeAll() }

    /// How many calls a fault was applied to; of all faults together without a name.
    package func faultsApplied(_ name: String? = nil) -> Int {
        runner.faults.entries.filter { name == nil || $0.fault.name == name }.reduce(0) { $0 + $1.applied }
    }

    // MARK: What steps do

    /// Comes back to the bus beside the present step.
    func comeBack() {
        // The one task of its kind: connecting blocks, and the step that asked for it cannot wait.
        Task(executorPreference: loop) {
            do {
                try await self.returnToBus()
            } catch {
                // No bus, or another bluetoothd on it: the steps go on without.
            }
            await self.goOn()
        }
    }

    private func goOn() { runner.returned() }

    /// Sends a signal that is made up; nothing when the object cannot be told.
    func send(_ signal: ScenarioStep.RawSignal, called: ObjectPath?) {
        guard let presence, let path = path(of: signal.object, called: called) else { return }
        let changed = signal.changed.map { ($0.name, $0.value) }
        presence.daemon.tree.announce(path, signal.interface, changed, signal.invalidated)
    }

    func happen(_ event: WorldEvent, called: ObjectPath?) {
        switch event {
        case .link(let target): object(target, called)?.linkUp()
        case .drop(let target): object(target, called, isKnown: true)?.linkDown()
        case .resolve(let target): object(target, called, isKnown: true)?.resolve()
        case .vanish(let target):
            guard let device = object(target, called, isKnown: true) else { return }
            device.adapter.remove(device)
        case .appear(let target, let adapter): appear(target, adapter: adapter, called: called)
        case .reach(let target, let isReachable):
            guard let (address, adapter) = find(target, called) else { return }
            setReachable(isReachable, address, adapter: adapter)
        case .advertise(let target, let isOn): advertise(target, isOn, called: called)
        case .notify(let target, let characteristic, let value):
            guard let (address, adapter) = find(target, called) else { return }
            notify(address, characteristic, value, adapter: adapter)
        case .loseKeys(let target):
            guard let (address, adapter) = find(target, called) else { return }
            presence?.daemon.adapters[adapter]?.peripherals[address]?.isPaired = false
        case .pair(let target): object(target, called, isKnown: true)?.pairUnasked()
        case .type(let target, let passkey): object(target, called, isKnown: true)?.type(passkey)
        case .forgetRSSI(let target): object(target, called, isKnown: true)?.forgetRSSI()
        case .power(let adapter, let isOn): setPowered(isOn, adapter: adapter)
        case .block(let adapter, let isOn): setBlocked(isOn, adapter: adapter)
        case .unplug(let adapter): removeAdapter(adapter)
        case .plug(let adapter, let number): plug(adapter, as: number)
        case .leaveBus: leaveBus()
        case .killBus: killBus()
        case .stopBus: stopBus()
        // Only the runner knows what waits for it.
        case .returnToBus: comeBack()
        }
    }

    private func appear(_ target: DeviceTarget, adapter number: Int?, called: ObjectPath?) {
        guard let (address, adapter) = find(target, called) else { return }
        let destination = number ?? adapter
        if destination != adapter { move(address, from: adapter, to: destination) }
        guard let adapter = presence?.daemon.adapters[destination], adapter.devices[address] == nil,
            let peripheral = adapter.peripherals[address]
        else { return }
        adapter.restore(peripheral)
    }

    private func move(_ address: String, from old: Int, to new: Int) {
        guard let model = models.first(where: { $0.index == old })?.devices.first(where: { $0.address == address }),
            models.contains(where: { $0.index == new })
        else { return }
        removeDevice(address, adapter: old)
        if let adapter = presence?.daemon.adapters[old], let device = adapter.devices[address] {
            adapter.remove(device)
        }
        addDevice(model, adapter: new)
    }

    private func advertise(_ target: DeviceTarget?, _ isOn: Bool, called: ObjectPath?) {
        guard let target else {
            for adapter in presence?.daemon.adapters.values.map(\.self) ?? [] {
                for peripheral in adapter.peripherals.values { peripheral.setAdvertising(isOn) }
            }
            return
        }
        guard let (address, adapter) = find(target, called) else { return }
        presence?.daemon.adapters[adapter]?.peripherals[address]?.setAdvertising(isOn)
    }

    private func plug(_ number: Int, as new: Int) {
        guard let known = unplugged[number], !models.contains(where: { $0.index == new }) else { return }
        unplugged[number] = nil
        var model = known.model
        model.index = new
        _ = addAdapter(model, stored: known.stored)
    }

    // MARK: What steps are about

    /// The address of a target and the adapter that has the device around it.
    private func find(_ target: DeviceTarget, _ called: ObjectPath?) -> (address: String, adapter: Int)? {
        switch target {
        case .called:
            let elements = called?.text.split(separator: "/") ?? []
            guard elements.count > 3, elements[2].hasPrefix("hci"), let adapter = Int(elements[2].dropFirst(3)),
                elements[3].hasPrefix("dev_")
            else { return nil }
            return (elements[3].dropFirst(4).map { $0 == "_" ? ":" : String($0) }.joined(), adapter)
        case .address(let address):
            let owner = models.first { $0.devices.contains { $0.address == address } }
            return owner.map { (address, $0.index) }
        }
    }

    /// A target's object; made when the device is only on the air, unless it has to be known.
    private func object(_ target: DeviceTarget, _ called: ObjectPath?, isKnown: Bool = false) -> SimulatedDevice? {
        guard let (address, index) = find(target, called), let adapter = presence?.daemon.adapters[index] else {
            return nil
        }
        if let device = adapter.devices[address] { return device }
        guard !isKnown, let peripheral = adapter.peripherals[address] else { return nil }
        return adapter.restore(peripheral)
    }

    private func path(of place: ScenarioStep.Place, called: ObjectPath?) -> ObjectPath? {
        switch place {
        case .called: return called
        case .path(let path): return path
        case .device(let target):
            guard let (address, adapter) = find(target, called) else { return nil }
            let name = address.map { $0 == ":" ? "_" : String($0) }.joined()
            return ObjectPath("/org/bluez/hci\(adapter)/dev_\(name)")
        case .characteristic(let uuid, let target):
            return object(target, called, isKnown: true)?.characteristics.first { $0.layout.model.uuid == uuid }?.path
        }
    }
}
