internal import DBus

extension BluetoothManager {
    func deviceAdded(_ path: ObjectPath) {
        guard let record = tree.devices[path] else { return }
        // A device that is connected already: another program's link, or one of ours from an earlier life.
        if record.connected { refreshLink(record.address) }
        if record.advertisement.signals > 0 { heard(by: record.adapterPath) }
        if record.advertisement.signals > 0 { reports.send(record.advertisement) }
        links[record.address]?.poke()
    }

    func deviceChanged(_ record: DeviceRecord, _ parts: DeviceRecord.Parts) {
        if !parts.isDisjoint(with: [.connected, .servicesResolved]) { refreshLink(record.address) }
        if parts.contains(.bond) && record.paired || parts.contains(.connected) && !record.connected {
            endPrompts(of: record.address)
        }
        if parts.contains(.name) { events.send(.name(record.address, record.advertisement.name)) }
        if parts.contains(.bond) { events.send(.bond(record.address, paired: record.paired)) }
        if parts.contains(.heard) { heard(by: record.adapterPath) }
        if parts.contains(.heard), !reports.isEmpty { reports.send(record.advertisement) }
        links[record.address]?.poke()
    }

    func deviceRemoved(_ record: DeviceRecord) {
        subscriptionsLost(below: record)
        endPrompts(of: record.address)
        if links[record.address] != nil { refreshLink(record.address, reason: "device-removed") }
        // Only while bluetoothd is there: what it takes with it is no end of a bond.
        if loaded, record.paired, !isPaired(record.address) { events.send(.bond(record.address, paired: false)) }
        if tree.paths[record.address] == nil { events.send(.removed(record.address)) }
        if let link = links[record.address] {
            if tree.paths[record.address] == nil { link.objectGone() }
            link.poke()
            if link.isIdle { links[record.address] = nil }
        }
    }

    private func isPaired(_ address: DeviceAddress) -> Bool {
        (tree.paths[address] ?? []).contains { tree.devices[$0]?.paired == true }
    }

    func attributesChanged(_ path: ObjectPath) {
        guard let record = tree.devices[path], let link = links[record.address] else { return }
        if record.servicesResolved { events.send(.services(record.address)) }
        link.poke()
    }

    /// Brings the published state of a link in line with what BlueZ says.
    ///
    /// While an operation of ours makes the link, the operation itself tells when it stands: BlueZ shows a link for a
    /// moment even where making it fails.
    func refreshLink(_ address: DeviceAddress, reason: String? = nil) {
        let link = link(address)
        let record = bestObject(of: address).flatMap { tree.devices[$0] }
        guard !link.connecting else { return }
        guard let record, record.connected else {
            if link.state.phase != .disconnected {
                let word = link.state.phase == .disconnecting ? "local" : reason ?? "link-lost"
                link.ours = false
                setLink(link, .disconnected, reason: owner == nil ? "bluetooth-unavailable" : word)
            }
            return
        }
        if link.state.phase == .disconnecting { return }
        if link.state.phase == .disconnected || link.state.phase == .connecting, adoptable.remove(link.address) != nil {
            link.ours = true
        }
        setLink(link, record.servicesResolved ? .resolved : .connected, reason: nil)
    }

    /// Sets and tells the state of a link, when it is another than before.
    func setLink(_ link: Link, _ phase: LinkState.Phase, reason: String?, attempt: Int? = nil) {
        var state = LinkState()
        state.phase = phase
        state.reason = reason
        state.attempt = attempt
        if phase != .disconnected, phase != .connecting {
            state.owner = link.ours ? .`self` : .other
            let record = bestObject(of: link.address).flatMap { tree.devices[$0] }
            state.mtu = record?.attributes.mtu
            state.adapter = record?.adapter
        }
        state.since = link.state.since
        guard state != link.state else { return }
        if state.phase != link.state.phase { state.since = WallClock.now() }
        link.state = state
        events.send(.link(link.address, state))
    }
}
