package import BleCore

/// What the configured devices were recognised as and have told so far: the content of `profiles.json`.
///
/// ```json
/// {"version":1,"devices":[{"address":"a1b2c3d4e5f6","profiles":["bthome"],"values":["temperature"],"events":[]}]}
/// ```
package struct KeptProfiles: Sendable, Equatable {
    /// Names in the order of first sight.
    package struct Names: Sendable, Equatable {
        /// The most of each: a device may make them up.
        package static let limit = 256

        package private(set) var values: [String] = []
        package private(set) var events: [String] = []

        package init() {}

        /// Notes a value; true when it is new.
        package mutating func add(value: String) -> Bool { Self.add(value, to: &values) }

        /// Notes an event; true when it is new.
        package mutating func add(event: String) -> Bool { Self.add(event, to: &events) }

        private static func add(_ name: String, to names: inout [String]) -> Bool {
            guard names.count < limit, !names.contains(name) else { return false }
            names.append(name)
            return true
        }
    }

    package struct Record: Sendable, Equatable {
        package var address: DeviceAddress
        /// What it was recognised as; empty where the configuration says it.
        package var profiles: [String]
        package var names: Names

        package init(address: DeviceAddress, profiles: [String] = [], names: Names = Names()) {
            self.address = address
            self.profiles = profiles
            self.names = names
        }
    }

    package static let version: Int64 = 1
    package static let fileName = "profiles.json"
    package static let maxBytes = 16 << 20

    package var records: [Record]

    package init(_ records: [Record] = []) { self.records = records }
}

// MARK: In JSON

extension KeptProfiles {
    package func encode() -> [UInt8] {
        StateList.encode("devices", version: Self.version, records, elementBytes: 256) { $1.write(to: &$0) }
    }

    /// Reads what a file holds.
    ///
    /// - Throws: ``StateFailure``, also for a file of a newer agent; `path` is the file's name in it.
    package static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> KeptProfiles {
        let list = try StateList.read("devices", in: bytes, version: version, maxBytes: maxBytes, path: path)
        return KeptProfiles(try StateList.map(list, path: path) { Record($0) })
    }
}

extension KeptProfiles.Record {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("address", address.hex)
        writer.field("profiles", texts: profiles)
        writer.field("values", texts: names.values)
        writer.field("events", texts: names.events)
        writer.endObject()
    }

    /// Reads one entry; nil when anything is wrong with it.
    fileprivate init?(_ object: JSONObject) {
        guard let address = object["address"]?.string.flatMap({ DeviceAddress($0) }),
            let profiles = Self.names(object["profiles"]), let values = Self.names(object["values"]),
            let events = Self.names(object["events"])
        else { return nil }
        var names = KeptProfiles.Names()
        for value in values { _ = names.add(value: value) }
        for event in events { _ = names.add(event: event) }
        self.init(address: address, profiles: profiles, names: names)
    }

    private static func names(_ value: JSONValue?) -> [String]? {
        guard let list = value?.array else { return nil }
        let names = list.compactMap(\.string).filter { NamePattern.isItemName($0) }
        return names.count == list.count ? names : nil
    }
}
