internal import DBus

/// What changes in a device while it has a link.
extension SimulatedDevice {
    /// bluetoothd has read another name from the device.
    func rename(_ name: String) {
        self.name = name
        announce("Name")
        announce("Alias")
    }

    /// The property `MTU` as it is while there is a link; nil: there is none.
    var mtuProperty: UInt16? {
        switch toldMTU ?? model.toldMTU {
        case .actual: model.mtu
        case .absent: nil
        case .number(let number): number
        }
    }

    /// What bluetoothd says of the link's MTU is another from now on.
    func tellMTU(_ told: DeviceModel.ToldMTU) {
        toldMTU = told
        for characteristic in characteristics { tree.changed(characteristic.path, characteristic, "MTU") }
    }

    /// The device has said that its services changed: one of them goes from the bus, or comes back.
    func setService(_ uuid: String, present: Bool) {
        let uuid = LongUUID.text(uuid)
        if present {
            let known = Set(services.map(\.layout.handle))
            let missing = peripheral.layout.services.filter { $0.model.uuid == uuid && !known.contains($0.handle) }
            let back = missing.compactMap { SimulatedService($0, of: self) }
            services += back
            for service in back { export(service) }
        } else {
            for service in services where service.layout.model.uuid == uuid {
                for characteristic in service.characteristics {
                    for descriptor in characteristic.descriptors { tree.remove(descriptor.path) }
                    tree.remove(characteristic.path)
                }
                tree.remove(service.path)
            }
            services.removeAll { $0.layout.model.uuid == uuid }
        }
        announce("UUIDs")
    }

    /// Puts a service with all that it holds on the bus.
    func export(_ service: SimulatedService) {
        tree.add(service.path, [service])
        for characteristic in service.characteristics {
            tree.add(characteristic.path, [characteristic])
            for descriptor in characteristic.descriptors { tree.add(descriptor.path, [descriptor]) }
        }
    }
}
