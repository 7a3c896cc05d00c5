import BleCore

/// Fields that name things of Bluetooth.
extension FieldReader {
    private static let uuidForm = "a UUID of 4, 8 or 32 hexadecimal digits"
    private static let maxListed = 64

    mutating func uuid(_ name: String) -> BluetoothUUID? {
        form(name, expected: Self.uuidForm) { BluetoothUUID($0) }
    }

    mutating func uuids(_ name: String) -> [BluetoothUUID]? {
        list(name, maxCount: Self.maxListed, expected: Self.uuidForm) { $0.string.flatMap { BluetoothUUID($0) } }
    }

    mutating func adapter() -> AdapterName? {
        form("adapter", expected: "the name of an adapter, such as hci0") { AdapterName($0) }
    }

    /// The names of one characteristic: `service` and `characteristic`, or `handle`.
    mutating func characteristic(withDescriptor: Bool) -> AttributeSelector? {
        let before = problems.count
        let service = uuid("service")
        let characteristic = uuid("characteristic")
        let handle = whole("handle", 1...65_535).flatMap { UInt16(exactly: $0) }
        let descriptor = withDescriptor ? uuid("descriptor") : nil
        guard problems.count == before else { return nil }
        if let handle {
            return AttributeSelector(
                handle: handle,
                service: service,
                characteristic: characteristic,
                descriptor: descriptor
            )
        }
        switch (service, characteristic) {
        case (let service?, let characteristic?):
            return AttributeSelector(service: service, characteristic: characteristic, descriptor: descriptor)
        case (nil, nil): problem("characteristic", "needed: give service and characteristic, or handle")
        case (nil, _): problem("service", "needed beside characteristic")
        case (_, nil): problem("characteristic", "needed beside service")
        }
        return nil
    }

    /// The fields of a filter, which stand among those of a command or in an object of their own.
    mutating func filter(_ devices: DeviceDirectory) -> ScanRequest {
        var filter = ScanRequest()
        filter.services = uuids("services") ?? []
        filter.name = text("name", maxBytes: 248)
        filter.namePrefix = text("namePrefix", maxBytes: 248)
        let addressForm = "an address of 12 hexadecimal digits, or an alias"
        filter.addresses =
            list("addresses", maxCount: 256, expected: addressForm) { value in
                guard let text = value.string else { return nil }
                return DeviceAddress(text) ?? DeviceName(text).flatMap { devices.address(of: $0) }
            } ?? []
        filter.manufacturers = manufacturers() ?? []
        filter.rssiMin = whole("rssiMin", -127...20)
        filter.mode = choice("mode", ScanRequest.Mode.self) ?? .auto
        return filter
    }

    /// One company identifier or several.
    private mutating func manufacturers() -> [UInt16]? {
        let form = "a company identifier of 4 hexadecimal digits, such as \"004c\""
        let place = object.place(of: "manufacturer")
        if let place, object.entries[place].value.string != nil {
            return self.form("manufacturer", expected: form) { company($0) }.map { [$0] }
        }
        return list("manufacturer", maxCount: Self.maxListed, expected: form) { $0.string.flatMap { company($0) } }
    }
}

/// Reads a company identifier: exactly four hexadecimal digits.
private func company(_ text: String) -> UInt16? {
    guard text.utf8.count == 4, text.utf8.allSatisfy({ hexValue($0) != nil }) else { return nil }
    return UInt16(text, radix: 16)
}

extension ScanRequest {
    /// Whether the filter names anything that a device has to fulfil.
    var hasCondition: Bool {
        !services.isEmpty || name != nil || namePrefix != nil || !addresses.isEmpty || !manufacturers.isEmpty
            || rssiMin != nil
    }
}
