internal import EdgeAgent
internal import MQTT

/// What the retained messages of a gateway say.
struct GatewayState {
    var status: JSONObject?
    var info: JSONObject?
    var bluetooth: JSONObject?

    /// `online`, `offline`, `lost`; `-` when there is none.
    var state: String { status?["state"]?.string ?? "-" }
}

extension ControlSession {
    /// Hears what the broker keeps of all gateways' topics with these last levels, until nothing more comes.
    ///
    /// - Parameters:
    ///   - levels: such as `status`.
    ///   - isEnough: asked after each message; true ends the wait.
    /// - Returns: what is known of each gateway by its name.
    /// - Throws: ``ControlFailure`` without a way to hear it.
    func gateways(
        _ levels: [String],
        until isEnough: ([String: GatewayState]) -> Bool = { _ in false }
    ) async throws -> [String: GatewayState] {
        let root = "\(settings.prefix)/v1/"
        try await subscribe(levels.map { "\(root)+/\($0)" })
        var found: [String: GatewayState] = [:]
        var quietTicks = 0
        while quietTicks < 3, !isEnough(found) {
            switch await next() {
            case .message(let message):
                quietTicks = 0
                let parts = message.topic.dropFirst(root.utf8.count).split(separator: "/")
                guard message.topic.hasPrefix(root), parts.count == 2, levels.contains(String(parts[1])) else {
                    continue
                }
                let object = Payload.object(message.payload)
                var state = found[String(parts[0])] ?? GatewayState()
                switch parts[1] {
                case "status": state.status = object
                case "info": state.info = object
                default: state.bluetooth = object
                }
                found[String(parts[0])] = state
            case .tick: quietTicks += 1
            case .interrupt: throw ControlFailure(.interrupted, [])
            default: continue
            }
        }
        return found
    }

    /// The gateway that the command is for, once it is known to be online.
    ///
    /// - Throws: ``ControlFailure`` when it is not, or when it is not clear which one is meant.
    func chooseGateway() async throws -> ControlTopics {
        let wanted = settings.gateway?.text
        let found = try await gateways(["status"]) { found in
            wanted.map { found[$0]?.state == "online" } ?? false
        }
        let known = found.filter { $0.value.status != nil }
        let online = known.filter { $0.value.state == "online" }.keys.sorted()
        guard let wanted else {
            if online.count == 1, let only = online.first.flatMap({ GatewayID($0) }) { return topics(of: only) }
            let names = online.joined(separator: ", ")
            let problem =
                online.isEmpty
                ? "no gateway is online at \(settings.broker.withoutUser)\(seen(known.keys.sorted()))"
                : "which gateway? --gateway is one of \(names)"
            throw ControlFailure(online.isEmpty ? .broker : .usage, problem)
        }
        guard let state = known[wanted] else {
            throw ControlFailure(
                .broker,
                "no gateway \(wanted) is known at \(settings.broker.withoutUser)\(seen(known.keys.sorted()))"
            )
        }
        guard state.state == "online", let id = GatewayID(wanted) else {
            let since = state.status?["since"]?.string.map { " (its last start or stop: \($0))" } ?? ""
            throw ControlFailure(.broker, "gateway \(wanted) is \(Cell.plain(state.state))\(Cell.plain(since))")
        }
        return topics(of: id)
    }

    private func seen(_ names: [String]) -> String {
        names.isEmpty ? "; nothing of that kind is kept there" : "; known: \(Cell.plain(names.joined(separator: ", ")))"
    }

    private func topics(of gateway: GatewayID) -> ControlTopics {
        ControlTopics(prefix: settings.prefix, gateway: gateway, client: settings.client)
    }
}

/// The topics of one caller at one gateway.
struct ControlTopics: Sendable {
    let gateway: GatewayID
    let client: String
    /// `{prefix}/v1/{gw}/`.
    let base: String

    init(prefix: TopicPrefix, gateway: GatewayID, client: String) {
        self.gateway = gateway
        self.client = client
        base = "\(prefix)/v1/\(gateway)/"
    }

    /// Where a command goes: for a device, else for the gateway.
    func command(_ device: String?) -> String {
        device.map { "\(base)dev/\($0)/cmd/\(client)" } ?? "\(base)cmd/\(client)"
    }
    func result(_ id: String) -> String { "\(base)res/\(client)/\(id)" }
    var pair: String { base + "pair" }
    var configDesired: String { base + "config/desired" }
    var configReported: String { base + "config/reported" }
    func scan(_ session: String) -> String { "\(base)scan/\(session)" }
    /// All values of a device.
    func values(_ device: String) -> String { "\(base)dev/\(device)/notify/#" }
}
