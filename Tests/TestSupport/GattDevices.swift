import BlueZSimulator

/// Devices for the corners of GATT.
extension TestDevice {
    private static func device(_ last: String, _ name: String, mtu: UInt16, _ services: [ServiceModel]) -> TestDevice {
        var air = AdvertisementModel()
        air.name = name
        air.interval = .milliseconds(100)
        return TestDevice(
            DeviceModel(address: "C0:5A:00:00:00:" + last, advertisement: air, services: services, mtu: mtu)
        )
    }

    /// UUIDs that stand more than once.
    ///
    /// 2a06 once each in 1802 and in 1803; 2a58 three times in aaa0; the service bbb0, with bbb1, twice. Each can be
    /// read and written, and holds a byte of its own: 1 to 7 in this order.
    package static let twins: TestDevice = {
        func one(_ uuid: String, _ byte: UInt8) -> CharacteristicModel {
            CharacteristicModel(uuid, [.read, .write, .notify], value: .fixed([byte]))
        }
        return device(
            "31",
            "Twins",
            mtu: 185,
            [
                ServiceModel("1802", [one("2a06", 1)]), ServiceModel("1803", [one("2a06", 2)]),
                ServiceModel("aaa0", [one("2a58", 3), one("2a58", 4), one("2a58", 5)]),
                ServiceModel("bbb0", [one("bbb1", 6)]), ServiceModel("bbb0", [one("bbb1", 7)]),
            ]
        )
    }()

    /// Its service ccc0 has a characteristic for each set of properties that a write meets.
    ///
    /// ccc1 write, ccc2 write without response, ccc3 both, ccc4 read, ccc5 signed writes. BlueZ tells the MTU that is
    /// given here, or none, and takes packets of up to 517 bytes.
    package static func writable(toldMTU: UInt16?) -> TestDevice {
        let flags: [CharacteristicModel.Flags] = [
            [.write], [.writeCommand], [.write, .writeCommand], [.read], [.signedWrite],
        ]
        let characteristics = flags.enumerated().map { CharacteristicModel("ccc\($0.offset + 1)", $0.element) }
        var model = device("32", "Writable", mtu: 517, [ServiceModel("ccc0", characteristics)]).model
        model.toldMTU = toldMTU.map { .number($0) } ?? .absent
        return TestDevice(model)
    }

    /// Its service eee2 includes the secondary service eee0, which stands before it; eee3 takes reliable writes.
    package static let nested: TestDevice = {
        var inner = ServiceModel("eee0", [CharacteristicModel("eee1", [.read], value: .fixed([1]))])
        inner.isPrimary = false
        let flags: CharacteristicModel.Flags = [.read, .write, .reliableWrite]
        var outer = ServiceModel("eee2", [CharacteristicModel("eee3", flags)])
        outer.includes = ["eee0"]
        return device("34", "Nested", mtu: 185, [inner, outer])
    }()

    /// Notifies 0a and 0b on ddd1 of its service ddd0 before bluetoothd has answered the subscription; ddd2 is
    /// written; ddd3 is read from its beginning alone.
    package static func hasty(precedesNotifying: Bool) -> TestDevice {
        let greeting = CharacteristicModel.Greeting([[0x0A], [0x0B]], precedesNotifying: precedesNotifying)
        let hasty = CharacteristicModel("ddd1", [.read, .notify], value: .fixed([0xFF]), greeting: greeting)
        let short = CharacteristicModel("ddd3", [.read], value: .fixed([1, 2, 3, 4]), read: .valueFromStart)
        return device(
            "33",
            "Hasty",
            mtu: 185,
            [ServiceModel("ddd0", [hasty, CharacteristicModel("ddd2", [.write]), short])]
        )
    }
}
