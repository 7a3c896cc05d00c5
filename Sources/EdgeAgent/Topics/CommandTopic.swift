/// What a topic says that the agent has subscribed to.
///
/// The levels are given as they stand: whether a name is well formed is decided by the reader of the command, which can
/// answer.
package enum CommandTopic: Hashable, Sendable {
    /// `{gw}/cmd` and `{gw}/cmd/{client}`.
    case gateway(client: String?)
    /// `all/cmd` and `all/cmd/{client}`.
    case all(client: String?)
    /// `{gw}/dev/{dev}/cmd` and `{gw}/dev/{dev}/cmd/{client}`.
    case device(String, client: String?)
    /// `{gw}/group/{group}/cmd` and `{gw}/group/{group}/cmd/{client}`.
    case group(String, client: String?)
    /// `{gw}/dev/{dev}/set/{name}`.
    case set(device: String, name: String)
    /// `{gw}/status`: the agent's own, watched for strangers.
    case status
    /// `{gw}/config/desired`: what of the configuration is to be another.
    case desired

    /// Reads a topic below `root`, which is `{prefix}/v1/`; nil when it is none that the agent answers to.
    init?(_ topic: String, below root: String, gateway: GatewayID) {
        var topic = topic
        guard let read = topic.withUTF8({ Self.read(TopicLevels($0), below: root, gateway: gateway) }) else {
            return nil
        }
        self = read
    }

    private static func read(_ topic: TopicLevels, below root: String, gateway: GatewayID) -> Self? {
        var levels = topic
        guard levels.drop(root) else { return nil }
        let isAll = levels.drop("all/")
        guard isAll || levels.drop(gateway.text) && levels.drop("/") else { return nil }
        if levels.drop("cmd") {
            guard let end = levels.end() else { return nil }
            return isAll ? .all(client: end.client) : .gateway(client: end.client)
        }
        guard !isAll else { return nil }
        if levels.drop("dev/") {
            guard let device = levels.next() else { return nil }
            if levels.drop("set/") { return levels.last().map { .set(device: device, name: $0) } }
            guard levels.drop("cmd"), let end = levels.end() else { return nil }
            return .device(device, client: end.client)
        }
        if levels.drop("group/") {
            guard let group = levels.next(), levels.drop("cmd"), let end = levels.end() else { return nil }
            return .group(group, client: end.client)
        }
        if levels.drop("status"), levels.isEmpty { return .status }
        return levels.drop("config/desired") && levels.isEmpty ? .desired : nil
    }

    /// The level that names the caller, as it stands; the broker's access list can bind it to a user.
    package var clientLevel: String? {
        switch self {
        case .gateway(let client), .all(let client), .device(_, let client), .group(_, let client): client
        case .set, .status, .desired: nil
        }
    }
}

/// What is left of a topic while it is read from the front.
///
/// What is dropped is ASCII, and a level ends at an ASCII character: the rest is always a text of its own.
private struct TopicLevels {
    /// Lent for as long as the topic is read.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isEmpty: Bool { place == bytes.count }

    /// Drops the beginning if it is that one.
    mutating func drop(_ beginning: String) -> Bool {
        var end = place
        for byte in beginning.utf8 {
            guard end < bytes.count, bytes[end] == byte else { return false }
            end += 1
        }
        place = end
        return true
    }

    /// Takes a level that others follow.
    mutating func next() -> String? {
        guard let slash = bytes[place...].firstIndex(of: UInt8(ascii: "/")) else { return nil }
        defer { place = slash + 1 }
        return String(decoding: bytes[place..<slash], as: UTF8.self)
    }

    /// The last level.
    func last() -> String? {
        bytes[place...].contains(UInt8(ascii: "/")) ? nil : String(decoding: bytes[place...], as: UTF8.self)
    }

    /// What stands behind `cmd`: nothing, or the level of the caller; nil when it is something else.
    mutating func end() -> End? {
        if isEmpty { return End(client: nil) }
        guard drop("/"), let client = last() else { return nil }
        return End(client: client)
    }

    struct End {
        let client: String?
    }
}
