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
        guard topic.utf8.starts(with: root.utf8) else { return nil }
        // Everything above is ASCII, and a level ends at an ASCII character: each is a text of its own.
        let own = topic.utf8.dropFirst(root.utf8.count)
            .split(separator: UInt8(ascii: "/"), maxSplits: 5, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        let isAll = own[0] == "all"
        guard isAll || own[0] == gateway.text, own.count > 1 else { return nil }
        switch (own[1], own.count) {
        case ("status", 2) where !isAll: self = .status
        case ("config", 3) where !isAll && own[2] == "desired": self = .desired
        case ("cmd", 2): self = isAll ? .all(client: nil) : .gateway(client: nil)
        case ("cmd", 3): self = isAll ? .all(client: own[2]) : .gateway(client: own[2])
        case ("dev", 4) where !isAll && own[3] == "cmd": self = .device(own[2], client: nil)
        case ("dev", 5) where !isAll && own[3] == "cmd": self = .device(own[2], client: own[4])
        case ("dev", 5) where !isAll && own[3] == "set": self = .set(device: own[2], name: own[4])
        case ("group", 4) where !isAll && own[3] == "cmd": self = .group(own[2], client: nil)
        case ("group", 5) where !isAll && own[3] == "cmd": self = .group(own[2], client: own[4])
        default: return nil
        }
    }

    /// The level that names the caller, as it stands; the broker's access list can bind it to a user.
    package var clientLevel: String? {
        switch self {
        case .gateway(let client), .all(let client), .device(_, let client), .group(_, let client): client
        case .set, .status, .desired: nil
        }
    }
}
