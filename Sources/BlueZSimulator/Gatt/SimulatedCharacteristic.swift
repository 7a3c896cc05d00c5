internal import DBus

/// `org.bluez.GattCharacteristic1` of one characteristic.
final class SimulatedCharacteristic: SimulatedInterface {
    let path: ObjectPath
    let layout: GattLayout.Characteristic
    let descriptors: [SimulatedDescriptor]
    unowned let device: SimulatedDevice
    private let servicePath: ObjectPath
    /// What bluetoothd remembers: the last value read or notified.
    private var cached: [UInt8] = []
    private var reads: (offset: Int, calls: [IncomingCall])?
    private var isWriting = false
    /// Who wants notifications; `isActive` while the device has been asked for them on the present link.
    var notifyClients: [NotifyClient] = []
    var isNotifying = false

    struct NotifyClient {
        let sender: String
        var isActive = false
        var isStarting = false
    }

    init?(_ layout: GattLayout.Characteristic, servicePath: ObjectPath, of device: SimulatedDevice) {
        guard let path = ObjectPath("\(servicePath)/char" + hex(layout.handle, digits: 4)) else { return nil }
        self.path = path
        self.layout = layout
        self.servicePath = servicePath
        self.device = device
        descriptors = layout.descriptors.compactMap {
            SimulatedDescriptor($0, characteristicPath: path, of: device)
        }
    }

    var flags: CharacteristicModel.Flags { layout.model.flags }
    var canNotify: Bool { !flags.isDisjoint(with: [.notify, .indicate]) }
    var description: InterfaceDescription { Self.table }

    func value(of property: String) -> DBusValue? {
        switch property {
        case "UUID": .string(layout.model.uuid)
        case "Service": .path(servicePath)
        case "Value": .bytes(cached)
        case "Notifying": canNotify ? .bool(isNotifying) : nil
        case "Flags": .strings(flags.names)
        case "WriteAcquired": flags.contains(.writeCommand) ? .bool(false) : nil
        case "NotifyAcquired": flags.contains(.notify) ? .bool(false) : nil
        case "MTU": device.bearer == nil ? nil : device.mtuProperty.map { .uint16($0) }
        default: nil
        }
    }

    func handle(_ call: IncomingCall) {
        let arguments = call.arguments
        do throws(BluezError) {
            switch (call.member, arguments.first, arguments.last) {
            case ("ReadValue", let options?, _): try read(call, options)
            case ("WriteValue", .bytes(let value)?, let options?): try write(call, value, options)
            case ("StartNotify", _, _): try startNotify(call)
            case ("StopNotify", _, _): try stopNotify(call)
            // Sockets for notifications and writes are not part of the simulation.
            case ("AcquireWrite", _, _), ("AcquireNotify", _, _): throw .notSupported
            default: throw .invalidArguments
            }
        } catch {
            call.fail(error)
        }
    }

    /// Remembers a value and announces it at once, changed or not.
    func store(_ bytes: [UInt8]) {
        cached = bytes
        device.tree.changed(path, self, "Value", now: true)
    }

    private func read(_ call: IncomingCall, _ options: DBusValue) throws(BluezError) {
        guard let bearer = device.bearer else { throw .failed("Not connected") }
        let offset = try CallOptions(options, readsType: false).offset
        if let running = reads {
            guard running.offset == offset else { throw .inProgress }
            reads?.calls.append(call)
            return
        }
        reads = (offset, [call])
        bearer.submit({ [self] in answerReads(bearer, offset) }, abandon: { [self] in abandonReads() })
    }

    private func answerReads(_ bearer: AttBearer, _ offset: Int) {
        let answer = device.peripheral.read(layout.valueHandle, offset: offset)
        if case .failure(let error) = answer, device.pairsFor(error) {
            bearer.hold({ [self] in answerReads(bearer, offset) }, abandon: { [self] in abandonReads() })
            device.pairUnasked()
            return
        }
        let calls = reads?.calls ?? []
        reads = nil
        switch answer {
        case .success(let bytes):
            store(Array(cached.prefix(offset)) + bytes)
            for call in calls { call.reply(.bytes(bytes)) }
        case .failure(let error):
            for call in calls { call.fail(.att(error.code)) }
        }
    }

    private func abandonReads() {
        let calls = reads?.calls ?? []
        reads = nil
        for call in calls { call.fail(.att(AttError.unlikely.code)) }
    }

    private func write(_ call: IncomingCall, _ value: [UInt8], _ options: DBusValue) throws(BluezError) {
        guard let bearer = device.bearer else { throw .failed("Not connected") }
        guard !isWriting else { throw .inProgress }
        let options = try CallOptions(options, readsType: true)
        let wantsRequest =
            options.type == nil ? flags.contains(.write) : ["request", "reliable"].contains(options.type)
        if wantsRequest {
            request(call, value, options.offset, bearer)
            return
        }
        let wantsCommand = options.type == nil ? flags.contains(.writeCommand) : options.type == "command"
        guard wantsCommand, options.offset == 0 else { throw .notSupported }
        guard value.count + 3 <= Int(device.peripheral.model.mtu) else { throw .failed("Failed to initiate write") }
        // Nobody hears what the device makes of a command.
        bearer.submit { [self] in
            _ = device.peripheral.write(layout.valueHandle, value, offset: 0, isCommand: true)
        } abandon: {
        }
        call.reply()
    }

    private func request(_ call: IncomingCall, _ value: [UInt8], _ offset: Int, _ bearer: AttBearer) {
        isWriting = true
        let abandon = { [self] in
            isWriting = false
            call.fail(.att(AttError.unlikely.code))
        }
        bearer.submit({ [self] in answerWrite(call, value, offset, bearer, abandon) }, abandon: abandon)
    }

    private func answerWrite(
        _ call: IncomingCall,
        _ value: [UInt8],
        _ offset: Int,
        _ bearer: AttBearer,
        _ abandon: @escaping () -> Void
    ) {
        let error = device.peripheral.write(layout.valueHandle, value, offset: offset, isCommand: false)
        if let error, device.pairsFor(error) {
            bearer.hold({ [self] in answerWrite(call, value, offset, bearer, abandon) }, abandon: abandon)
            device.pairUnasked()
            return
        }
        isWriting = false
        if let error { call.fail(.att(error.code)) } else { call.reply() }
    }

    static let table = InterfaceDescription(
        "org.bluez.GattCharacteristic1",
        methods: [
            .init("ReadValue", in: [.init("options", "a{sv}")], out: [.init("value", "ay")]),
            .init("WriteValue", in: [.init("value", "ay"), .init("options", "a{sv}")]),
            .init("AcquireWrite", in: [.init("options", "a{sv}")], out: [.init("fd", "h"), .init("mtu", "q")]),
            .init("AcquireNotify", in: [.init("options", "a{sv}")], out: [.init("fd", "h"), .init("mtu", "q")]),
            .init("StartNotify"),
            .init("StopNotify"),
        ],
        properties: [
            .init("UUID", "s"), .init("Service", "o"), .init("Value", "ay"), .init("Notifying", "b"),
            .init("Flags", "as"), .init("WriteAcquired", "b"), .init("NotifyAcquired", "b"), .init("MTU", "q"),
        ]
    )
}
