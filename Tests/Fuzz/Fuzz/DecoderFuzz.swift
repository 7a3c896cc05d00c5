import BleCore
import EdgeAgent
import Frames
import Profiles

/// Packets for the built-in profiles: several of one device, each behind its place and its length.
enum DecoderFuzz {
    static let address: DeviceAddress = {
        // Our own constant.
        guard let address = DeviceAddress("54:48:E6:8F:80:A5") else { fatalError("not an address") }
        return address
    }()
    /// The key of BTHome's published example; its other devices have none.
    private static let sealed: DeviceAddress = {
        // Our own constant.
        guard let address = DeviceAddress("A4:C1:38:8D:18:B2") else { fatalError("not an address") }
        return address
    }()
    static let keys = BindKeys([
        sealed: [
            0x23, 0x1d, 0x39, 0xc1, 0xd7, 0xcc, 0x1a, 0xb1, 0xae, 0xe2, 0x24, 0xcd, 0x09, 0x6d, 0xb9, 0x32,
        ]
    ])
    private static let library = ProfileLibrary.builtIn()
    private static let linked = BuiltInProfiles.all.flatMap { profile in
        profile.sources.filter { !$0.isAdvertised }.map { (profile, $0) }
    }
    private static let names = [
        "GVH5075_1", "GVH5104_1", "GVH5106_1", "B5178", "Govee_H5179_1", "Govee_H5074_1", "sps", "tps", "ATC_8F80A5",
        "TEST DEVICE",
    ]

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        var reader = AdvertisementReader(library: library, keys: keys)
        var now = Duration.zero
        var state = ValueState()
        while !input.isEmpty {
            let kind = input.byte()
            let id = UInt16(input.byte()) | UInt16(input.byte()) << 8
            let name = kind & 8 != 0 ? input.choice(names) : nil
            let payload = input.bytes(Int(input.byte()))
            now += .milliseconds(Int(kind >> 5) * 1000)
            let reading: AdvertisementReading
            if kind % 4 == 3 {
                let (profile, source) = linked[Int(id) % linked.count]
                reading = source.read(payload, of: profile)
            } else {
                let places: [ValueSource.Place] = [
                    .manufacturer(id), .serviceData(BluetoothUUID(short: UInt32(id))), .name,
                ]
                var heard = advertisement(from: kind & 4 != 0, places[Int(kind % 4)], payload)
                heard.name = name ?? heard.name
                reading = reader.read(heard, at: now)
            }
            check(reading)
            _ = state.take(reading.values)
            _ = state.publication(at: now)
        }
    }

    /// An advertisement with bytes at a place.
    static func advertisement(from isSealed: Bool, _ place: ValueSource.Place, _ bytes: [UInt8]) -> Advertisement {
        var heard = Advertisement(address: isSealed ? sealed : address, adapter: "hci0", heard: 0)
        switch place {
        case .characteristic: break
        case .manufacturer(let company?): heard.manufacturerData = [company: bytes]
        case .manufacturer(nil):
            let company = UInt16(bytes.first ?? 0) | UInt16(bytes.dropFirst().first ?? 0) << 8
            heard.manufacturerData = [company: Array(bytes.dropFirst(2))]
        case .serviceData(let service): heard.serviceData = [service: bytes]
        case .name: heard.name = String(decoding: bytes, as: UTF8.self)
        }
        return heard
    }

    /// Whatever was read: each name once, no number that JSON has not, and JSON in all.
    static func check(_ reading: AdvertisementReading) {
        guard Set(reading.values.map(\.name)).count == reading.values.count else {
            fatalError("a value was read twice")  // this is the finding
        }
        isJSON(StateMessage(reading.values).encode())
        for event in reading.events {
            guard !event.fullName.isEmpty else { fatalError("an event without a name") }  // this is the finding
            isJSON(StateMessage(event.details).encode())
        }
    }

    /// What goes out has to be something that a decoder takes.
    static func isJSON(_ bytes: [UInt8]) {
        do throws(JSONFailure) {
            _ = try JSONReader(maxBytes: .max).read(bytes)
        } catch {
            fatalError("no JSON went out: \(error)")  // this is the finding
        }
    }
}
