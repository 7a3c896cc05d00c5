internal import DBus

/// `org.bluez.GattService1` of one service.
final class SimulatedService: SimulatedInterface {
    let path: ObjectPath
    let layout: GattLayout.Service
    let characteristics: [SimulatedCharacteristic]
    private let devicePath: ObjectPath
    private let includes: [ObjectPath]

    init?(_ layout: GattLayout.Service, of device: SimulatedDevice) {
        guard let path = ObjectPath("\(device.path)/service" + hex(layout.handle, digits: 4)) else { return nil }
        self.path = path
        self.layout = layout
        devicePath = device.path
        let included = layout.model.includes.map(LongUUID.text)
        includes = device.peripheral.layout.services.filter { included.contains($0.model.uuid) }
            .compactMap { ObjectPath("\(device.path)/service" + hex($0.handle, digits: 4)) }
        characteristics = layout.characteristics.compactMap {
            SimulatedCharacteristic($0, servicePath: path, of: device)
        }
    }

    var description: InterfaceDescription { Self.table }

    func value(of property: String) -> DBusValue? {
        switch property {
        case "UUID": .string(layout.model.uuid)
        case "Device": .path(devicePath)
        case "Primary": .bool(layout.model.isPrimary)
        case "Includes": .array(of: "o", includes.map { .path($0) })
        default: nil
        }
    }

    func handle(_ call: IncomingCall) { call.failUnknown(objectExists: true) }

    static let table = InterfaceDescription(
        "org.bluez.GattService1",
        properties: [.init("UUID", "s"), .init("Device", "o"), .init("Primary", "b"), .init("Includes", "ao")]
    )
}
