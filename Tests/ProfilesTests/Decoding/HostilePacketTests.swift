import BleCore
import Frames
import PaceSupport
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct HostilePacketTests {
    @Test(arguments: [
        "bthome2-encrypted-ok", "bthome2-encrypted-downgrade", "bthome2-encrypted-mac", "bthome2-unknown-object-second",
    ]) func `B51: the published packets are read or refused as they should`(id: String) throws {
        let vector = try Vector.named(id)
        var reader = vector.reader
        let reading = reader.read(vector.advertisement, at: .zero)
        guard vector.expected["accept"] as? Bool != false else {
            #expect(reading.values.isEmpty && reading.refusal == .notEncrypted)
            return
        }
        for (name, value) in vector.expected where name != "counter_hex" {
            #expect(reading[name] == parsedValue(value))
        }
        // Nothing behind an object that is not known is guessed.
        if id == "bthome2-unknown-object-second" {
            #expect(reading.values.count == 1)
            #expect(reading.warnings == ["the object 0xfe is not known, and ends the reading"])
        }
    }

    @Test(arguments: ["bthome2-encrypted-ok", "bthome2-encrypted-mac"])
    func `B51: what is encrypted is not read without the right key`(id: String) throws {
        let vector = try Vector.named(id)
        var reader = AdvertisementReader(library: .builtIn())
        #expect(reader.read(vector.advertisement, at: .zero).refusal == .noKey)
        reader.keys = BindKeys([vector.advertisement.address: [UInt8](repeating: 7, count: 16)])
        let reading = reader.read(vector.advertisement, at: .zero)
        #expect(reading.refusal == .notAuthentic && reading.values.isEmpty)
    }

    @Test(arguments: ["bthome2-encrypted-ok", "bthome2-encrypted-mac"])
    func `B51: an encrypted packet with any bit changed tells nothing`(id: String) throws {
        let vector = try Vector.named(id)
        for place in vector.payload.indices {
            for bit in 0..<8 as Range<UInt8> {
                var payload = vector.payload
                payload[place] ^= 1 << bit
                var reader = vector.reader
                let reading = reader.read(vector.with(payload: payload), at: .zero)
                #expect(reading.values.isEmpty && reading.events.isEmpty && reading.refusal != nil, "byte \(place)")
            }
        }
    }

    /// Lengths that another form of the same packet has: without what is glued to it, without the reserved bytes, with
    /// one probe.
    private static let otherForms = [
        (id: "govee-h5075-1", count: 6), (id: "govee-h5177", count: 6), (id: "eddystone-uid", count: 18),
        (id: "ibbq-2", count: 10),
    ]

    @Test(arguments: Vector.all) func `B51: a packet that is cut tells nothing, wherever it is cut`(vector: Vector)
        throws
    {
        var whole = vector.reader
        let complete = whole.read(vector.advertisement, at: .zero)
        for count in 0..<vector.payload.count {
            var reader = vector.reader
            let reading = reader.read(vector.with(payload: Array(vector.payload.prefix(count))), at: .zero)
            if vector.advertisement.serviceData[0xFCD2] != nil, vector.key == nil {
                // Cut between two objects it is another packet, with the first objects alone, each as it was.
                #expect(reading.values.count <= complete.values.count)
                if complete.warnings.isEmpty, !vector.id.contains("triple"), reading.refusal == nil {
                    for value in reading.values { #expect(complete[value.name] == value.value, "\(count)") }
                }
            } else if vector.advertisement.serviceData[0xFE95] != nil {
                #expect(reading.values.filter(\.isState).count <= complete.values.filter(\.isState).count)
                for value in reading.values where value.isState { #expect(complete[value.name] == value.value) }
            } else if Self.otherForms.contains(where: { vector.id.hasPrefix($0.id) && count == $0.count }) {
                for value in reading.values { #expect(complete[value.name] == value.value) }
            } else if vector.id.hasPrefix("eddystone-url") {
                // A shorter text is another one.
                #expect(reading["url"] == nil || reading["url"] != complete["url"])
            } else {
                // An iBeacon beside it is whole, and is read for what it is.
                let known = reading.values.filter { complete[$0.name] != nil }
                #expect(known.isEmpty, "\(count): \(known)")
            }
        }
    }

    @Test(arguments: Vector.all) func `B51: a packet that is too long is another one or none`(vector: Vector) throws {
        for surplus in [1, 2, 16, 300] {
            var reader = vector.reader
            let payload = vector.payload + [UInt8](repeating: 0xFF, count: surplus)
            let reading = reader.read(vector.with(payload: payload), at: .zero)
            for value in reading.values where value.isState {
                if case .number(let number) = value.value {
                    #expect(number.double.isFinite)
                    if value.name == "humidity" || value.name == "battery" { #expect(number.double <= 163.84) }
                }
            }
            #expect(reading.events.count <= 32)
        }
    }

    @Test(arguments: Vector.all) func `B51: each byte set to ff harms nothing`(vector: Vector) throws {
        for place in vector.payload.indices {
            var payload = vector.payload
            payload[place] = 0xFF
            var reader = vector.reader
            let reading = reader.read(vector.with(payload: payload), at: .zero)
            for value in reading.values {
                if case .number(let number) = value.value, value.name == "battery" { #expect(number.double <= 100) }
                if case .text(let text) = value.value, value.name == "url" {
                    #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
                }
            }
        }
    }

    @Test(.apart) func `fifteen thousand random packets are read or not, and never trap`() throws {
        var random = SeededRandom(seed: 8)
        var reader = AdvertisementReader(library: .builtIn())
        let names = [
            "GVH5075_1", "GVH5104_1", "GVH5106_1", "B5178", "Govee_H5179_1", "Govee_H5074_1", "sps", "tps", nil,
        ]
        var read = 0
        for round in 0..<Rounds.of(15_000) {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let heads: [[UInt8]] = [
                [], [0x40], [0x44], [0x41], [0x50, 0x20], [0x58, 0x58], [5], [3], [6], [2, 21], [0x10],
            ]
            let payload = (heads.randomElement(using: &random) ?? []) + bytes
            let company = [0x0499, 0x004C, 0xEC88, 0x0001, 0, 0x8801].randomElement(using: &random) ?? 0
            let service = [0xFCD2, 0xFE95, 0xFEAA, 0x181A, 0x181C].randomElement(using: &random) ?? 0
            let address = DeviceAddress(rawValue: UInt64.random(in: 0..<64, using: &random))
            let isService = Bool.random(using: &random)
            let advertisement = try heard(
                address,
                name: names.randomElement(using: &random) ?? nil,
                manufacturer: isService ? [:] : [UInt16(company): payload],
                serviceData: isService ? [BluetoothUUID(short: UInt32(service)): payload] : [:]
            )
            let reading = reader.read(advertisement, at: .milliseconds(round))
            if !reading.isEmpty { read += 1 }
        }
        #expect(read > Rounds.of(500))
    }

    @Test(.apart) func `characteristics of all profiles take any bytes`() {
        var random = SeededRandom(seed: 9)
        for profile in BuiltInProfiles.all {
            for source in profile.sources {
                for _ in 0..<Rounds.of(300) {
                    let count = Int.random(in: 0...30, using: &random)
                    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    let reading = source.read(bytes, of: profile)
                    #expect(Set(reading.values.map(\.name)).count == reading.values.count)
                }
            }
        }
    }

    @Test(.apart) func `an address that changes all the time does not fill the memory`() throws {
        var reader = AdvertisementReader(library: .builtIn())
        let press = hex("44 0001 3a01")
        for index in 0..<(AdvertisementReader.maximumDevices + 500) {
            let address = DeviceAddress(rawValue: UInt64(index))
            let reading = reader.read(try heard(address, serviceData: [0xFCD2: press]), at: .milliseconds(index))
            #expect(reading.events.count == 1)
        }
        #expect(reader.rememberedDevices <= AdvertisementReader.maximumDevices)
    }
}
