extension DemoDevices {
    /// BTHome version 2, not encrypted: packet id (new every third advertisement), temperature and humidity.
    package static var bthome: DeviceModel {
        let payload = PayloadModel(
            .bytes([0x40, 0x00]),
            .counter(.uint8, every: 3),
            .bytes([0x02]),
            .walk(.uint16, from: 2130, in: -1000...4500, step: 15, every: 3),
            .bytes([0x03]),
            .walk(.uint16, from: 4820, in: 1000...9500, step: 25, every: 3)
        )
        var air = AdvertisementModel()
        air.name = "Sim BTHome"
        air.serviceData = [.init("fcd2", payload)]
        air.rssi = -77
        return beacon(bthomeAddress, air, interval: .milliseconds(400))
    }

    /// An iBeacon that never changes.
    package static var iBeacon: DeviceModel {
        let region: [UInt8] = [
            0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0,
        ]
        var air = AdvertisementModel()
        air.manufacturer = [.init(0x004C, .fixed([0x02, 0x15] + region + [0x00, 0x01, 0x00, 0x02, 0xC5]))]
        air.rssi = -80
        return beacon(iBeaconAddress, air, interval: .milliseconds(300))
    }

    /// RuuviTag, data format 5: temperature in 0.005 °C, humidity in 0.0025 %, pressure in Pa above 50,000.
    package static var ruuvi: DeviceModel {
        let acceleration: [UInt8] = [0x00, 0x04, 0xFF, 0xFC, 0x04, 0x0C]
        let powerAndMovement: [UInt8] = [0xAC, 0x36, 0x42]
        let payload = PayloadModel(
            .bytes([0x05]),
            .walk(.uint16BigEndian, from: 4300, in: -8000...16_000, step: 20),
            .walk(.uint16BigEndian, from: 19_000, in: 4000...38_000, step: 60),
            .walk(.uint16BigEndian, from: 50_900, in: 45_000...56_000, step: 8),
            .bytes(acceleration + powerAndMovement),
            .counter(.uint16BigEndian),
            .bytes([0xC0, 0x5A, 0x00, 0x00, 0x00, 0x13])
        )
        var air = AdvertisementModel()
        air.manufacturer = [.init(0x0499, payload)]
        air.rssi = -73
        return beacon(ruuviAddress, air, interval: .milliseconds(1285))
    }

    /// More devices, for load: every fourth can be connected to, the others are beacons.
    package static func extra(_ count: Int) -> [DeviceModel] {
        (0..<max(0, min(count, 65_536))).map { index in
            let address = "C0:5B:00:00:\(hexPair(index >> 8)):\(hexPair(index))"
            var air = AdvertisementModel()
            air.name = "Sim \(index)"
            air.manufacturer = [.init(0xFFFF, PayloadModel(.counter(.uint16), .bytes([0xE5])))]
            air.rssi = Int16(-50 - index % 45)
            guard index.isMultiple(of: 4) else { return beacon(address, air, interval: .milliseconds(1000)) }
            air.services = ["180f"]
            air.interval = .milliseconds(1000)
            let level = CharacteristicModel("2a19", [.read, .notify], value: .fixed([77]), notifyEvery: .seconds(1))
            return DeviceModel(address: address, advertisement: air, services: [ServiceModel("180f", [level])])
        }
    }

    private static func beacon(_ address: String, _ air: AdvertisementModel, interval: Duration) -> DeviceModel {
        var air = air
        air.interval = interval
        air.isConnectable = false
        return DeviceModel(address: address, advertisement: air)
    }

    private static func hexPair(_ value: Int) -> String { hex(value & 0xFF, digits: 2).uppercased() }
}
