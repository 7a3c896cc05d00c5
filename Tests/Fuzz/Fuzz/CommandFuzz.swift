import BleCore
import EdgeAgent
import Glibc

/// Topics and payloads of commands: the topic, a zero, properties of MQTT 5, the payload.
enum CommandFuzz {
    private static let gateway: GatewayID = {
        guard let gateway = GatewayID("gw") else { fatalError("not a gateway's name") }  // our own constant
        return gateway
    }()
    static let tree = TopicTree(gateway: gateway)
    static let decoder: CommandDecoder = {
        guard let door = DeviceAddress("a1b2c3d4e5f6"), let lamp = DeviceAddress("a1b2c3d4e5f7") else {
            fatalError("not an address")  // our own constant
        }
        let members = [DeviceTarget(address: lamp, name: .alias("lamp"))]
        return CommandDecoder(
            rule: ResponseTopicRule(tree: tree, allowed: ResponseTopicRule.standardAllowed),
            devices: DeviceDirectory(["door": door]),
            groups: GroupDirectory(GroupName("lights").map { [$0: members] } ?? [:])
        )
    }()

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        let topic = "edge/v1/" + String(decoding: input.part(), as: UTF8.self)
        guard let topic = tree.command(topic) else { return }
        let flags = input.byte()
        var properties = IncomingCommand.Properties()
        if flags & 1 != 0 { properties.responseTopic = String(decoding: input.part(), as: UTF8.self) }
        if flags & 2 != 0 { properties.correlationData = input.part() }
        if flags & 4 != 0 { properties.client = String(decoding: input.part(), as: UTF8.self) }
        if flags & 8 != 0 { properties.messageExpirySeconds = UInt32(input.byte()) }
        let message = IncomingCommand(
            topic: topic,
            payload: input.remainder(),
            isRetained: flags & 16 != 0,
            properties: properties,
            arrivedMs: 1_790_848_800_000,
            arrivedMonotonic: .seconds(1000)
        )
        take(message)
    }

    /// Decodes a message, and encodes the answer that a refusal would have.
    static func take(_ message: IncomingCommand) {
        switch decoder.decode(message, clockIsWrong: false, makeID: { "made" }) {
        case .refused(let refusal):
            let stamp = MessageStamp(gateway: gateway, boot: "b", seq: 1, timeMs: 0)
            let result = ResultEncoder().encode(.refused(refusal), stamp: stamp)
            // What goes out has to be something that a decoder takes.
            do throws(JSONFailure) {
                _ = try JSONReader(maxBytes: .max).read(result.payload)
            } catch {
                fatalError("a refusal that is no JSON: \(error)")  // this is the finding
            }
        case .command(let command):
            let stored = StoredCommand(message, id: command.origin.id.text)
            do {
                let again = try StoredCommand(
                    fingerprint: stored.sent.fingerprint,
                    request: stored.request,
                    nowMs: message.arrivedMs,
                    now: message.arrivedMonotonic
                )
                guard again.sent.payload == message.payload else {
                    fatalError("kept as another command")  // this is the finding
                }
            } catch {
                fatalError("what is written cannot be read: \(error)")  // this is the finding
            }
        case .ignored: break
        }
    }
}
