/// The devices that the simulator has when nothing else is asked for.
package enum DemoDevices {
    package static let thermometerAddress = "C0:5A:00:00:00:01"
    package static let heartAddress = "C0:5A:00:00:00:02"
    package static let batteryAddress = "C0:5A:00:00:00:03"
    package static let framerAddress = "C0:5A:00:00:00:04"
    package static let bthomeAddress = "C0:5A:00:00:00:11"
    package static let iBeaconAddress = "C0:5A:00:00:00:12"
    package static let ruuviAddress = "C0:5A:00:00:00:13"

    /// All of them.
    package static var all: [DeviceModel] {
        [thermometer, heart, battery, framer, bthome, iBeacon, ruuvi]
    }

    /// Health thermometer (indications, °C as IEEE 11073 float) and environmental sensing (0.01 °C).
    package static var thermometer: DeviceModel {
        var air = AdvertisementModel()
        air.name = "Sim Thermometer"
        air.services = ["1809", "181a"]
        air.appearance = 0x0300
        air.rssi = -58
        let celsius = PayloadModel.Part.walk(.uint24, from: 215, in: 150...350, step: 2)
        // Flags: Celsius, no time, no type; mantissa in 0.1 °C, exponent -1.
        let measurement = PayloadModel(.bytes([0x00]), celsius, .bytes([0xFF]))
        let temperature = PayloadModel(.walk(.uint16, from: 2150, in: -500...4000, step: 12))
        return DeviceModel(
            address: thermometerAddress,
            advertisement: air,
            services: common(name: "Sim Thermometer", appearance: 0x0300) + [
                ServiceModel(
                    "1809",
                    [
                        CharacteristicModel("2a1c", [.indicate], value: measurement, notifyEvery: .seconds(1)),
                        CharacteristicModel("2a1d", [.read], value: .fixed([0x02])),
                    ]
                ),
                ServiceModel(
                    "181a",
                    [
                        CharacteristicModel(
                            "2a6e",
                            [.read, .notify],
                            value: temperature,
                            notifyEvery: .seconds(1),
                            descriptors: [DescriptorModel("2901", value: Array("Room temperature".utf8))]
                        )
                    ]
                ),
            ]
        )
    }

    /// Heart rate belt; its control point takes the value 1 and refuses others with ATT error 0x80.
    package static var heart: DeviceModel {
        var air = AdvertisementModel()
        air.name = "Sim Heart"
        air.services = ["180d", "180f"]
        air.appearance = 0x0341
        air.rssi = -62
        let rate = PayloadModel(.bytes([0x00]), .walk(.uint8, from: 72, in: 50...180, step: 2))
        return DeviceModel(
            address: heartAddress,
            advertisement: air,
            services: common(name: "Sim Heart", appearance: 0x0341) + [
                ServiceModel(
                    "180d",
                    [
                        CharacteristicModel("2a37", [.notify], value: rate, notifyEvery: .milliseconds(500)),
                        CharacteristicModel("2a38", [.read], value: .fixed([0x01])),
                        CharacteristicModel("2a39", [.write], limit: 1, write: .accept([[0x01]], error: 0x80)),
                    ]
                ),
                batteryService(level: 87),
                deviceInformation(model: "Belt 1"),
            ]
        )
    }

    /// A battery and nothing else.
    package static var battery: DeviceModel {
        var air = AdvertisementModel()
        air.name = "Sim Battery"
        air.services = ["180f"]
        air.rssi = -70
        return DeviceModel(
            address: batteryAddress,
            addressType: .random,
            advertisement: air,
            services: common(name: "Sim Battery", appearance: 0) + [batteryService(level: 42)]
        )
    }

    /// Framed commands: written to FFE1, answered by notifications of FFE2.
    package static var framer: DeviceModel {
        var air = AdvertisementModel()
        air.name = "Sim Framer"
        air.services = ["ffe0"]
        air.manufacturer = [.init(0xFFFF, .fixed(Array("cmd1".utf8)))]
        air.rssi = -63
        return DeviceModel(
            address: framerAddress,
            advertisement: air,
            services: common(name: "Sim Framer", appearance: 0) + [
                ServiceModel(
                    "ffe0",
                    [
                        CharacteristicModel("ffe1", [.writeCommand, .write], write: .frames(answersOn: "ffe2")),
                        CharacteristicModel("ffe2", [.notify]),
                    ]
                )
            ],
            mtu: 23
        )
    }

    private static func common(name: String, appearance: UInt16) -> [ServiceModel] {
        let appearanceBytes = [UInt8(truncatingIfNeeded: appearance), UInt8(truncatingIfNeeded: appearance >> 8)]
        return [
            ServiceModel(
                "1800",
                [
                    CharacteristicModel("2a00", [.read], value: .fixed(Array(name.utf8))),
                    CharacteristicModel("2a01", [.read], value: .fixed(appearanceBytes)),
                ]
            ),
            ServiceModel(
                "1801",
                [
                    CharacteristicModel("2a05", [.indicate]),
                    CharacteristicModel("2b29", [.read, .write], value: .fixed([0]), limit: 1),
                    CharacteristicModel("2b2a", [.read], value: .fixed([UInt8](repeating: 0x5A, count: 16))),
                ]
            ),
        ]
    }

    private static func batteryService(level: Int64) -> ServiceModel {
        ServiceModel(
            "180f",
            [
                CharacteristicModel(
                    "2a19",
                    [.read, .notify],
                    value: PayloadModel(.walk(.uint8, from: level, in: 5...100, step: 1, every: 10)),
                    notifyEvery: .seconds(2)
                )
            ]
        )
    }

    private static func deviceInformation(model: String) -> ServiceModel {
        ServiceModel(
            "180a",
            [("2a29", "Simulated"), ("2a24", model), ("2a26", "1.0")].map { uuid, text in
                CharacteristicModel(uuid, [.read], value: .fixed(Array(text.utf8)))
            }
        )
    }
}
