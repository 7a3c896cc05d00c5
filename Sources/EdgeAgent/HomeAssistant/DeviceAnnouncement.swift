/// All that Home Assistant is told of one device: the retained message of its discovery topic.
///
/// ```json
/// {"dev":{"ids":["shop-3_a1b2c3d4e5f6"],"name":"Front door",…},"o":{"name":"edge-agent","sw":"1.0.0"},
///  "avty":[{"t":"edge/v1/shop-3/status","val_tpl":…},{"t":"edge/v1/shop-3/dev/door/avail"}],"avty_mode":"all",
///  "cmps":{"temperature":{"p":"sensor","unique_id":"shop-3_a1b2c3d4e5f6_temperature",…}}}
/// ```
package struct DeviceAnnouncement: Sendable, Equatable {
    package var topic: String
    /// What its entities' ids begin with; `[A-Za-z0-9_-]+`.
    package var identity: String
    package var name: String
    package var manufacturer: String?
    package var model: String?
    package var softwareVersion: String?
    /// The address as people write it, for a device that has one.
    package var address: String?
    /// The identity of the gateway that it is reached through.
    package var via: String?
    package var availability: [HomeAvailability]
    package var components: [HomeComponent]

    package init(
        topic: String,
        identity: String,
        name: String,
        availability: [HomeAvailability] = [],
        components: [HomeComponent] = []
    ) {
        self.topic = topic
        self.identity = identity
        self.name = name
        self.availability = availability
        self.components = components
    }

    /// The kinds of its components by their members.
    package var platforms: [String: HomePlatform] {
        Dictionary(components.map { ($0.member, $0.platform) }) { first, _ in first }
    }

    /// What becomes of components that the device does not have any more.
    package enum Leaving: Sendable, Equatable {
        /// They are told of once more, so that a server that has started since knows what to remove.
        case whole
        /// They are reduced to their kind, which removes them.
        case reduced
    }

    /// The message.
    ///
    /// - Parameters:
    ///   - leaving: Components that are to go, by their members.
    ///   - form: What is said of them.
    /// - Returns: JSON.
    package func encode(leaving: [String: HomePlatform] = [:], as form: Leaving = .reduced) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + 320 * components.count)
        writer.beginObject()
        writer.object("dev") { writer in
            writer.field("ids", texts: [identity])
            if let address {
                writer.key("cns")
                writer.beginArray()
                writer.beginArray()
                writer.value("bluetooth")
                writer.value(address)
                writer.endArray()
                writer.endArray()
            }
            writer.field("name", name)
            writer.field(ifPresent: "mf", manufacturer)
            writer.field(ifPresent: "mdl", model)
            writer.field(ifPresent: "sw", softwareVersion)
            writer.field(ifPresent: "via_device", via)
        }
        Self.writeOrigin(to: &writer)
        if !availability.isEmpty { HomeAvailability.write(availability, to: &writer) }
        writer.object("cmps") { writer in
            for component in components { component.write(to: &writer, identity: identity) }
            Self.write(leaving, as: form, identity: identity, topic: topic, to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    /// The least message about a device which is to go.
    ///
    /// Its components are removed one by one: where the topic has a level for the gateway, Home Assistant finds none of
    /// them when the topic is emptied (seen with 2025.3).
    package static func farewell(
        topic: String,
        identity: String,
        components: [String: HomePlatform],
        as form: Leaving
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + 128 * components.count)
        writer.beginObject()
        writer.object("dev") { $0.field("ids", texts: [identity]) }
        writeOrigin(to: &writer)
        writer.object("cmps") { writer in
            write(components, as: form, identity: identity, topic: topic, to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func write(
        _ components: [String: HomePlatform],
        as form: Leaving,
        identity: String,
        topic: String,
        to writer: inout JSONWriter
    ) {
        for (member, platform) in components.sorted(by: { $0.key < $1.key }) {
            switch form {
            case .whole:
                HomeComponent.writeStub(member, platform, topic: topic + "/gone", to: &writer, identity: identity)
            case .reduced:
                writer.key(member)
                writer.beginObject()
                writer.field("p", platform.rawValue)
                writer.endObject()
            }
        }
    }

    private static func writeOrigin(to writer: inout JSONWriter) {
        writer.object("o") { writer in
            writer.field("name", "edge-agent")
            writer.field("sw", AgentVersion.current)
        }
    }
}
