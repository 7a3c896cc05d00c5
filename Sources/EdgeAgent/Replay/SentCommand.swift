/// A command as it was sent, to be compared with its repetition.
package struct SentCommand: Sendable, Equatable {
    /// Where it was sent, without the level that names the caller.
    package let topic: CommandTopic
    package let payload: [UInt8]

    /// Members that a repetition may have otherwise: the times, `ack`, and the names under which it is known anyway.
    private static let free: Set<String> = ["sentAt", "expires", "ttlMs", "ack", "id", "client"]

    package init(topic: CommandTopic, payload: [UInt8]) {
        self.topic = topic.withoutClient
        self.payload = payload
    }

    /// Whether both mean the same command: the same topic, and JSON that is equal when it has been read.
    package func isSame(as other: SentCommand) -> Bool {
        guard topic == other.topic else { return false }
        if payload == other.payload { return true }
        guard let own = members, let others = other.members else { return false }
        return own == others
    }

    private var members: JSONObject? {
        do throws(JSONFailure) {
            // Both were within the bounds when they came.
            guard let object = try JSONReader(maxBytes: payload.count).read(payload).object else { return nil }
            return JSONObject(object.entries.filter { !Self.free.contains($0.key) && !$0.value.isNull })
        } catch {
            return nil
        }
    }
}

extension CommandTopic {
    /// The same place, whoever is named as the caller.
    package var withoutClient: CommandTopic {
        switch self {
        case .gateway: .gateway(client: nil)
        case .all: .all(client: nil)
        case .device(let name, _): .device(name, client: nil)
        case .group(let name, _): .group(name, client: nil)
        case .set, .status, .desired: self
        }
    }
}
