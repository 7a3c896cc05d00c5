import BleCore
import Cryptography
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct RepeatedPacketTests {
    private static let key = hex("231d39c1d7cc1ab1aee224cd096db932")

    private func read(
        _ reader: inout AdvertisementReader,
        _ payload: String,
        service: UInt32 = 0xFCD2,
        at seconds: Double
    ) throws -> AdvertisementReading {
        let advertisement = try heard(serviceData: [BluetoothUUID(short: service): hex(payload)])
        return reader.read(advertisement, at: .seconds(seconds))
    }

    @Test func `a press is told once, however often its packet is repeated`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        var presses = 0
        for round in 0..<200 {
            let reading = try read(&reader, "44 0021 015e 3a01", at: Double(round))
            presses += reading.events.count
            #expect(reading["battery"] == number("94"))
        }
        #expect(presses == 1)
        // The next one has another number; so has one after the counter has begun anew.
        #expect(try read(&reader, "44 0022 015e 3a01", at: 201).events.count == 1)
        #expect(
            try read(&reader, "44 0002 015e 3a02", at: 220).events == [DecodedEvent("button", type: "double_press")]
        )
    }

    @Test func `a press without a counter is told once while its packet goes on`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        #expect(try read(&reader, "44 3a01", at: 0).events.count == 1)
        for tenth in 1..<100 { #expect(try read(&reader, "44 3a01", at: Double(tenth) / 10).events.isEmpty) }
        // It was silent for longer than packets are repeated.
        #expect(try read(&reader, "44 3a01", at: 60).events.count == 1)
        #expect(try read(&reader, "44 3a04", at: 60.1).events == [DecodedEvent("button", type: "long_press")])
        #expect(try read(&reader, "44 3a01", at: 60.2).events.count == 1)
    }

    @Test func `a packet that comes late tells nothing`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        #expect(try read(&reader, "44 0010 3a01", at: 0).events.count == 1)
        #expect(try read(&reader, "44 0011 3a02", at: 1).events.count == 1)
        let late = try read(&reader, "44 0010 3a01", at: 1.5)
        #expect(late.events.isEmpty && late.values.isEmpty && late.refusal == .replayed)
        #expect(try read(&reader, "44 0012 3a01", at: 2).events.count == 1)
    }

    @Test func `a device that begins anew is heard`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        #expect(try read(&reader, "44 0020 3a01", at: 0).events.count == 1)
        #expect(try read(&reader, "44 0000 3a01", at: 10).events.count == 1)
        reader.forget(try heard().address)
        #expect(try read(&reader, "44 0000 3a01", at: 10.1).events.count == 1)
    }

    @Test func `none is no press, and the next button keeps its number`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        #expect(try read(&reader, "44 0001 3a00 3a00", at: 0).events.isEmpty)
        let events = try read(&reader, "44 0002 3a00 3a01 3a03", at: 1).events
        #expect(
            events == [
                DecodedEvent("button", index: 2, type: "press"), DecodedEvent("button", index: 3, type: "triple_press"),
            ]
        )
        // A code that nobody knows is no event.
        #expect(try read(&reader, "44 0003 3a77", at: 2).events.isEmpty)
        #expect(try read(&reader, "44 0004 3c0000", at: 3).events.isEmpty)
    }

    private func sealed(_ clear: String, counter: UInt32) throws -> String {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: counter >> UInt32(8 * $0)) }
        let box = try #require(
            CounterCipher.seal(
                hex(clear),
                signatureBytes: 4,
                key: Self.key,
                nonce: hex("a4c1388d18b2 d2fc 45") + count
            )
        )
        return "45" + Hex.text(box.message + count + box.signature)
    }

    @Test func `an encrypted packet is told once, and an old one never again`() throws {
        var reader = AdvertisementReader(library: .builtIn(), keys: BindKeys([try heard().address: Self.key]))
        let first = try sealed("3a01", counter: 1000)
        let second = try sealed("3a02", counter: 1001)
        #expect(try read(&reader, first, at: 0).events.count == 1)
        #expect(try read(&reader, first, at: 1).events.isEmpty)
        #expect(try read(&reader, second, at: 2).events.count == 1)
        // However much later somebody plays it.
        let replayed = try read(&reader, first, at: 100_000)
        #expect(replayed.events.isEmpty && replayed.refusal == .replayed)
        #expect(try read(&reader, second, at: 100_001).events.isEmpty)
        #expect(try read(&reader, sealed("3a01", counter: 5), at: 100_002).refusal == .replayed)
    }

    @Test func `an encrypted counter may begin anew at its end alone`() throws {
        var reader = AdvertisementReader(library: .builtIn(), keys: BindKeys([try heard().address: Self.key]))
        #expect(try read(&reader, sealed("3a01", counter: .max), at: 0).events.count == 1)
        #expect(try read(&reader, sealed("3a01", counter: 0), at: 1).events.count == 1)
        #expect(try read(&reader, sealed("3a01", counter: .max - 5), at: 2).events.count == 1)
        #expect(try read(&reader, sealed("3a01", counter: 5000), at: 3).refusal == .replayed)
    }

    @Test func `with a key whatever is in clear is refused, in each format`() throws {
        var reader = AdvertisementReader(library: .builtIn(), keys: BindKeys([try heard().address: Self.key]))
        for (service, payload) in [
            (0xFCD2, "40 0164"), (0x181C, "02 0064"), (0x181A, "b2188d38c1a4 3d01 2823 f70a 43 20 0f"),
            (0xFE95, "5020aa01a3 b2188d38c1a4 0a1001 3b"),
        ] as [(UInt32, String)] {
            let reading = try read(&reader, payload, service: service, at: 0)
            #expect(reading.refusal == .notEncrypted && reading.values.isEmpty, "\(payload)")
        }
        // One that says nothing but that it is there is no attempt.
        #expect(try read(&reader, "3020980012 b2188d38c1a4 0d", service: 0xFE95, at: 0).refusal == nil)
    }

    @Test(
        arguments: [
            // Published by github.com/Bluetooth-Devices/xiaomi-ble (Apache-2.0): a smoke detector and its button.
            (
                "54:EF:44:E3:9C:BC", "5b51a7c91cde6707c9ef18dfda143a58",
                "5859970966bc9ce344ef54010812050000 00715ebe90", "smoke"
            ),
            (
                "54:EF:44:E3:9C:BC", "5b51a7c91cde6707c9ef18dfda143a58",
                "5859970964bc9ce344ef542220608 8fd000000003a148fb3", "button"
            ),
        ] as [(String, String, String, String)]
    ) func `Xiaomi's encrypted frames are read`(address: String, key: String, payload: String, name: String) throws {
        let device = try #require(DeviceAddress(address))
        var reader = AdvertisementReader(library: .builtIn(), keys: BindKeys([device: hex(key)]))
        let advertisement = try heard(device, serviceData: [0xFE95: hex(payload)])
        var reading = reader.read(advertisement, at: .zero)
        #expect(reading.refusal == nil)
        if name == "smoke" {
            #expect(reading["smoke"] == .bool(true))
        } else {
            #expect(reading.events == [DecodedEvent("button", type: "press")])
        }
        reading = reader.read(advertisement, at: .seconds(1))
        #expect(reading.events.isEmpty && reading.refusal == nil)
        reader.keys = BindKeys()
        #expect(reader.read(advertisement, at: .seconds(1)).refusal == .noKey)
        reader.keys = BindKeys([device: Self.key])
        #expect(reader.read(advertisement, at: .seconds(1)).refusal == .notAuthentic)
    }
}
