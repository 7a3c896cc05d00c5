internal import DBus

extension SimulatedDevice {
    /// Takes over what an advertisement says and announces what has changed.
    ///
    /// - Parameters:
    ///   - advertisement: what was received.
    ///   - rssiThreshold: in dB; smaller changes are not worth a signal. 0 announces every one.
    ///   - wantsDuplicates: whether data that has not changed is announced again.
    func take(_ advertisement: ReceivedAdvertisement, rssiThreshold: Int, wantsDuplicates: Bool) {
        let air = model.advertisement
        if abs(Int(rssi ?? 0) - Int(advertisement.rssi)) >= rssiThreshold || rssi == nil {
            rssi = advertisement.rssi
            announce("RSSI")
        }
        update(\.txPower, air.txPower, "TxPower")
        update(\.appearance, air.appearance, "Appearance", "Icon")
        update(\.name, air.name, "Name", "Alias")
        let unknown = air.services.map(LongUUID.text).filter { !advertisedServices.contains($0) }
        if !unknown.isEmpty {
            advertisedServices += unknown
            announce("UUIDs")
        }
        for (company, data) in advertisement.manufacturer {
            let index = manufacturer.firstIndex { $0.company == company }
            if let index, manufacturer[index].data == data, !wantsDuplicates { continue }
            if let index { manufacturer[index].data = data } else { manufacturer.append((company, data)) }
            announce("ManufacturerData")
        }
        for (uuid, data) in advertisement.serviceData {
            let index = serviceData.firstIndex { $0.uuid == uuid }
            if let index, serviceData[index].data == data, !wantsDuplicates { continue }
            if let index { serviceData[index].data = data } else { serviceData.append((uuid, data)) }
            announce("ServiceData")
        }
    }

    private func update<Value: Equatable>(
        _ property: ReferenceWritableKeyPath<SimulatedDevice, Value?>,
        _ value: Value?,
        _ names: String...
    ) {
        guard let value, self[keyPath: property] != value else { return }
        self[keyPath: property] = value
        for name in names { announce(name) }
    }
}
