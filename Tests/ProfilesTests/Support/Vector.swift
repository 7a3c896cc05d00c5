import BleCore
import Foundation
import Frames
import Profiles
import Testing

/// An advertisement of `advertisement-vectors.json` and what it has to be read as.
struct Vector: CustomTestStringConvertible, @unchecked Sendable {
    let id: String
    let advertisement: Advertisement
    let key: [UInt8]?
    // Safe because: JSON values that nobody changes.
    let expected: [String: Any]

    var testDescription: String { id }

    static let all: [Vector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../Vectors/advertisement-vectors.json"
        )
        // A file that cannot be read is no vectors, which a test tells.
        guard let data = try? Data(contentsOf: file), let json = try? JSONSerialization.jsonObject(with: data),
            let vectors = (json as? [String: Any])?["vectors"] as? [[String: Any]]
        else { return [] }
        return vectors.compactMap { Vector($0) }
    }()

    static func named(_ id: String) throws -> Vector { try #require(all.first { $0.id == id }, "\(id)") }

    private init?(_ json: [String: Any]) {
        guard let id = json["id"] as? String, let expected = json["expected"] as? [String: Any] else { return nil }
        self.id = id
        self.expected = expected
        let address = DeviceAddress(json["address"] as? String ?? "C0:00:00:00:00:01")
        guard let address else { return nil }
        var advertisement = Advertisement(address: address, adapter: "hci0", heard: 0)
        advertisement.name = json["name"] as? String
        for (company, bytes) in json["manufacturer_data"] as? [String: String] ?? [:] {
            advertisement.manufacturerData[UInt16(company) ?? 0] = hex(bytes)
        }
        for (uuid, bytes) in json["service_data"] as? [String: String] ?? [:] {
            guard let uuid = BluetoothUUID(uuid) else { return nil }
            advertisement.serviceData[uuid] = hex(bytes)
        }
        self.advertisement = advertisement
        key = (json["bindkey"] as? String).map { hex($0) }
    }

    /// A reader that knows the built-in profiles, and the vector's key.
    var reader: AdvertisementReader {
        AdvertisementReader(
            library: .builtIn(),
            keys: BindKeys(key.map { [advertisement.address: $0] } ?? [:])
        )
    }

    /// The company whose payload counts: an iBeacon may stand beside it.
    private var company: UInt16? {
        let companies = advertisement.manufacturerData.keys.sorted()
        return companies.first { $0 != 0x004C } ?? companies.first
    }

    /// The payload, to be changed.
    var payload: [UInt8] {
        advertisement.serviceData.values.first ?? company.flatMap { advertisement.manufacturerData[$0] } ?? []
    }

    /// The advertisement with another payload.
    func with(payload: [UInt8]) -> Advertisement {
        var changed = advertisement
        if let service = changed.serviceData.keys.first {
            changed.serviceData[service] = payload
        } else if let company {
            changed.manufacturerData[company] = payload
        }
        return changed
    }
}

/// A value of JSON as the decoders write it.
func parsedValue(_ json: Any) -> ParsedValue {
    if json is NSNull { return .null }
    if let number = json as? NSNumber {
        if CFGetTypeIDIsBool(number) { return .bool(number.boolValue) }
        return DecimalNumber(number.doubleValue).map { .number($0) } ?? .null
    }
    return .text(json as? String ?? "?")
}

private func CFGetTypeIDIsBool(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" && number is Bool }
