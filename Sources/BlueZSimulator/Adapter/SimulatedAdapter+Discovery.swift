internal import DBus

/// The discovery: sessions of clients, one scan for all of them.
extension SimulatedAdapter {
    private var running: [DiscoverySession] { sessions.filter(\.isRunning) }

    /// Whether every client has a filter; one without hears everything discoverable.
    private var isFiltered: Bool { running.allSatisfy { $0.filter != nil } }

    /// Whether anything on the air is listened to.
    var isListening: Bool { isPowered && (isDiscovering || monitors?.isListening == true) }

    /// Brings the devices around in line with whether they are heard.
    func updateHearing() {
        for peripheral in peripherals.values.sorted(by: { $0.model.address < $1.model.address }) {
            peripheral.setHeard(isListening)
        }
    }

    func startDiscovery(_ call: IncomingCall) throws(BluezError) {
        guard isPowered else { throw .notReady }
        if let index = sessions.firstIndex(where: { $0.sender == call.sender }) {
            guard !sessions[index].isRunning else { throw .busy }
            sessions[index].isRunning = true
        } else {
            sessions.append(DiscoverySession(sender: call.sender, isRunning: true))
        }
        call.reply()
        guard !isDiscovering else { return }
        isDiscovering = true
        scanStart = .now
        reported = [:]
        announce("Discovering")
        updateHearing()
    }

    func stopDiscovery(_ call: IncomingCall) throws(BluezError) {
        guard isPowered else { throw .notReady }
        guard let index = sessions.firstIndex(where: { $0.sender == call.sender && $0.isRunning }) else {
            throw .failed("No discovery started")
        }
        call.reply()
        sessions[index].isRunning = false
        // A filter is kept for the client's next discovery; a session without one is nothing to keep.
        if sessions[index].filter == nil { sessions.remove(at: index) }
        stopScanIfUnwanted()
    }

    func setDiscoveryFilter(_ call: IncomingCall) throws(BluezError) {
        guard isPowered else { throw .notReady }
        let filter = try DiscoveryFilter.parse(call.arguments.first)
        if let index = sessions.firstIndex(where: { $0.sender == call.sender }) {
            sessions[index].filter = filter
            if filter == nil, !sessions[index].isRunning { sessions.remove(at: index) }
        } else if let filter {
            sessions.append(DiscoverySession(sender: call.sender, filter: filter))
        }
        call.reply()
    }

    /// A client has left the bus, and with it its session and its filter.
    func endDiscovery(of sender: String) {
        sessions.removeAll { $0.sender == sender }
        stopScanIfUnwanted()
    }

    /// All sessions end; the signal goes out even if there were none.
    func discoveryEndsWithPower() {
        sessions = []
        endScan()
    }

    private func stopScanIfUnwanted() {
        if isDiscovering, running.isEmpty { endScan() }
    }

    private func endScan() {
        for device in found {
            device.isFound = false
            device.forgetRSSI()
        }
        found = []
        // What cannot be connected to is of no use beyond the discovery.
        for device in sortedDevices where device.isTemporary && !device.lastSeenConnectable { remove(device) }
        isDiscovering = false
        updateHearing()
        announce("Discovering")
    }

    /// An advertisement has been received.
    func heard(_ peripheral: Peripheral, _ advertisement: ReceivedAdvertisement) {
        guard isDiscovering, admits(peripheral.model, advertisement) else {
            return heardPassively(peripheral, advertisement)
        }
        let wantsDuplicates = running.contains { $0.filter?.wantsDuplicates ?? false }
        guard reports(peripheral, advertisement) || wantsDuplicates else { return }
        guard let device = devices[peripheral.model.address] ?? makeDevice(peripheral) else { return }
        device.lastSeenConnectable = peripheral.model.advertisement.isConnectable
        device.restartTemporaryTimer()
        device.take(advertisement, rssiThreshold: isFiltered ? 0 : 8, wantsDuplicates: wantsDuplicates)
        if !device.isFound {
            device.isFound = true
            found.insert(device, at: 0)
        }
    }

    /// An advertisement has been received that no discovery is for.
    private func heardPassively(_ peripheral: Peripheral, _ advertisement: ReceivedAdvertisement) {
        guard isListening, let monitors else { return }
        var known: SimulatedDevice?
        _ = monitors.hears(advertisement.structures(peripheral.model.advertisement)) {
            if let known { return known.path }
            guard let device = devices[peripheral.model.address] ?? makeDevice(peripheral) else { return nil }
            known = device
            device.lastSeenConnectable = peripheral.model.advertisement.isConnectable
            device.restartTemporaryTimer()
            device.take(advertisement, rssiThreshold: 0, wantsDuplicates: true)
            return device.path
        }
    }

    /// Controllers keep what they have reported to themselves until it changes or the scan is started anew, which
    /// happens every 15 s: 10.24 s of scanning, 5 s of rest.
    private func reports(_ peripheral: Peripheral, _ advertisement: ReceivedAdvertisement) -> Bool {
        let period = Int((.now - scanStart) / .milliseconds(15_240))
        let address = peripheral.model.address
        if let last = reported[address], last.period == period, last.content == advertisement.content { return false }
        reported[address] = (period, advertisement.content)
        return true
    }

    private func admits(_ model: DeviceModel, _ heard: ReceivedAdvertisement) -> Bool {
        guard isFiltered || model.advertisement.isDiscoverable else { return false }
        return running.contains { session in
            session.filter?.admits(model.advertisement, address: model.address, rssi: heard.rssi) ?? true
        }
    }
}
