/// What the broker holds of announcements, so that the next life knows what has to go: the content of
/// `home-assistant.json`.
///
/// ```json
/// {"version":1,"devices":[{"topic":"homeassistant/device/shop-3/a1b2c3d4e5f6/config",
///  "identity":"edge-agent_shop-3_a1b2c3d4e5f6","components":{"sensor-temperature":"sensor"}}]}
/// ```
package struct AnnouncedDevices: Sendable, Equatable {
    /// One discovery topic.
    package struct Record: Sendable, Equatable {
        package var topic: String
        package var identity: String
        /// The kinds of its components by their members: those that are announced, and those that may not be gone yet.
        package var components: [String: HomePlatform]

        /// Whether the topic was taken away, and only a server that was not there may still know the device.
        package var isCleared: Bool

        package init(
            topic: String,
            identity: String,
            components: [String: HomePlatform],
            isCleared: Bool = false
        ) {
            self.topic = topic
            self.identity = identity
            self.components = components
            self.isCleared = isCleared
        }
    }

    package static let version: Int64 = 1
    package static let fileName = "home-assistant.json"
    package static let maxBytes = 16 << 20

    package var records: [Record]

    package init(_ records: [Record] = []) { self.records = records }
}

// MARK: In JSON

extension AnnouncedDevices {
    package func encode() -> [UInt8] {
        StateList.encode("devices", version: Self.version, records, elementBytes: 256) { $1.write(to: &$0) }
    }

    /// Reads what a file holds.
    ///
    /// - Throws: ``StateFailure``, also for a file of a newer agent; `path` is the file's name in it.
    package static func decode(_ bytes: [UInt8], path: String) throws(StateFailure) -> AnnouncedDevices {
        let list = try StateList.read("devices", in: bytes, version: version, maxBytes: maxBytes, path: path)
        return AnnouncedDevices(try StateList.map(list, path: path) { Record($0) })
    }
}

extension AnnouncedDevices.Record {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("topic", topic)
        writer.field("identity", identity)
        if isCleared { writer.field("cleared", true) }
        writer.object("components") { writer in
            for (key, platform) in components.sorted(by: { $0.key < $1.key }) {
                writer.key(key)
                writer.value(platform.rawValue)
            }
        }
        writer.endObject()
    }

    /// Reads one entry; nil when anything is wrong with it.
    ///
    /// It says where messages go, so it is held to the form of a discovery topic.
    fileprivate init?(_ object: JSONObject) {
        guard let topic = object["topic"]?.string, HomeIdentities.isDiscoveryTopic(topic),
            let identity = object["identity"]?.string, NamePattern.isIdentity(identity),
            let members = object["components"]?.object
        else { return nil }
        var components: [String: HomePlatform] = [:]
        for member in members.entries {
            guard NamePattern.isIdentity(member.key),
                let platform = member.value.string.flatMap(HomePlatform.init(rawValue:))
            else { return nil }
            guard member.key.hasPrefix(platform.rawValue + "-") else { return nil }
            components[member.key] = platform
        }
        self.init(topic: topic, identity: identity, components: components, isCleared: object["cleared"] == .bool(true))
    }
}
