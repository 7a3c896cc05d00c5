/// Names one characteristic of a device, or one of its descriptors.
///
/// Either `handle` is given, or `characteristic` is, within `service` where its UUID stands in several. Where all are
/// given, the attribute at the handle has to have these UUIDs.
public struct AttributeSelector: Sendable, Hashable {
    public var service: BluetoothUUID?
    public var characteristic: BluetoothUUID?
    /// The handle of the characteristic's declaration.
    public var handle: UInt16?
    public var descriptor: BluetoothUUID?

    /// Names a characteristic by UUID.
    public init(service: BluetoothUUID?, characteristic: BluetoothUUID, descriptor: BluetoothUUID? = nil) {
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
    }

    /// Names a characteristic by handle; the UUIDs are checked where they are given.
    public init(
        handle: UInt16,
        service: BluetoothUUID? = nil,
        characteristic: BluetoothUUID? = nil,
        descriptor: BluetoothUUID? = nil
    ) {
        self.handle = handle
        self.service = service
        self.characteristic = characteristic
        self.descriptor = descriptor
    }

    /// Whether an attribute fulfils each part that is given.
    func matches(service: @autoclosure () -> BluetoothUUID?, characteristic: BluetoothUUID, handle: UInt16) -> Bool {
        (self.handle == nil || self.handle == handle)
            && (self.characteristic == nil || self.characteristic == characteristic)
            && (self.service == nil || self.service == service())
    }
}

extension AttributeTable {
    /// Finds the characteristic that a selector names.
    ///
    /// - Throws: `BleFailure` at the discovery stage: no service, no characteristic, or several.
    package func find(_ selector: AttributeSelector) throws(BleFailure) -> Characteristic {
        if let service = selector.service, !services.values.contains(where: { $0.uuid == service }) {
            throw BleFailure(.noService([service]), at: .discover, detail: Self.absence(of: service))
        }
        let matches = characteristics.values.filter {
            selector.matches(service: services[$0.service]?.uuid, characteristic: $0.uuid, handle: $0.handle)
        }
        guard let first = matches.first else {
            let missing = selector.characteristic.map { [$0] } ?? []
            let place = selector.handle.map { " at handle \($0)" } ?? ""
            let detail = "the device has no such characteristic\(place)"
            throw BleFailure(.noCharacteristic(missing), at: .discover, detail: detail)
        }
        guard matches.count == 1 else {
            let handles = matches.map(\.handle).sorted()
            throw BleFailure(
                .ambiguousCharacteristic(handles: handles),
                at: .discover,
                detail: "\(first.uuid) stands more than once"
            )
        }
        return first
    }

    /// Finds a descriptor of a characteristic.
    package func find(_ uuid: BluetoothUUID, of characteristic: Characteristic) throws(BleFailure) -> Descriptor {
        let all = descriptors.values.filter { $0.characteristic == characteristic.path && $0.uuid == uuid }
        guard let found = all.min(by: { $0.handle < $1.handle }) else {
            throw BleFailure(.noDescriptor([uuid]), at: .discover, detail: "the characteristic has no such descriptor")
        }
        return found
    }

    /// The public name of a characteristic.
    package func identity(of characteristic: Characteristic) -> CharacteristicID {
        let service = services[characteristic.service]?.uuid ?? BluetoothUUID(short: 0)
        let twins = characteristics.values.count {
            $0.uuid == characteristic.uuid && services[$0.service]?.uuid == service
        }
        return CharacteristicID(
            service: service,
            characteristic: characteristic.uuid,
            handle: characteristic.handle,
            isAmbiguous: twins > 1
        )
    }

    private static func absence(of service: BluetoothUUID) -> String {
        // Services that bluetoothd uses itself (BlueZ 5.66, src/gatt-database.c and its plugins) are not on the bus.
        let held: Set<UInt32> = [0x1800, 0x1801, 0x1812, 0x1813]
        guard let short = service.short, held.contains(short) else { return "the device has no such service" }
        return "held by bluetoothd, which keeps it off the bus"
    }
}
