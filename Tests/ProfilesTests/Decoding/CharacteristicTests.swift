import Frames
import Profiles
import Testing

/// Layouts of the GATT Specification Supplement, with values worked out by hand.
@Suite(.timeLimit(.minutes(10))) struct CharacteristicTests {
    @Test(
        arguments: [
            ("2a37", "00 48", ["heart_rate": "72"]),
            ("2a37", "01 4801", ["heart_rate": "328"]),
            ("2a37", "08 48 3412", ["heart_rate": "72", "energy_expended": "4660"]),
            // Two intervals have gathered; the newest is the last: 1024 of 1/1024 s.
            ("2a37", "10 48 0002 0004", ["heart_rate": "72", "rr_interval": "1"]),
            ("2a37", "19 4801 0100 0003", ["heart_rate": "328", "energy_expended": "1", "rr_interval": "0.75"]),
            // The flag is there, and no interval has come yet.
            ("2a37", "10 48", ["heart_rate": "72"]),
        ] as [(String, String, [String: String])]
    ) func `a heart rate is laid out as its flags say`(uuid: String, bytes: String, values: [String: String]) throws {
        let reading = try read("heart-rate", uuid, bytes)
        #expect(reading.table.filter { $0.key != "contact" } == values.mapValues { number($0) })
    }

    @Test(arguments: [(0x00, nil), (0x02, nil), (0x04, false), (0x06, true)] as [(UInt8, Bool?)])
    func `skin contact is known where the sensor feels it`(flags: UInt8, contact: Bool?) throws {
        let flags = String(flags, radix: 16)
        let reading = try read("heart-rate", "2a37", "0\(flags)48")
        #expect(reading["contact"] == contact.map { .bool($0) } ?? .null)
    }

    @Test(arguments: ["", "00", "01 48", "08 48", "08 48 34", "10 48 00", "18 48 3412 00"])
    func `a heart rate that is cut tells nothing`(bytes: String) throws {
        let reading = try read("heart-rate", "2a37", bytes)
        #expect(reading.values.isEmpty && reading.refusal == .malformed)
    }

    @Test func `a temperature has its unit, time and place`() throws {
        var reading = try read("health-thermometer", "2a1c", "06 6c0100ff ea070b1e160500 02")
        #expect(reading["body_temperature"] == number("36.4"))
        #expect(reading["measured_at"] == .text("2026-11-30T22:05:00"))
        #expect(reading["measured_where"] == .text("body"))
        #expect(reading.values.first { $0.name == "body_temperature" }?.unit == "°C")
        reading = try read("health-thermometer", "2a1c", "05 da0300ff 06")
        #expect(reading["body_temperature"] == number("98.6"))
        #expect(reading.values.first { $0.name == "body_temperature" }?.unit == "°F")
        #expect(reading["measured_where"] == .text("mouth"))
        // A place that is none of the list.
        #expect(try read("health-thermometer", "2a1d", "2a")["measured_where"] == .null)
    }

    @Test func `a weight has its unit, and the body's measures beside it`() throws {
        var reading = try read("weight-scale", "2a9d", "0e 8038 ea070b1e160500 01 e600 d606")
        #expect(reading["weight"] == number("72.32"))
        #expect(reading["measured_at"] == .text("2026-11-30T22:05:00"))
        #expect(reading["user"] == number("1"))
        #expect(reading["bmi"] == number("23"))
        #expect(reading["height"] == number("1.75"))
        reading = try read("weight-scale", "2a9d", "09 803e e600 bc02")
        #expect(reading["weight"] == number("160"))
        #expect(reading["height"] == number("70"))
        #expect(reading.values.map(\.unit) == ["lb", nil, "in"])
        #expect(reading["user"] == nil)
    }

    @Test func `a blood pressure has its unit, pulse, user and status`() throws {
        var reading = try read("blood-pressure", "2a35", "1e 7800 5000 5d00 ea070b1e160500 4800 02 0100")
        let values = ["systolic": "120", "diastolic": "80", "mean_arterial": "93", "pulse": "72", "user": "2"]
        for (name, value) in values { #expect(reading[name] == number(value), "\(name)") }
        #expect(reading["moved"] == .bool(true))
        // 16.0 kPa is 160 times 10^-1.
        reading = try read("blood-pressure", "2a35", "01 a0f0 6bf0 7cf0")
        #expect(reading["systolic"] == number("16") && reading["diastolic"] == number("10.7"))
        #expect(reading.values.map(\.unit) == ["kPa", "kPa", "kPa"])
        #expect(try read("blood-pressure", "2a36", "00 7800 ff07 ff07")["cuff_pressure"] == number("120"))
    }

    @Test(
        arguments: [
            ("cycling-speed-cadence", "2a5b", "01 e8030000 0004", ["wheel_revolutions": "1000", "wheel_time": "1"]),
            ("cycling-speed-cadence", "2a5b", "02 0a00 0008", ["crank_revolutions": "10", "crank_time": "2"]),
            (
                "cycling-speed-cadence", "2a5b", "03 01000000 0100 0200 0200",
                [
                    "wheel_revolutions": "1", "wheel_time": "0.0009765625", "crank_revolutions": "2",
                    "crank_time": "0.001953125",
                ]
            ),
            ("cycling-speed-cadence", "2a5b", "00", [:]),
            ("running-speed-cadence", "2a53", "00 0003 b4", ["speed": "3", "cadence": "180"]),
            (
                "running-speed-cadence", "2a53", "03 8002 aa 6e00 10270000",
                ["speed": "2.5", "cadence": "170", "stride": "1.1", "distance": "1000"]
            ),
            (
                "running-speed-cadence", "2a53", "02 8002 aa 10270000",
                ["speed": "2.5", "cadence": "170", "distance": "1000"]
            ),
        ] as [(String, String, String, [String: String])]
    ) func `speed and cadence are laid out as their flags say`(
        profile: String,
        uuid: String,
        bytes: String,
        values: [String: String]
    ) throws {
        let reading = try read(profile, uuid, bytes)
        #expect(reading.table.filter { $0.key != "running" } == values.mapValues { number($0) })
        #expect(reading.refusal == nil)
    }

    @Test(
        arguments: [
            ("environmental-sensing", "2a6e", "f0fd", "temperature", "-5.28"),
            ("environmental-sensing", "2a6f", "1027", "humidity", "100"),
            ("environmental-sensing", "2a6d", "cd760f00", "pressure", "101345.3"),
            ("environmental-sensing", "2a7b", "f6", "dew_point", "-10"),
            ("battery", "2a19", "64", "battery", "100"), ("battery", "2a19", "00", "battery", "0"),
        ] as [(String, String, String, String, String)]
    ) func `plain characteristics are read`(
        profile: String,
        uuid: String,
        bytes: String,
        name: String,
        value: String
    ) throws {
        #expect(try read(profile, uuid, bytes)[name] == number(value))
    }

    @Test func `texts of the device are read up to their NUL`() throws {
        #expect(try read("device-information", "2a29", "41434d4500")["manufacturer"] == .text("ACME"))
        #expect(try read("device-information", "2a26", "ff00")["firmware_revision"] == .null)
        #expect(try read("nordic-uart", "6e400003-b5a3-f393-e0a9-e50e24dcca9e", "6f6b")["received"] == .text("ok"))
        let time = try read("current-time", "2a2b", "ea070b1e160500 01 80 00")
        #expect(time["time"] == .text("2026-11-30T22:05:00") && time["weekday"] == number("1"))
    }
}
