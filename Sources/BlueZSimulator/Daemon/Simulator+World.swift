package import DBus

/// What the real world does, and what can be seen of it.
extension Simulator {
    /// Switches an adapter, as `rfkill` or a person does it: signals without a call.
    package func setPowered(_ on: Bool, adapter: Int = 0) {
        presence?.daemon.adapters[adapter]?.setPowered(on) {}
    }

    /// rfkill takes an adapter, which switches it off, or lets it go, which leaves it off.
    package func setBlocked(_ blocked: Bool, adapter index: Int = 0) {
        if let position = models.firstIndex(where: { $0.index == index }) { models[position].isBlocked = blocked }
        presence?.daemon.adapters[index]?.setBlocked(blocked)
    }

    /// Plugs an adapter in; false when there is one of that number.
    @discardableResult
    package func addAdapter(_ model: AdapterModel) -> Bool { addAdapter(model, stored: [:]) }

    func addAdapter(_ model: AdapterModel, stored: [String: StoredDevice]) -> Bool {
        guard !models.contains(where: { $0.index == model.index }) else { return false }
        models.append(model)
        return presence?.daemon.add(model, stored: stored, isPlugged: true) ?? true
    }

    /// Pulls an adapter out.
    package func removeAdapter(_ index: Int = 0) {
        let model = models.first { $0.index == index }
        models.removeAll { $0.index == index }
        let stored = presence?.daemon.removeAdapter(index) ?? [:]
        if let model { unplugged[index] = (model, stored) }
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
}
