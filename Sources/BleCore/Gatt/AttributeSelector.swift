/// Names a characteristic of a device, or one of its descriptors.
public struct AttributeSelector: Sendable, Hashable {
    /// How the characteristic is named.
    public enum Characteristic: Sendable, Hashable {
        /// By UUID, within a service where the UUID stands in several.
        case uuid(BluetoothUUID, service: BluetoothUUID?)
        /// By the handle of its declaration.
        case handle(UInt16)
    }

    public var characteristic: Characteristic
    public var descriptor: BluetoothUUID?

    public init(_ characteristic: Characteristic, descriptor: BluetoothUUID? = nil) {
        self.characteristic = characteristic
        self.descriptor = descriptor
    }
}

extension AttributeTable {
    /// Finds the characteristic that a selector names.
    ///
    /// - Throws: `BleFailure` at the discovery stage: no service, no characteristic, or several.
    func find(_ selector: AttributeSelector.Characteristic) throws(BleFailure) -> Characteristic {
        switch selector {
        case .handle(let handle):
            guard let found = characteristics.values.first(where: { $0.handle == handle }) else {
                throw BleFailure(.noCharacteristic([]), at: .discover, detail: "no characteristic has handle \(handle)")
            }
            return found
        case .uuid(let uuid, let service):
            if let service, !services.values.contains(where: { $0.uuid == service }) {
                throw BleFailure(.noService([service]), at: .discover, detail: Self.absence(of: service))
            }
            let matches = characteristics.values.filter { candidate in
                candidate.uuid == uuid && (service == nil || services[candidate.service]?.uuid == service)
            }
            guard let first = matches.first else {
                throw BleFailure(
                    .noCharacteristic([uuid]),
                    at: .discover,
                    detail: "the device has no such characteristic"
                )
            }
            guard matches.count == 1 else {
                let handles = matches.map(\.handle).sorted()
                let list = handles.map(String.init).joined(separator: ", ")
                throw BleFailure(
                    .ambiguousCharacteristic(handles: handles),
                    at: .discover,
                    detail: "\(uuid) stands more than once, give the handle: \(list)"
                )
            }
            return first
        }
    }

    /// Finds a descriptor of a characteristic.
    func find(_ uuid: BluetoothUUID, of characteristic: Characteristic) throws(BleFailure) -> Descriptor {
        let all = descriptors.values.filter { $0.characteristic == characteristic.path && $0.uuid == uuid }
        guard let found = all.min(by: { $0.handle < $1.handle }) else {
            throw BleFailure(.noDescriptor([uuid]), at: .discover, detail: "the characteristic has no such descriptor")
        }
        return found
    }

    /// The public name of a characteristic.
    func identity(of characteristic: Characteristic) -> CharacteristicID {
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
