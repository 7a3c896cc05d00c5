internal import DBus

/// Bytes that a structure of an advertisement must have at a place.
struct MonitorPattern: Equatable {
    /// One structure of an advertisement: its type and its data.
    struct Structure: Equatable {
        let type: UInt8
        let data: [UInt8]
    }

    let start: Int
    let type: UInt8
    let content: [UInt8]

    func fits(_ structures: [Structure]) -> Bool {
        structures.contains { structure in
            structure.type == type && structure.data.count >= start + content.count
                && Array(structure.data[start..<start + content.count]) == content
        }
    }

    /// Reads the properties of a monitor.
    ///
    /// Source: bluez 5.66, `parse_monitor_type` and `parse_patterns`.
    ///
    /// - Returns: nil for a monitor that bluetoothd would not take: another type, no patterns, one that cannot be.
    static func read(_ properties: DBusValue) -> [MonitorPattern]? {
        guard case .dictionary(_, _, let entries) = properties else { return nil }
        func value(_ name: String) -> DBusValue? { entries.first { $0.key == .string(name) }?.value.unwrapped }
        guard value("Type") == .string("or_patterns"), case .array(_, let items)? = value("Patterns"), !items.isEmpty
        else { return nil }
        var patterns: [MonitorPattern] = []
        for item in items {
            guard case .structure(let members) = item, members.count == 3, case .byte(let start) = members[0],
                case .byte(let type) = members[1], case .bytes(let content) = members[2], !content.isEmpty,
                Int(start) + content.count <= 31
            else { return nil }
            patterns.append(MonitorPattern(start: Int(start), type: type, content: content))
        }
        return patterns
    }
}

extension ReceivedAdvertisement {
    /// The structures of the advertisement on the air, of what a model says and what differs each time.
    ///
    /// Source: Bluetooth Core Specification Supplement, Part A, 1.
    func structures(_ model: AdvertisementModel) -> [MonitorPattern.Structure] {
        var found = model.flags == 0 ? [] : [MonitorPattern.Structure(type: 0x01, data: [model.flags])]
        let uuids = model.services.map { LongUUID.air($0) }
        for (type, length) in [(UInt8(0x03), 2), (0x05, 4), (0x07, 16)] {
            let data = uuids.filter { $0.count == length }.flatMap(\.self)
            if !data.isEmpty { found.append(.init(type: type, data: data)) }
        }
        for (company, data) in manufacturer {
            found.append(.init(type: 0xFF, data: [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + data))
        }
        for (uuid, data) in serviceData {
            let short = LongUUID.air(uuid)
            let type: UInt8 = short.count == 2 ? 0x16 : short.count == 4 ? 0x20 : 0x21
            found.append(.init(type: type, data: short + data))
        }
        if let name = model.name { found.append(.init(type: 0x09, data: Array(name.utf8))) }
        if let power = model.txPower { found.append(.init(type: 0x0A, data: [UInt8(truncatingIfNeeded: power)])) }
        return found
    }
}
