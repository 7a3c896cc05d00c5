import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct BelowZeroTests {
    @Test(arguments: ["bthome2-temperature-1-byte", "pvvx-negative", "eddystone-tlm-negative", "bthome2-speed-signed"])
    func `B47: the published readings below zero are right`(id: String) throws {
        let vector = try Vector.named(id)
        var reader = vector.reader
        let reading = reader.read(vector.advertisement, at: .zero)
        for (name, value) in vector.expected { #expect(reading[name] == parsedValue(value), "\(name)") }
    }

    /// A payload, and where a signed field of it stands.
    struct Case: CustomTestStringConvertible, Sendable {
        let id: String
        let field: String
        /// The bytes that are replaced, the value at all bits set, and what the lowest one reads as (nil: impossible).
        let place: Range<Int>
        let isBigEndian: Bool
        let minusOne: String
        let lowest: String?

        var testDescription: String { "\(id) \(field)" }
    }

    private static let cases: [Case] = [
        Case(
            id: "bthome2-rotation",
            field: "rotation",
            place: 2..<4,
            isBigEndian: false,
            minusOne: "-0.1",
            lowest: "-3276.8"
        ),
        Case(
            id: "bthome2-count-signed",
            field: "count",
            place: 2..<3,
            isBigEndian: false,
            minusOne: "-1",
            lowest: "-128"
        ),
        Case(
            id: "bthome2-count-signed-4-bytes",
            field: "count",
            place: 2..<6,
            isBigEndian: false,
            minusOne: "-1",
            lowest: "-2147483648"
        ),
        Case(
            id: "bthome2-current-signed",
            field: "current",
            place: 2..<4,
            isBigEndian: false,
            minusOne: "-0.001",
            lowest: "-32.768"
        ),
        Case(
            id: "bthome2-acceleration-signed",
            field: "acceleration",
            place: 2..<6,
            isBigEndian: false,
            minusOne: "-0.000001",
            lowest: "-2147.483648"
        ),
        Case(id: "atc1441-2", field: "temperature", place: 6..<8, isBigEndian: true, minusOne: "-0.1", lowest: nil),
        Case(id: "pvvx-2", field: "temperature", place: 6..<8, isBigEndian: false, minusOne: "-0.01", lowest: nil),
        Case(id: "ruuvi5-max", field: "temperature", place: 1..<3, isBigEndian: true, minusOne: "-0.005", lowest: nil),
        Case(
            id: "ruuvi5-max",
            field: "acceleration_x_mg",
            place: 7..<9,
            isBigEndian: true,
            minusOne: "-1",
            lowest: nil
        ),
        Case(
            id: "ruuvi6-valid",
            field: "temperature",
            place: 1..<3,
            isBigEndian: true,
            minusOne: "-0.005",
            lowest: nil
        ),
        Case(
            id: "ruuvi3-max",
            field: "acceleration_y_mg",
            place: 8..<10,
            isBigEndian: true,
            minusOne: "-1",
            lowest: "-32768"
        ),
        Case(
            id: "mibeacon-hhccjcy01-temp2",
            field: "temperature",
            place: 15..<17,
            isBigEndian: false,
            minusOne: "-0.1",
            lowest: nil
        ),
        Case(
            id: "eddystone-tlm-negative",
            field: "temperature",
            place: 4..<6,
            isBigEndian: true,
            minusOne: "-0.00390625",
            lowest: nil
        ),
        Case(
            id: "eddystone-uid",
            field: "tx_power_0m",
            place: 1..<2,
            isBigEndian: true,
            minusOne: "-1",
            lowest: "-128"
        ),
        Case(
            id: "ibeacon-1",
            field: "measured_power",
            place: 22..<23,
            isBigEndian: true,
            minusOne: "-1",
            lowest: "-128"
        ),
    ]

    @Test(arguments: cases) func `B47: each signed field is right at -1 and at its lowest`(test: Case) throws {
        let vector = try Vector.named(test.id)
        var payload = vector.payload
        for place in test.place { payload[place] = 0xFF }
        var reader = vector.reader
        #expect(reader.read(vector.with(payload: payload), at: .zero)[test.field] == number(test.minusOne))
        for place in test.place { payload[place] = 0 }
        payload[test.isBigEndian ? test.place.lowerBound : test.place.upperBound - 1] = 0x80
        reader = vector.reader
        let lowest = reader.read(vector.with(payload: payload), at: .zero)[test.field]
        #expect(lowest == test.lowest.map { number($0) } ?? .null)
    }

    @Test(
        arguments: [
            // Minus 5.3 °C and 44.2 %: the sign is the highest bit, and no part of the humidity.
            ("GVH5075_2762", 0xEC88, "00 80d0c2 64 00", "-5.3", "44.2"),
            ("GVH5072_0001", 0xEC88, "00 800001 64 00", "0", "0.1"),
            ("GVH5177_2EC8", 0x0001, "0101 80d0c2 64", "-5.3", "44.2"),
            ("GVH5104_311C", 0x0001, "0101 86ac84 64", "-43.7", "39.6"),
            ("Govee_H5074_F092", 0xEC88, "00 f0fd 4411 64 02", "-5.28", "44.2"),
            ("Govee_H5179_0000", 0x8801, "ec000101 f0fd 4411 64", "-5.28", "44.2"),
            ("GVH5106_4E05", 0x0001, "0101 832f75d7", "-5.3", "44.2"),
        ] as [(String, UInt16, String, String, String)]
    ) func `B47: temperature and humidity in one number are right below zero`(
        name: String,
        company: UInt16,
        payload: String,
        temperature: String,
        humidity: String
    ) throws {
        var reader = AdvertisementReader(library: .builtIn())
        let reading = reader.read(try heard(name: name, manufacturer: [company: hex(payload)]), at: .zero)
        // Below what the maker says that the device measures.
        let isPossible = temperature != "-43.7"
        #expect(reading["temperature"] == (isPossible ? number(temperature) : .null))
        #expect(reading["humidity"] == (isPossible ? number(humidity) : .null))
    }

    @Test(arguments: [("8000", "0"), ("8001", "-0.01"), ("8105", "-1.05"), ("ff63", "-127.99"), ("0001", "0.01")])
    func `B47: a magnitude with a sign is right at zero and below`(bytes: String, value: String) throws {
        let vector = try Vector.named("ruuvi3-max")
        var payload = vector.payload
        payload.replaceSubrange(2..<4, with: hex(bytes))
        var reader = vector.reader
        #expect(reader.read(vector.with(payload: payload), at: .zero)["temperature"] == number(value))
    }

    @Test func `B47: probes and thermometers with the id as temperature are right below zero`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        let vector = try Vector.named("ibbq-2")
        var payload = vector.payload
        payload.replaceSubrange(8..<12, with: hex("cdff 0bfe"))
        var reading = reader.read(vector.with(payload: payload), at: .zero)
        #expect(reading["temperature_probe_1"] == number("-5.1"))
        #expect(reading["temperature_probe_2"] == .null)
        // -5.28 °C stands where the company's id belongs.
        reading = reader.read(try heard(name: "sps", manufacturer: [0xFDF0: hex("4411 00 0000 5a 06")]), at: .zero)
        #expect(reading["temperature"] == number("-5.28"))
        #expect(reading["humidity"] == number("44.2"))
        #expect(reading["battery"] == number("90"))
    }
}
