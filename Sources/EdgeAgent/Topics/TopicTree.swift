package import BleCore

/// Every topic of one gateway: what it publishes, and what it subscribes to.
package struct TopicTree: Sendable, Equatable {
    package let prefix: TopicPrefix
    package let gateway: GatewayID
    /// `{prefix}/v1/{gw}/`.
    private let base: String
    /// `{prefix}/v1/`.
    private let root: String

    package init(prefix: TopicPrefix = .standard, gateway: GatewayID) {
        self.prefix = prefix
        self.gateway = gateway
        root = "\(prefix.text)/v1/"
        base = "\(root)\(gateway.text)/"
    }

    /// Retained; also the topic of the will.
    package var status: String { base + "status" }
    /// Retained.
    package var info: String { base + "info" }
    /// Retained.
    package var health: String { base + "health" }
    /// Retained.
    package var bluetooth: String { base + "bluetooth" }
    /// Where somebody asks for another configuration; retained.
    package var configDesired: String { base + "config/desired" }
    /// Retained.
    package var configReported: String { base + "config/reported" }
    /// Where a caller sends commands for the gateway.
    package func command(client: String) -> String { "\(base)cmd/\(client)" }
    /// Prompts of pairings.
    package var pair: String { base + "pair" }
    /// Retained.
    package func adapter(_ name: AdapterName) -> String { "\(base)adapter/\(name.text)" }

    /// Where the result of a command goes that named no other place.
    ///
    /// - Parameters:
    ///   - client: A caller's name that has been checked, or `anonymous`.
    ///   - id: An id that has been checked.
    /// - Returns: The topic.
    package func result(client: String, id: String) -> String { "\(base)res/\(client)/\(id)" }

    package func scan(_ session: SessionName) -> String { "\(base)scan/\(session.text)" }
    /// Retained.
    package func scanState(_ session: SessionName) -> String { "\(base)scan/\(session.text)/state" }

    package func device(_ name: DeviceName) -> DeviceTopics { DeviceTopics(base: "\(base)dev/\(name)/") }

    /// All that the agent subscribes to.
    package var subscriptions: [TopicFilter] {
        [
            "\(base)cmd", "\(base)cmd/+", "\(base)dev/+/cmd", "\(base)dev/+/cmd/+", "\(base)dev/+/set/+",
            "\(base)group/+/cmd", "\(base)group/+/cmd/+", "\(root)all/cmd", "\(root)all/cmd/+", status,
            configDesired,
        ].map { TopicFilter(known: $0) }
    }

    /// What a topic says that a message came in on; `nil` when it is none of this gateway's.
    package func command(_ topic: String) -> CommandTopic? {
        CommandTopic(topic, below: root, gateway: gateway)
    }

    /// Whether a topic is in the tree of this product, whosoever's it is.
    func contains(_ topic: String) -> Bool { topic.utf8.starts(with: root.utf8) || topic + "/" == root }

    /// Whether a topic is one of the default result topics of a caller.
    func isResult(_ topic: String, of client: String) -> Bool {
        let own = "\(base)res/\(client)"
        return topic == own || topic.utf8.starts(with: "\(own)/".utf8)
    }
}

/// The topics of one device, under its published name.
package struct DeviceTopics: Sendable, Equatable {
    /// `{prefix}/v1/{gw}/dev/{dev}/`.
    private let base: String

    init(base: String) { self.base = base }

    package var job: String { base + "job" }
    /// Retained.
    package var link: String { base + "link" }
    package var event: String { base + "event" }
    /// Retained.
    package var state: String { base + "state" }
    /// Retained.
    package var avail: String { base + "avail" }
    /// Retained.
    package var gatt: String { base + "gatt" }

    /// Where a bare value for a value or command of the device goes.
    package func set(_ name: String) -> String { "\(base)set/\(name)" }

    /// What the topics of all values of the device begin with.
    package var notifyPrefix: String { base + "notify/" }

    /// Where a characteristic's values go.
    ///
    /// - Parameters:
    ///   - service: The service's UUID, published in its shortest form.
    ///   - characteristic: The characteristic's UUID, likewise.
    ///   - handle: Given where the characteristic's UUID stands twice in that service.
    /// - Returns: The topic.
    package func notify(_ service: BluetoothUUID, _ characteristic: BluetoothUUID, handle: UInt16? = nil) -> String {
        let topic = "\(base)notify/\(service)/\(characteristic)"
        guard let handle else { return topic }
        return "\(topic)@\(handle)"
    }
}
