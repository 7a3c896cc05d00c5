import EdgeAgent
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct MutationTests {
    static let seeds = [
        #"{"id":"7f3c","client":"ha","verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"64"},"chunk":{"first":20,"then":512,"gapMs":5}}"#,
        #"{"id":7,"verb":"read","handle":17,"offset":3,"timeoutMs":2000,"ttlMs":5000,"sentAt":"2026-10-01T10:00:00.000Z"}"#,
        #"{"verb":"scan.start","session":"hall","emit":{"everyMs":1000},"batch":{"maxDevices":10,"maxMs":500},"services":["fcd2"],"addresses":["door"]}"#,
        #"{"verb":"connect","match":{"manufacturer":["004c"],"rssiMin":-70},"pick":"strongest","expires":"2026-10-01T10:00:09Z"}"#,
        #"{"verb":"write","handle":1,"value":{"base64":"qgE="},"mode":"auto","adapter":"hci0"}"#,
        #"{"id":"ü","verb":"subscribe","service":"180f","characteristic":"2a19","leaseMs":60000,"retainLast":true,"x":{"y":[1.5e3]}}"#,
    ]
    static let pieces = [
        "\"", "{", "}", "[", "]", ",", ":", "null", "true", "1e999", "-9223372036854775808", "9223372036854775808",
        "\\u0000", "\\ud800",
        "\u{FEFF}", "{\"hex\":", "id", "\"verb\":\"read\"", "0x", "=", "\u{0}", "🙂",
    ]

    @Test(.apart) func `twenty thousand damaged commands each have one outcome, and every answer is in order`() throws {
        let fixture = try DecoderFixture(limits: .init(maxPayloadBytes: 400))
        let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "b", seq: 1, timeMs: 0)
        let topics: [CommandTopic] = [
            DecoderFixture.onDoor, DecoderFixture.onGateway, .all(client: "ha"), .device("d\u{e9}", client: "a b"),
            .group("g", client: nil),
            .set(device: "door", name: "x"), .gateway(client: ""),
        ]
        var random = SeededRandom(seed: 42)
        var outcomes: [String: Int] = [:]
        for _ in 0..<Rounds.of(20_000) {
            let payload = mutated(&random)
            let topic = topics.randomElement(using: &random) ?? DecoderFixture.onDoor
            let properties = IncomingCommand.Properties(
                responseTopic: Bool.random(using: &random) ? "reply/\(UInt8.random(in: 0...255, using: &random))" : nil,
                correlationData: Bool.random(using: &random) ? [UInt8.random(in: 0...255, using: &random)] : nil,
                client: Bool.random(using: &random) ? "ha" : nil
            )
            let retained = UInt8.random(in: 0...9, using: &random) == 0
            switch fixture.decode(payload, on: topic, retained: retained, properties: properties) {
            case .ignored(let reason):
                outcomes["ignored", default: 0] += 1
                #expect(retained || payload.isEmpty, "\(reason)")
            case .command(let command):
                outcomes["command", default: 0] += 1
                #expect(!retained)
                check(command.origin, fixture)
                let body = ResultEncoder().encode(.accepted(command, place: 0), stamp: stamp)
                #expect(try parsed(body.payload)["status"] == .string("accepted"))
            case .refused(let refusal):
                outcomes["refused", default: 0] += 1
                check(refusal.origin, fixture)
                #expect(!refusal.error.detail.isEmpty)
                let body = ResultEncoder().encode(.refused(refusal), stamp: stamp)
                #expect(try parsed(body.payload)["final"] == .bool(true))
                #expect(body.code == refusal.error.code)
            }
        }
        #expect(outcomes.values.reduce(0, +) == Rounds.of(20_000))
        for outcome in ["command", "refused", "ignored"] {
            #expect(outcomes[outcome, default: 0] > Rounds.of(500), "\(outcomes)")
        }
    }

    private func check(_ origin: CommandOrigin, _ fixture: DecoderFixture) {
        #expect(CommandID(origin.id.text) != nil)
        #expect(CommandID(origin.client) != nil)
        let rule = fixture.decoder.rule
        #expect(
            origin.reply.topic == fixture.tree.result(client: origin.client, id: origin.id.text)
                || rule.allows(origin.reply.topic, for: origin.client)
        )
    }

    private func mutated(_ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array((Self.seeds.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0...5, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 1: if place < bytes.count { bytes.remove(at: place) }
            case 2: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
            case 3: if Int.random(in: 0...9, using: &random) == 0 { bytes.removeSubrange(place...) }
            case 4: bytes.insert(contentsOf: Array((Self.pieces.randomElement(using: &random) ?? "").utf8), at: place)
            default:
                let end = Int.random(in: place...bytes.count, using: &random)
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
            }
        }
        return bytes
    }
}
