internal import DBus

/// Which adapters are used, and which one for what.
extension BluetoothManager {
    /// The adapters to use that are there, by name.
    var usedAdapters: [AdapterRecord] { tree.adapters.values.filter(isUsed).sorted { $0.name < $1.name } }

    /// Whether one of the adapters to use is on.
    var isAnyAdapterOn: Bool { tree.adapters.values.contains { $0.powered && isUsed($0) } }

    /// The adapter of what needs none in particular: the first that is on.
    var chosenAdapter: AdapterRecord? {
        let used = usedAdapters
        return used.first { $0.powered } ?? used.first
    }

    /// Whether the configuration wants an adapter used.
    ///
    /// One that is meant by its name and was pulled out is still meant when it has another number, unless another
    /// adapter has its name by then.
    func isUsed(_ adapter: AdapterRecord) -> Bool {
        let wanted = configuration.adapters
        if wanted.isEmpty || wanted.contains(.name(adapter.name)) { return true }
        guard let address = adapter.address else { return false }
        if wanted.contains(.address(address)) { return true }
        guard let former = formerNames[address] else { return false }
        return !tree.adapters.values.contains { $0.name == former }
    }

    /// Notes the name by which the configuration means an adapter that has come.
    func noteName(of adapter: AdapterRecord) {
        guard let address = adapter.address, configuration.adapters.contains(.name(adapter.name)) else { return }
        formerNames[address] = adapter.name
    }

    /// The name by which an adapter is known for good: its address, unless a twin has the same one, as cheap adapters
    /// do.
    func id(of adapter: AdapterRecord) -> AdapterID {
        guard let address = adapter.address, address.rawValue != 0 else { return .name(adapter.name) }
        let isShared = tree.adapters.values.contains { $0.address == address && $0.path != adapter.path }
        return isShared ? .name(adapter.name) : .address(address)
    }

    /// An adapter by its name, if it is there and to be used.
    func usedAdapter(_ name: AdapterName) -> AdapterRecord? {
        tree.adapters.values.first { $0.name == name && isUsed($0) }
    }

    /// The failure that the present state means for an operation; nil when Bluetooth is ready.
    var unavailability: BleFailure? { unavailability(of: nil) }

    /// The failure that the present state means for an operation that names an adapter, or none.
    func unavailability(of name: AdapterName?) -> BleFailure? {
        switch state {
        case .absent: return BleFailure(.bluetoothUnavailable, at: .adapter, detail: "bluetoothd is not on the bus")
        case .notResponding:
            return BleFailure(.bluetoothUnavailable, at: .adapter, detail: "bluetoothd does not answer")
        case .denied: return BleFailure(.unauthorized, at: .adapter, detail: "the bus refuses this user")
        case .noAdapter where name == nil:
            let wanted = configuration.adapters.map(\.description).joined(separator: ", ")
            let detail = "BlueZ has no such adapter: \(wanted.isEmpty ? "an adapter" : wanted)"
            return BleFailure(.adapterMissing, at: .adapter, detail: detail)
        case .ready where name == nil: return nil
        case .ready, .off, .blocked, .noAdapter: break
        }
        guard let adapter = name.map(usedAdapter) ?? chosenAdapter else {
            let named = name.map { name in tree.adapters.values.contains { $0.name == name } } ?? false
            let detail = named ? "is not one of the adapters to use" : "is not there"
            return BleFailure(.adapterMissing, at: .adapter, detail: "\(name?.text ?? "an adapter") \(detail)")
        }
        if adapter.powered { return nil }
        return isBlocked(adapter)
            ? BleFailure(.adapterBlocked, at: .adapter, detail: "rfkill blocks \(adapter.name)")
            : BleFailure(.adapterOff, at: .adapter, detail: "\(adapter.name) is off")
    }

    /// Waits for a start that is under way, then fails when there is no adapter of that name.
    func requireAdapter(_ name: AdapterName, _ scope: OperationScope) async throws {
        if isStarting { try await wait(scope) { self.isStarting ? nil : .success(()) } }
        if let failure = unavailability(of: name), failure.kind == .adapterMissing { throw failure }
    }

    // MARK: Which one for a device

    /// The object to use for a device: the one that has the link; else of an adapter that is on, bonded rather than
    /// not, the one that heard it strongest.
    ///
    /// A bond holds at one adapter alone. Of a device whose private address changes only the objects of its present
    /// address count.
    ///
    /// - Parameters:
    ///   - address: the device.
    ///   - adapter: the only one that counts; nil: all that are used.
    /// - Returns: its path; nil when BlueZ does not know the device.
    func bestObject(of address: DeviceAddress, on adapter: AdapterName? = nil) -> ObjectPath? {
        guard let paths = tree.paths[tree.name(of: address)] else { return nil }
        // Asked several times an operation; most devices have one object.
        if paths.count == 1, adapter == nil, configuration.adapters.isEmpty { return paths[0] }
        var usable = paths.compactMap { tree.devices[$0] }.filter { device in
            if let adapter, device.adapter != adapter { return false }
            return configuration.adapters.isEmpty || tree.adapters[device.path.parent].map(isUsed) ?? true
        }
        if usable.count < 2 { return usable.first?.path }
        if let linked = usable.first(where: { $0.connected }) { return linked.path }
        let latest = usable.map(\.advertisement.lastHeard).max() ?? 0
        if usable.contains(where: { $0.advertisement.via != nil }) {
            let present = usable.first { $0.advertisement.lastHeard == latest }?.pathAddress
            usable.removeAll { $0.pathAddress != present }
        }
        return usable.max { rank($0, latest) < rank($1, latest) }?.path
    }

    private func rank(_ device: DeviceRecord, _ latest: Int64) -> (Int, Int, Int) {
        let isOn = tree.adapters[device.path.parent]?.powered == true
        let heard = device.advertisement
        // How strong it once was says nothing beside what another adapter hears now.
        let isPresent = heard.signals > 0 && heard.lastHeard >= latest - 30_000
        return (isOn ? 1 : 0, device.paired || device.bonded ? 1 : 0, isPresent ? heard.rssi ?? -128 : -256)
    }

    /// Takes the subscriptions over that a device had through another adapter, or through this one under another name.
    func adoptSubscriptions(to path: ObjectPath) {
        guard let record = tree.devices[path] else { return }
        for (place, notifier) in notifiers where notifier.address == record.address && !place.isWithin(path) {
            guard let adapter = BluezPath(place)?.adapter, adapter != record.adapter, !notifier.isStarting,
                let former = BluezPath.device(of: place), tree.devices[former]?.connected != true,
                let new = ObjectPath(path.text + place.text.dropFirst(former.text.count)), notifiers[new] == nil
            else { continue }
            notifiers[place] = nil
            notifier.started = false
            notifiers[new] = notifier
        }
    }

    /// The adapter that an operation with a device uses; nil when there is none.
    package func adapter(for address: DeviceAddress, on name: AdapterName? = nil) -> AdapterName? {
        name ?? bestObject(of: address).flatMap { tree.devices[$0]?.adapter } ?? chosenAdapter?.name
    }

    /// The same, by the name that an adapter has for good.
    package func adapterID(for address: DeviceAddress, on name: AdapterName? = nil) -> AdapterID? {
        // Asked twice a job; most gateways have one.
        if tree.adapters.count == 1, let only = tree.adapters.values.first, isUsed(only),
            name == nil || name == only.name
        {
            return id(of: only)
        }
        guard let name = adapter(for: address, on: name) else { return nil }
        return tree.adapters.values.first { $0.name == name }.map(id) ?? .name(name)
    }
}
