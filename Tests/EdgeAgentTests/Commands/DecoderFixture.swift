import BleCore
import EdgeAgent
import Testing

/// A decoder of the gateway `shop-3` with one alias and one group, and messages for it.
struct DecoderFixture {
    static let arrivedMs: Int64 = 1_790_848_800_000
    static let arrivedMonotonic: Duration = .seconds(1000)
    static let madeID = "made-1"

    let tree: TopicTree
    var decoder: CommandDecoder
    let door: DeviceTarget
    /// The members of the group `lights`.
    let lights: [DeviceTarget]

    init(limits: CommandDecoder.Limits = .init(), allowed: [TopicFilter] = ResponseTopicRule.standardAllowed) throws {
        tree = TopicTree(gateway: try #require(GatewayID("shop-3")))
        let address = try #require(DeviceAddress("a1b2c3d4e5f6"))
        door = DeviceTarget(address: address, name: .alias("door"))
        lights = [
            DeviceTarget(address: try #require(DeviceAddress("a1b2c3d4e5f7")), name: .alias("lamp")),
            DeviceTarget(address: try #require(DeviceAddress("a1b2c3d4e5f8")), name: .alias("desk")),
        ]
        decoder = CommandDecoder(
            limits: limits,
            rule: ResponseTopicRule(tree: tree, allowed: allowed),
            devices: DeviceDirectory(["door": address]),
            groups: GroupDirectory([try #require(GroupName("lights")): lights])
        )
    }

    static let onDoor = CommandTopic.device("door", client: nil)
    static let onLights = CommandTopic.group("lights", client: nil)
    static let onGateway = CommandTopic.gateway(client: nil)

    func decode(
        _ payload: [UInt8],
        on topic: CommandTopic = Self.onDoor,
        retained: Bool = false,
        properties: IncomingCommand.Properties = .init(),
        clockIsWrong: Bool = false,
        known: Set<String> = []
    ) -> DecodedCommand {
        let message = IncomingCommand(
            topic: topic,
            payload: payload,
            isRetained: retained,
            properties: properties,
            arrivedMs: Self.arrivedMs,
            arrivedMonotonic: Self.arrivedMonotonic
        )
        return decoder.decode(
            message,
            clockIsWrong: clockIsWrong,
            isKnown: { known.contains("\($0)/\($1.text)") },
            makeID: { Self.madeID }
        )
    }

    func decode(
        _ text: String,
        on topic: CommandTopic = Self.onDoor,
        retained: Bool = false,
        properties: IncomingCommand.Properties = .init(),
        clockIsWrong: Bool = false,
        known: Set<String> = []
    ) -> DecodedCommand {
        decode(
            Array(text.utf8),
            on: topic,
            retained: retained,
            properties: properties,
            clockIsWrong: clockIsWrong,
            known: known
        )
    }

    func command(
        _ text: String,
        on topic: CommandTopic = Self.onDoor,
        properties: IncomingCommand.Properties = .init()
    ) throws -> Command {
        let decoded = decode(text, on: topic, properties: properties)
        return try #require(decoded.command, "\(text): \(decoded)")
    }

    func refusal(
        _ text: String,
        on topic: CommandTopic = Self.onDoor,
        properties: IncomingCommand.Properties = .init()
    ) throws -> Refusal {
        let decoded = decode(text, on: topic, properties: properties)
        return try #require(decoded.refusal, "\(text): \(decoded)")
    }
}

extension DecodedCommand {
    var command: Command? {
        if case .command(let command) = self { command } else { nil }
    }

    var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var ignored: IgnoredReason? {
        if case .ignored(let reason) = self { reason } else { nil }
    }
}

/// Reads what the agent wrote, as a stranger would.
func parsed(_ bytes: [UInt8]) throws -> JSONObject {
    try #require(try JSONReader(maxBytes: 10_000_000, maxDepth: 64).read(bytes).object)
}
