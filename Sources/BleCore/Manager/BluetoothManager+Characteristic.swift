extension BluetoothManager {
    /// Finds a characteristic of a device, with a link made for it where there is none.
    ///
    /// - Returns: its public name, and what may be done with it.
    /// - Throws: `BleFailure`, as for a read.
    package func characteristic(
        _ selector: AttributeSelector,
        of address: DeviceAddress,
        _ scope: OperationScope
    ) async throws -> (id: CharacteristicID, properties: GattCharacteristic.Properties) {
        let path = try await ready(address, scope)
        guard let record = tree.devices[path] else { throw removal(path, at: .discover) }
        var selector = selector
        selector.descriptor = nil
        let found = try record.attributes.find(selector)
        return (record.attributes.identity(of: found), found.properties)
    }

    /// The services of a device as far as they are known now.
    ///
    /// - Returns: nil unless the device has a link and its services have been found.
    package func knownServices(of address: DeviceAddress) -> [GattService]? {
        guard let path = bestObject(of: address), let record = tree.devices[path], record.connected,
            record.servicesResolved
        else { return nil }
        return record.attributes.tree()
    }
}
