internal import DBus

/// What one client of the discovery wants to hear of.
///
/// Source: bluez 5.66, `parse_discovery_filter_dict`.
struct DiscoveryFilter: Equatable {
    static let names = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

    var services: Set<String> = []
    var rssi: Int16?
    var pathloss: UInt16?
    var wantsDuplicates = false
    var pattern: String?

    /// Reads the argument of `SetDiscoveryFilter`.
    ///
    /// - Returns: nil for an empty dictionary, which takes the filter back.
    /// - Throws: `BluezError.invalidArguments` for unknown keys, wrong types and values out of range.
    static func parse(_ argument: DBusValue?) throws(BluezError) -> DiscoveryFilter? {
        guard case .dictionary(_, _, let entries)? = argument else { throw .invalidArguments }
        guard !entries.isEmpty else { return nil }
        var filter = DiscoveryFilter()
        for entry in entries {
            guard case .string(let key) = entry.key, case .variant(let value) = entry.value else {
                throw .invalidArguments
            }
            try filter.take(key, value)
        }
        // Nearness is bounded in one way or the other.
        guard filter.rssi == nil || filter.pathloss == nil else { throw .invalidArguments }
        return filter
    }

    private mutating func take(_ key: String, _ value: DBusValue) throws(BluezError) {
        switch (key, value) {
        case ("UUIDs", .array(_, let values)):
            for value in values {
                guard case .string(let text) = value, Self.isUUID(text) else { throw .invalidArguments }
                services.insert(LongUUID.text(text))
            }
        case ("RSSI", .int16(let value)) where (-127...20).contains(value): rssi = value
        case ("Pathloss", .uint16(let value)) where value <= 137: pathloss = value
        case ("Transport", .string("auto")), ("Transport", .string("le")), ("Transport", .string("bredr")): break
        case ("DuplicateData", .bool(let value)): wantsDuplicates = value
        case ("Discoverable", .bool): break
        case ("Pattern", .string(let value)): pattern = value
        default: throw .invalidArguments
        }
    }

    /// Whether an advertisement is let through to this client.
    func admits(_ advertisement: AdvertisementModel, address: String, rssi heard: Int16) -> Bool {
        if let rssi, heard < rssi { return false }
        if let pathloss {
            guard let power = advertisement.txPower, Int(power) - Int(heard) <= Int(pathloss) else { return false }
        }
        if let pattern, !address.hasPrefix(pattern), !(advertisement.name ?? "").hasPrefix(pattern) { return false }
        return services.isEmpty || advertisement.services.contains { services.contains(LongUUID.text($0)) }
    }

    static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let isHex = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
        }
        switch bytes.count {
        case 4, 8: return bytes.allSatisfy(isHex)
        case 36:
            let hyphens: Set<Int> = [8, 13, 18, 23]
            return bytes.indices.allSatisfy { hyphens.contains($0) ? bytes[$0] == 0x2D : isHex(bytes[$0]) }
        default: return false
        }
    }
}

/// One client's part in the discovery.
///
/// A filter is kept as long as its client, running or not.
struct DiscoverySession {
    let sender: String
    var filter: DiscoveryFilter?
    var isRunning = false
}
