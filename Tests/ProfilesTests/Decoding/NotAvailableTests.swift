import BleCore
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct NotAvailableTests {
    @Test(arguments: ["ruuvi5-invalid", "ruuvi6-invalid", "govee-h5075-impossible-high"])
    func `B49: what is not available is null, and the rest is there`(id: String) throws {
        let vector = try Vector.named(id)
        var reader = vector.reader
        let reading = reader.read(vector.advertisement, at: .zero)
        for (name, value) in vector.expected { #expect(reading[name] == parsedValue(value), "\(name)") }
    }

    @Test(
        arguments: [
            // A payload of a service, what is not available in it, what is.
            (0xFEAA, "2000 0000 8000 00000001 0000000a", ["battery_mv", "temperature"], ["adv_count": "1"]),
            (0xFCD2, "40 0165 02ca09", ["battery"], ["temperature": "25.06"]),
            (0xFCD2, "40 0164 031127", ["humidity"], ["battery": "100"]),
            (0xFCD2, "40 0164 2eff", ["humidity"], ["battery": "100"]),
            (0xFCD2, "40 0164 144e74", ["moisture"], ["battery": "100"]),
            (0xFE95, "5020aa01a3 b2188d38c1a4 0d1004 b400 e903", ["humidity"], ["temperature": "18"]),
            (0xFE95, "5020aa01a3 b2188d38c1a4 0d1004 0080 e803", ["temperature"], ["humidity": "100"]),
            (0xFE95, "5020aa01a3 b2188d38c1a4 0a1001 ff", ["battery"], ["frame_counter": "163"]),
            (0xFE95, "5020aa01a3 b2188d38c1a4 014c04 0000c07f", ["temperature"], ["frame_counter": "163"]),
            (0x181A, "a4c1388d18b2 8000 ff ff 0b67 20", ["temperature", "humidity", "battery"], ["voltage": "2.919"]),
            (
                0x181A, "b2188d38c1a4 0080 ffff f70a ff 20 0f", ["temperature", "humidity", "battery"],
                ["voltage": "2.807"]
            ),
        ] as [(UInt32, String, [String], [String: String])]
    ) func `B49: codes and values that no device can mean are null in each format`(
        service: UInt32,
        payload: String,
        missing: [String],
        present: [String: String]
    ) throws {
        var reader = AdvertisementReader(library: .builtIn())
        let reading = reader.read(try heard(serviceData: [BluetoothUUID(short: service): hex(payload)]), at: .zero)
        #expect(reading.refusal == nil)
        for name in missing { #expect(reading[name] == .null, "\(name)") }
        for (name, value) in present { #expect(reading[name] == number(value), "\(name)") }
    }

    @Test(
        arguments: [
            ("GVH5075_2762", 0xEC88, "00 0003e8 64 00", ["temperature": "0.1", "humidity": "0", "battery": "100"]),
            // 148 % cannot be; the battery's highest bit is an error of the sensor.
            (
                "Govee_H5074_F092", 0xEC88, "00 f0fd d039 64 02",
                ["temperature": "-5.28", "humidity": nil, "battery": "100"]
            ),
            ("GVH5075_2762", 0xEC88, "00 0341c2 e4 00", ["battery": "100"]),
            ("GVH5104_311C", 0x0001, "0101 4a0028 64", ["temperature": nil, "humidity": nil, "battery": "100"]),
            ("iBBQ", 0x0000, "0000 a4c1388d18b2 f6ff d200", ["temperature_probe_1": nil, "temperature_probe_2": "21"]),
            ("sps", 0x7FFF, "4411 00 0000 5a 06", ["temperature": nil, "humidity": nil, "battery": "90"]),
            ("tps", 0x0A00, "0000 00 0000 ff 06", ["temperature": "25.6", "humidity": nil, "battery": nil]),
        ] as [(String, UInt16, String, [String: String?])]
    ) func `B49: sensors that fail are told by name, and the rest is there`(
        name: String,
        company: UInt16,
        payload: String,
        expected: [String: String?]
    ) throws {
        var reader = AdvertisementReader(library: .builtIn())
        let reading = reader.read(try heard(name: name, manufacturer: [company: hex(payload)]), at: .zero)
        #expect(reading.table == expected.mapValues { $0.map { number($0) } ?? .null })
    }

    @Test(
        arguments: [
            ("heart-rate", "2a37", "00 48", ["heart_rate": "72", "contact": nil]),
            ("health-thermometer", "2a1c", "00 ffff7f00", ["body_temperature": nil]),
            ("health-thermometer", "2a1c", "00 feff7f00", ["body_temperature": nil]),
            ("health-thermometer", "2a1c", "00 02008000", ["body_temperature": nil]),
            (
                "blood-pressure", "2a35", "00 7800 ff07 0008",
                ["systolic": "120", "diastolic": nil, "mean_arterial": nil]
            ),
            ("weight-scale", "2a9d", "04 ffff ff", ["weight": nil, "user": nil]),
            ("environmental-sensing", "2a6e", "0080", ["temperature": nil]),
            ("environmental-sensing", "2a6f", "ffff", ["humidity": nil]),
            ("environmental-sensing", "2a6f", "1127", ["humidity": nil]),
            ("environmental-sensing", "2a7b", "80", ["dew_point": nil]),
            ("environmental-sensing", "2afb", "ffffff", ["illuminance": nil]),
            ("environmental-sensing", "2b8c", "ffff", ["co2": nil]),
            ("battery", "2a19", "65", ["battery": nil]),
            ("current-time", "2a2b", "0000 00 00 00 00 00 00 00 00", ["time": nil, "weekday": nil]),
        ] as [(String, String, String, [String: String?])]
    ) func `B49: what a characteristic says is not available is null`(
        profile: String,
        uuid: String,
        payload: String,
        expected: [String: String?]
    ) throws {
        let reading = try read(profile, uuid, payload)
        #expect(reading.table == expected.mapValues { $0.map { number($0) } ?? .null })
    }
}

/// What a built-in profile reads from a characteristic.
func read(_ profile: String, _ uuid: String, _ payload: String) throws -> AdvertisementReading {
    let profile = try #require(ProfileLibrary.builtIn()[profile])
    let source = profile.sources.first { source in
        if case .characteristic(let selector, _) = source.place {
            selector.characteristic == BluetoothUUID(uuid)
        } else {
            false
        }
    }
    return try #require(source).read(hex(payload), of: profile)
}
