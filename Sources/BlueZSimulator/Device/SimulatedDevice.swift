internal import DBus
internal import EventLoop

/// `org.bluez.Device1`: what the daemon knows of one device.
final class SimulatedDevice: SimulatedInterface {
    let path: ObjectPath
    /// The device on the air; another one of the same address after the first was taken away for good.
    var peripheral: Peripheral
    let tree: ObjectTree
    let loop: EventLoop
    let settings: SimulatorSettings
    unowned let adapter: SimulatedAdapter

    // What advertisements have told.
    var name: String?
    var rssi: Int16?
    var txPower: Int16?
    var appearance: UInt16?
    var advertisedServices: [String] = []
    var manufacturer: [(company: UInt16, data: [UInt8])] = []
    var serviceData: [(uuid: String, data: [UInt8])] = []
    var lastSeenConnectable = false
    /// Whether the present discovery has found it.
    var isFound = false

    // What clients have set.
    var alias: String?
    var isTrusted = false
    var isBlocked = false
    /// Nobody has connected to the device yet: it goes when it is no longer heard.
    private(set) var isTemporary = true
    private var temporaryTimer: EventLoop.TimerID?

    // The bond.
    var isPaired = false
    var isBonded = false
    var pairing: Pairing?
    /// The keys are there, and `Paired` waits for the services.
    var isPairedLate = false
    /// The link that comes next, or is there, is the one that bluetoothd makes by itself after a stale bond's.
    var isRelinking = false

    // The link.
    var attempt: (call: IncomingCall, timer: EventLoop.TimerID)?
    var bearer: AttBearer?
    var disconnectTimer: EventLoop.TimerID?
    var disconnectCalls: [IncomingCall] = []
    var resolveTimer: EventLoop.TimerID?
    var isResolved = false
    var services: [SimulatedService] = []
    var battery: SimulatedBattery?
    /// What the property `MTU` of the characteristics says from now on, when it is not what the model says.
    var toldMTU: DeviceModel.ToldMTU?

    init?(_ peripheral: Peripheral, adapter: SimulatedAdapter) {
        let address = String(peripheral.model.address.map { $0 == ":" ? "_" : $0 })
        guard let path = ObjectPath("\(adapter.path)/dev_\(address)") else { return nil }
        self.path = path
        self.peripheral = peripheral
        self.adapter = adapter
        tree = adapter.tree
        loop = adapter.loop
        settings = adapter.settings
    }

    var model: DeviceModel { peripheral.model }
    var isConnected: Bool { bearer != nil }
    var isDisconnecting: Bool { disconnectTimer != nil }
    var description: InterfaceDescription { Self.table }
    var characteristics: [SimulatedCharacteristic] { services.flatMap(\.characteristics) }

    func announce(_ property: String) { tree.changed(path, self, property) }

    /// The device is to stay, or to go when it is silent for a while.
    func setTemporary(_ temporary: Bool) {
        isTemporary = temporary
        if temporary { restartTemporaryTimer() } else { stopTemporaryTimer() }
    }

    func restartTemporaryTimer() {
        stopTemporaryTimer()
        guard isTemporary, !isConnected, attempt == nil else { return }
        temporaryTimer = loop.schedule(after: settings.temporaryTimeout) { [weak self] in
            guard let self else { return }
            temporaryTimer = nil
            adapter.remove(self)
        }
    }

    /// The device is remembered, not heard.
    func forgetRSSI() {
        if rssi != nil {
            rssi = nil
            announce("RSSI")
        }
        if txPower != nil {
            txPower = nil
            announce("TxPower")
        }
    }

    func stopTemporaryTimer() {
        if let temporaryTimer { loop.cancel(temporaryTimer) }
        temporaryTimer = nil
    }

    func handle(_ call: IncomingCall) {
        switch call.member {
        case "Connect": connect(call)
        case "Disconnect": requestDisconnect(call)
        case "Pair": pair(call)
        case "CancelPairing": cancelPairing(call)
        default: call.fail(.invalidArguments)
        }
    }

    func set(_ property: String, to value: DBusValue, _ call: IncomingCall) {
        switch (property, value) {
        case ("Alias", .string(let text)):
            let wanted = text.isEmpty ? nil : text
            if wanted != alias {
                alias = wanted
                announce("Alias")
            }
        case ("Trusted", .bool(let trusted)):
            if trusted != isTrusted {
                isTrusted = trusted
                announce("Trusted")
            }
        case ("Blocked", .bool(let blocked)):
            if blocked != isBlocked {
                isBlocked = blocked
                announce("Blocked")
                if blocked { linkDown() }
            }
        default: return call.fail(.invalidArguments)
        }
        call.reply()
    }

    /// A client has left the bus: its notify sessions end; the link stays.
    func clientLeft(_ sender: String) {
        for characteristic in characteristics { characteristic.endSession(of: sender) }
    }
}
