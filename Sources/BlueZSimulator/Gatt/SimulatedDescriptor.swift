internal import DBus

/// `org.bluez.GattDescriptor1` of one descriptor.
final class SimulatedDescriptor: SimulatedInterface {
    let path: ObjectPath
    private let layout: GattLayout.Descriptor
    private let characteristicPath: ObjectPath
    private unowned let device: SimulatedDevice
    /// What bluetoothd remembers of the last read.
    private var cached: [UInt8] = []
    private var reads: (offset: Int, calls: [IncomingCall])?
    private var isWriting = false

    init?(_ layout: GattLayout.Descriptor, characteristicPath: ObjectPath, of device: SimulatedDevice) {
        guard let path = ObjectPath("\(characteristicPath)/desc" + hex(layout.handle, digits: 4)) else { return nil }
        self.path = path
        self.layout = layout
        self.characteristicPath = characteristicPath
        self.device = device
    }

    var description: InterfaceDescription { Self.table }

    func value(of property: String) -> DBusValue? {
        switch property {
        case "UUID": .string(layout.model.uuid)
        case "Characteristic": .path(characteristicPath)
        case "Value": .bytes(cached)
        default: nil
        }
    }

    func handle(_ call: IncomingCall) {
        guard let bearer = device.bearer else { return call.fail(.failed("Not connected")) }
        let arguments = call.arguments
        do throws(BluezError) {
            switch (call.member, arguments.first, arguments.last) {
            case ("ReadValue", let options?, _):
                read(call, try CallOptions(options, readsType: false).offset, bearer)
            case ("WriteValue", .bytes(let value)?, let options?):
                try write(call, value, options, bearer)
            default: throw .invalidArguments
            }
        } catch {
            call.fail(error)
        }
    }

    private func read(_ call: IncomingCall, _ offset: Int, _ bearer: AttBearer) {
        if let running = reads {
            guard running.offset == offset else { return call.fail(.inProgress) }
            reads?.calls.append(call)
            return
        }
        reads = (offset, [call])
        bearer.submit { [self] in
            let calls = reads?.calls ?? []
            reads = nil
            switch device.peripheral.readDescriptor(layout.handle, offset: offset) {
            case .success(let bytes):
                cached = Array(cached.prefix(offset)) + bytes
                device.tree.changed(path, self, "Value")
                for call in calls { call.reply(.bytes(bytes)) }
            case .failure(let error):
                for call in calls { call.fail(.att(error.code)) }
            }
        } abandon: { [self] in
            let calls = reads?.calls ?? []
            reads = nil
            for call in calls { call.fail(.att(AttError.unlikely.code)) }
        }
    }

    private func write(
        _ call: IncomingCall,
        _ value: [UInt8],
        _ options: DBusValue,
        _ bearer: AttBearer
    ) throws(BluezError) {
        guard !isWriting else { throw .inProgress }
        let offset = try CallOptions(options, readsType: false).offset
        // Subscribing is StartNotify's alone.
        guard !layout.isClientConfiguration else { throw .notPermitted("Write not permitted") }
        isWriting = true
        bearer.submit { [self] in
            isWriting = false
            if let error = device.peripheral.writeDescriptor(layout.handle, value, offset: offset) {
                call.fail(.att(error.code))
            } else {
                call.reply()
            }
        } abandon: { [self] in
            isWriting = false
            call.fail(.att(AttError.unlikely.code))
        }
    }

    static let table = InterfaceDescription(
        "org.bluez.GattDescriptor1",
        methods: [
            .init("ReadValue", in: [.init("options", "a{sv}")], out: [.init("value", "ay")]),
            .init("WriteValue", in: [.init("value", "ay"), .init("options", "a{sv}")]),
        ],
        properties: [.init("UUID", "s"), .init("Characteristic", "o"), .init("Value", "ay")]
    )
}
