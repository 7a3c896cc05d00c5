/// Bytes that an advertisement must have at a place of one of its structures: what a passive scan is told to hear.
///
/// Source: BlueZ 5.66, doc/advertisement-monitor-api.txt, `Patterns`.
package struct AdvertisementPattern: Hashable, Sendable {
    /// Where in the structure's data the bytes stand.
    package let start: UInt8
    /// The structure's type (Bluetooth Assigned Numbers, 2.3).
    package let type: UInt8
    package let content: [UInt8]

    package init(start: UInt8 = 0, type: UInt8, content: [UInt8]) {
        self.start = start
        self.type = type
        self.content = content
    }

    /// Flags as devices send them: a monitor needs bytes, and there is none that stands in every advertisement.
    private static let flags: [UInt8] = [0x02, 0x04, 0x05, 0x06, 0x0A, 0x0E, 0x12, 0x16, 0x18, 0x19, 0x1A, 0x1B, 0x1E]
    /// Beacons often send no flags: BTHome, Xiaomi, Eddystone, exposure notifications.
    private static let beacons: [UInt16] = [0xFCD2, 0xFE95, 0xFEAA, 0xFD6F]
    /// And these makers': Apple, Ruuvi.
    private static let makers: [UInt16] = [0x004C, 0x0499]

    /// What hears the devices that some requests are for, as well as patterns can: those of services and makers that are
    /// named, else of devices that send flags, and of well-known beacons.
    package static func patterns(for requests: some Collection<ScanRequest>) -> [AdvertisementPattern] {
        var found: [AdvertisementPattern] = []
        for request in requests {
            if !request.manufacturers.isEmpty {
                found += request.manufacturers.map { maker($0) }
            } else if !request.services.isEmpty {
                found += request.services.flatMap { service($0) }
            } else {
                found += flags.map { AdvertisementPattern(type: 0x01, content: [$0]) }
                found += beacons.map { AdvertisementPattern(type: 0x16, content: bytes($0)) } + makers.map { maker($0) }
            }
        }
        var seen: Set<AdvertisementPattern> = []
        return found.filter { seen.insert($0).inserted }
    }

    private static func maker(_ company: UInt16) -> AdvertisementPattern {
        AdvertisementPattern(type: 0xFF, content: bytes(company))
    }

    /// A service in a list, complete or not, at one of the first places, and data of the service.
    private static func service(_ uuid: BluetoothUUID) -> [AdvertisementPattern] {
        let bytes = whole(uuid)
        let data: ArraySlice<UInt8>
        let (lists, types): ([UInt8], [UInt8])
        switch uuid.short {
        case let short? where short >> 16 == 0: (data, lists, types) = (bytes[2..<4], [0x02, 0x03], [0x16])
        case .some: (data, lists, types) = (bytes[..<4], [0x04, 0x05], [0x20])
        case nil: (data, lists, types) = (bytes[...], [0x06, 0x07], [0x21])
        }
        // Little-endian on the air.
        let content = Array(data.reversed())
        let starts = content.count == 2 ? [UInt8](arrayLiteral: 0, 2, 4, 6) : [0]
        return lists.flatMap { type in
            starts.map { AdvertisementPattern(start: $0, type: type, content: content) }
        } + types.map { AdvertisementPattern(type: $0, content: content) }
    }

    /// The 16 bytes of a UUID in printing order.
    private static func whole(_ uuid: BluetoothUUID) -> [UInt8] {
        [uuid.high, uuid.low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
        }
    }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
}
