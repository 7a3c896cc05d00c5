import BleCore
import Frames
import Profiles
import Testing

/// Bytes from hexadecimal digits, for tables.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

func number(_ text: String) -> ParsedValue { DecimalNumber(text: text).map { .number($0) } ?? .null }

let standardAddress = DeviceAddress("A4:C1:38:8D:18:B2") ?? DeviceAddress(rawValue: 0)

/// An advertisement with what a decoder looks at.
func heard(
    _ address: DeviceAddress? = standardAddress,
    name: String? = nil,
    services: [BluetoothUUID] = [],
    manufacturer: [UInt16: [UInt8]] = [:],
    serviceData: [BluetoothUUID: [UInt8]] = [:]
) throws -> Advertisement {
    var advertisement = Advertisement(address: try #require(address), adapter: "hci0", heard: 0)
    advertisement.name = name
    advertisement.services = services
    advertisement.manufacturerData = manufacturer
    advertisement.serviceData = serviceData
    return advertisement
}

extension AdvertisementReading {
    /// The value of a name; nil when there is none.
    subscript(name: String) -> ParsedValue? { values.first { $0.name == name }?.value }

    /// All values by name.
    var table: [String: ParsedValue] {
        Dictionary(values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Profile {
    /// A profile that has to be valid.
    init(yaml: String) throws { self = try ProfileParser.parse(Array(yaml.utf8)) }
}
