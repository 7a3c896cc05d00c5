import EdgeAgent

/// A broker that keeps what is retained, and a Home Assistant that behaves as the real one was seen to.
struct ModelServer {
    /// What the broker holds.
    private(set) var retained: [String: [UInt8]] = [:]
    /// Entities that are registered: topic, key and kind.
    private(set) var registry: Set<String> = []
    /// What it has seen whole since its start; nil: it does not run.
    private var seen: Set<String>?
    /// Topics of which anything was published.
    private(set) var touched: Set<String> = []
    private(set) var published = 0

    var isRunning: Bool { seen != nil }

    mutating func publish(_ topic: String, _ payload: [UInt8]) {
        published += 1
        touched.insert(topic)
        retained[topic] = payload.isEmpty ? nil : payload
        if seen != nil { take(topic, payload) }
    }

    mutating func start() {
        seen = []
        for (topic, payload) in retained { take(topic, payload) }
    }

    mutating func stop() { seen = nil }

    /// The broker loses everything.
    mutating func forget() { retained = [:] }

    private mutating func take(_ topic: String, _ payload: [UInt8]) {
        guard !payload.isEmpty else {
            // With a level for the gateway in the topic nothing is found to remove.
            return
        }
        guard let root = object(payload), let components = root["cmps"]?.object else { return }
        for member in components.entries {
            guard let component = member.value.object, let platform = component["p"]?.string else { continue }
            let entity = "\(topic) \(member.key) \(platform)"
            if component["unique_id"] != nil {
                seen?.insert(entity)
                registry.insert(entity)
            } else if seen?.remove(entity) != nil {
                registry.remove(entity)
            }
        }
    }

    private func object(_ payload: [UInt8]) -> JSONObject? {
        do { return try JSONReader(maxBytes: 1 << 20).read(payload).object } catch { return nil }
    }

    /// What it would have registered if it had been told of these alone.
    static func entities(_ announcements: [DeviceAnnouncement]) -> Set<String> {
        Set(
            announcements.flatMap { announcement in
                announcement.components.map { "\(announcement.topic) \($0.member) \($0.platform.rawValue)" }
            }
        )
    }
}
