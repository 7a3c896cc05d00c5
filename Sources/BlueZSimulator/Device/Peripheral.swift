internal import EventLoop

/// The device itself, beyond the radio: it advertises, holds values and answers requests.
///
/// It knows nothing of D-Bus.
final class Peripheral {
    let model: DeviceModel
    let layout: GattLayout
    private let loop: EventLoop
    private var random: SeededRandom
    private var advertising: AdvertisementSource
    private var values: [UInt16: AttributeValue] = [:]
    private var responders: [UInt16: FrameResponder] = [:]
    private var subscriptions: [UInt16: EventLoop.TimerID?] = [:]
    private var timer: EventLoop.TimerID?

    /// Whether the device can be heard and reached at all.
    private(set) var isOnAir = true
    private(set) var isLinked = false
    /// Whether it may advertise; one that is quiet can be reached all the same.
    private var advertises = true
    private var isHeard = false
    /// Whether the device knows the daemon's keys.
    var isPaired = false
    /// Whether the present link is encrypted.
    var isEncrypted = false
    /// Receives each advertisement while somebody scans.
    var onAdvertisement: (ReceivedAdvertisement) -> Void = { _ in }
    /// Receives each notification while linked.
    var onNotification: (UInt16, [UInt8]) -> Void = { _, _ in }
    /// Asks for the link to be ended by the device.
    var onHangUp: () -> Void = {}

    init(_ model: DeviceModel, loop: EventLoop, random: SeededRandom) {
        var random = random
        self.model = model
        self.loop = loop
        advertising = AdvertisementSource(model.advertisement, random: random.fork())
        layout = GattLayout(model.services)
        for characteristic in layout.characteristics {
            let source = PayloadSource(characteristic.model.value, random: random.fork())
            values[characteristic.valueHandle] = AttributeValue(source)
            for descriptor in characteristic.descriptors {
                values[descriptor.handle] = AttributeValue(fixed: descriptor.model.value)
            }
        }
        self.random = random
        for characteristic in layout.characteristics {
            guard case .frames(let uuid) = characteristic.model.write else { continue }
            let answers = layout.characteristics.first { $0.model.uuid == LongUUID.text(uuid) }
            guard let answers else { continue }
            responders[characteristic.valueHandle] = FrameResponder(
                loop: loop,
                send: { [weak self] in self?.notify(answers.valueHandle, $0) },
                hangUp: { [weak self] in self?.onHangUp() }
            )
        }
    }

    /// Whether an attempt to connect gets an answer.
    var answersConnects: Bool {
        isOnAir && !isLinked && model.advertisement.isConnectable && model.acceptsLinks
    }

    // MARK: The air

    /// Scanning begins or ends.
    func setHeard(_ heard: Bool) {
        isHeard = heard
        updateAdvertising()
    }

    /// The device is taken away or comes back.
    func setOnAir(_ onAir: Bool) {
        isOnAir = onAir
        updateAdvertising()
    }

    /// The device falls silent or speaks again.
    func setAdvertising(_ on: Bool) {
        advertises = on
        updateAdvertising()
    }

    func linked() {
        isLinked = true
        updateAdvertising()
    }

    func unlinked() {
        isLinked = false
        isEncrypted = false
        for case let timer? in subscriptions.values { loop.cancel(timer) }
        subscriptions = [:]
        for responder in responders.values { responder.reset() }
        updateAdvertising()
    }

    private func updateAdvertising() {
        let wanted = isHeard && isOnAir && advertises && !isLinked
        if wanted, timer == nil {
            // Devices do not start together: somewhere within the first interval.
            let share = Double.random(in: 0.02...1, using: &random)
            scheduleAdvertisement(after: model.advertisement.interval * share)
        } else if !wanted, let timer {
            loop.cancel(timer)
            self.timer = nil
        }
    }

    private func scheduleAdvertisement(after delay: Duration) {
        timer = loop.schedule(after: delay) { [weak self] in
            guard let self else { return }
            scheduleAdvertisement(after: max(model.advertisement.interval, .milliseconds(1)))
            onAdvertisement(advertising.next())
        }
    }

    // MARK: Attributes

    func read(_ handle: UInt16, offset: Int) -> Result<[UInt8], AttError> {
        guard let characteristic = characteristic(handle) else { return .failure(.notFound) }
        guard characteristic.model.flags.contains(.read) else { return .failure(.readNotPermitted) }
        if characteristic.model.needsPairing, !isEncrypted { return .failure(.insufficientAuthentication) }
        switch characteristic.model.read {
        case .error(let code): return .failure(AttError(code: code))
        case .valueFromStart where offset > 0: return .failure(.notLong)
        case .value, .valueFromStart: break
        }
        // While it notifies, a read shows what was notified last.
        let advances = subscriptions[handle] == nil && offset == 0
        return slice(values[handle]?.read(advancing: advances) ?? [], offset)
    }

    /// - Returns: the error that the device answers with; a command's is not sent.
    func write(_ handle: UInt16, _ bytes: [UInt8], offset: Int, isCommand: Bool) -> AttError? {
        guard let characteristic = characteristic(handle) else { return .notFound }
        guard characteristic.model.flags.contains(isCommand ? .writeCommand : .write) else { return .writeNotPermitted }
        if characteristic.model.needsPairing, !isEncrypted { return .insufficientAuthentication }
        let old = values[handle]?.read(advancing: false) ?? []
        guard offset <= old.count else { return .invalidOffset }
        let new = Array(old.prefix(offset)) + bytes
        guard new.count <= min(characteristic.model.limit, 512) else { return .invalidLength }
        switch characteristic.model.write {
        case .store: values[handle]?.store(new)
        case .accept(let accepted, let error):
            guard accepted.contains(new) else { return AttError(code: error) }
            values[handle]?.store(new)
        case .frames: responders[handle]?.receive(bytes)
        }
        return nil
    }

    func readDescriptor(_ handle: UInt16, offset: Int) -> Result<[UInt8], AttError> {
        guard let value = values[handle] else { return .failure(.notFound) }
        return slice(value.read(advancing: false), offset)
    }

    func writeDescriptor(_ handle: UInt16, _ bytes: [UInt8], offset: Int) -> AttError? {
        let descriptor = layout.characteristics.flatMap(\.descriptors).first { $0.handle == handle }
        guard let descriptor else { return .notFound }
        guard descriptor.model.isWritable else { return .writeNotPermitted }
        let old = values[handle]?.read(advancing: false) ?? []
        guard offset <= old.count else { return .invalidOffset }
        guard offset + bytes.count <= 512 else { return .invalidLength }
        values[handle]?.store(Array(old.prefix(offset)) + bytes)
        return nil
    }

    // MARK: Notifications

    /// The client configuration is switched on.
    func subscribe(_ handle: UInt16) {
        guard isLinked, subscriptions[handle] == nil, let characteristic = characteristic(handle) else { return }
        subscriptions[handle] = .some(nil)
        setConfiguration(of: characteristic, on: true)
        if let every = characteristic.model.notifyEvery { scheduleNotification(handle, every) }
    }

    func unsubscribe(_ handle: UInt16) {
        guard let timer = subscriptions.removeValue(forKey: handle) else { return }
        if let timer { loop.cancel(timer) }
        if let characteristic = characteristic(handle) { setConfiguration(of: characteristic, on: false) }
    }

    func isSubscribed(_ handle: UInt16) -> Bool { subscriptions[handle] != nil }

    /// Sends a notification if it was asked for; the value becomes what it says.
    func notify(_ handle: UInt16, _ bytes: [UInt8]) {
        guard isLinked, subscriptions[handle] != nil else { return }
        let sent = Array(bytes.prefix(Int(model.mtu) - 3))
        values[handle]?.store(sent)
        onNotification(handle, sent)
    }

    private func scheduleNotification(_ handle: UInt16, _ every: Duration) {
        subscriptions[handle] = loop.schedule(after: max(every, .milliseconds(1))) { [weak self] in
            guard let self, subscriptions[handle] != nil else { return }
            scheduleNotification(handle, every)
            let bytes = values[handle]?.advance() ?? []
            onNotification(handle, Array(bytes.prefix(Int(model.mtu) - 3)))
        }
    }

    private func setConfiguration(of characteristic: GattLayout.Characteristic, on: Bool) {
        guard let handle = characteristic.descriptors.first(where: \.isClientConfiguration)?.handle else { return }
        let bit: UInt8 = characteristic.model.flags.contains(.notify) ? 1 : 2
        values[handle]?.store([on ? bit : 0, 0])
    }

    private func characteristic(_ valueHandle: UInt16) -> GattLayout.Characteristic? {
        layout.characteristics.first { $0.valueHandle == valueHandle }
    }

    private func slice(_ bytes: [UInt8], _ offset: Int) -> Result<[UInt8], AttError> {
        offset <= bytes.count ? .success(Array(bytes.dropFirst(offset))) : .failure(.invalidOffset)
    }
}
