package import BlueZSimulator

/// A device of the agent's tests: what it is on the air, and how topics call it.
package struct TestDevice: Sendable {
    package let model: DeviceModel

    package init(_ model: DeviceModel) { self.model = model }

    /// As BlueZ writes it: `C0:5A:00:00:00:01`.
    package var address: String { model.address }
    /// As topics write it: `c05a00000001`.
    package var hex: String { address.lowercased().filter { $0 != ":" } }

    package static let thermometer = TestDevice(DemoDevices.thermometer)
    package static let heart = TestDevice(DemoDevices.heart)
    package static let battery = TestDevice(DemoDevices.battery)
    package static let framer = TestDevice(DemoDevices.framer)
    package static let ruuvi = TestDevice(DemoDevices.ruuvi)
    /// The devices of the simulator's own demonstration.
    package static let demo = DemoDevices.all.map { TestDevice($0) }

    /// Advertises and never takes a link.
    package static let deaf: TestDevice = {
        var model = battery.model
        model.address = "C0:5A:00:00:00:21"
        model.acceptsLinks = false
        model.advertisement.name = "Deaf"
        return TestDevice(model)
    }()

    /// Takes ten seconds to make a link.
    package static let slow: TestDevice = {
        var model = battery.model
        model.address = "C0:5A:00:00:00:22"
        model.connectDelay = .seconds(10)
        model.advertisement.name = "Slow"
        return TestDevice(model)
    }()

    /// Has one characteristic of each awkward kind in its service fff0.
    ///
    /// fff1 stands twice; fff2 answers a read with ATT error 0x80; fff3 holds 512 bytes; fff4 can be written without
    /// response alone; fff5 takes four bytes at most; fff6 notifies nothing by itself and can be read; fff7 answers a
    /// read with ATT error 0x05.
    package static let awkward: TestDevice = {
        var air = AdvertisementModel()
        air.name = "Awkward"
        air.interval = .milliseconds(100)
        let characteristics = [
            CharacteristicModel("fff1", [.read], value: .fixed([1])),
            CharacteristicModel("fff1", [.read], value: .fixed([2])),
            CharacteristicModel("fff2", [.read], read: .error(0x80)),
            CharacteristicModel("fff3", [.read], value: .fixed([UInt8](repeating: 0xA5, count: 512))),
            CharacteristicModel("fff4", [.writeCommand]),
            CharacteristicModel(
                "fff5",
                [.read, .write],
                value: .fixed([0]),
                limit: 4,
                descriptors: [DescriptorModel("2901", value: Array("label".utf8), isWritable: true)]
            ),
            CharacteristicModel("fff6", [.read, .notify], value: .fixed([6])),
            CharacteristicModel("fff7", [.read], read: .error(0x05)),
        ]
        return TestDevice(
            DeviceModel(
                address: "C0:5A:00:00:00:23",
                advertisement: air,
                services: [ServiceModel("fff0", characteristics)],
                mtu: 64
            )
        )
    }()

    /// Pairs with whoever asks.
    package static let pairable: TestDevice = {
        var model = battery.model
        model.address = "C0:5A:00:00:00:24"
        model.advertisement.name = "Pairable"
        model.pairing = PairingModel()
        return TestDevice(model)
    }()

    /// A battery with a value that wants pairing, in the characteristic ffe1 of its service ffe0.
    ///
    /// - Parameters:
    ///   - prompt: what is asked when it is paired: `none`, `confirm`, `passkey`, `pin`, `display`.
    ///   - address: its address.
    ///   - isTypedAtOnce: whether a number that is shown is typed in without further ado.
    ///   - isBonded: whether it was paired before.
    /// - Returns: the device; its number is 42, its code `4711-code`.
    package static func lock(
        _ prompt: String = "none",
        address: String = "C0:5A:00:00:00:25",
        isTypedAtOnce: Bool = false,
        isBonded: Bool = false
    ) -> TestDevice {
        var model = battery.model
        model.address = address
        model.advertisement.name = "Lock"
        model.advertisement.interval = .milliseconds(50)
        var pairing = PairingModel()
        pairing.prompt = PairingModel.Prompt(rawValue: prompt) ?? .none
        pairing.passkey = 42
        pairing.pin = "4711-code"
        pairing.typedAfter = isTypedAtOnce ? .zero : nil
        model.pairing = pairing
        var secret = CharacteristicModel("ffe1", [.read], value: .fixed([7]))
        secret.needsPairing = true
        model.services.append(ServiceModel("ffe0", [secret]))
        model.isKnown = isBonded
        model.isPaired = isBonded
        return TestDevice(model)
    }

    /// A device that is only a name on the air.
    package static func named(_ name: String, number: UInt8) -> TestDevice {
        var air = AdvertisementModel()
        air.name = name
        air.interval = .milliseconds(50)
        let digits = String(number, radix: 16, uppercase: true)
        let last = digits.count == 1 ? "0" + digits : digits
        return TestDevice(DeviceModel(address: "C0:5A:00:00:01:\(last)", advertisement: air))
    }

    /// A device of a scenario, by its address alone.
    package static func named(_ name: String, address: String) -> TestDevice {
        var air = AdvertisementModel()
        air.name = name
        return TestDevice(DeviceModel(address: address, advertisement: air))
    }

    /// The same device, heard more often.
    package func advertising(every interval: Duration) -> TestDevice {
        var model = model
        model.advertisement.interval = interval
        return TestDevice(model)
    }
}
