import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct PairingMessageTests {
    static let cases: [(PairingPrompt.Kind, String)] = [
        (.confirm(passkey: 42), #""kind":"confirm","passkey":"000042","#), (.passkey, #""kind":"passkey","#),
        (.pin, #""kind":"pin","#),
        (.display(passkey: 123_456, entered: 3), #""kind":"display","passkey":"123456","entered":3,"#),
        (.displayPin("0000"), #""kind":"display","pin":"0000","#), (.authorize, #""kind":"authorize","#),
        (.authorizeService(0x1812), #""kind":"authorize","service":"1812","#),
    ]

    private func text(_ kind: PairingPrompt.Kind, _ state: PairingMessage.State) throws -> String {
        let fixture = try DecoderFixture()
        let message = PairingMessage(
            device: fixture.door,
            prompt: "9e",
            kind: kind,
            state: state,
            expiresMs: 1_790_848_825_000
        )
        let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "b1", seq: 7, timeMs: 1_790_848_800_000)
        return String(decoding: message.encode(stamp), as: UTF8.self)
    }

    private static let end =
        #""dev":"door","address":"a1b2c3d4e5f6","gw":"shop-3","boot":"b1","seq":7,"ts":"2026-10-01T10:00:00.000Z"}"#

    @Test(arguments: cases) func `a prompt has what its kind shows, and when it ends`(
        _ kind: PairingPrompt.Kind,
        _ shown: String
    ) throws {
        for state in [PairingMessage.State.open, .changed] {
            let expected =
                "{\"prompt\":\"9e\",\"state\":\"\(state.rawValue)\",\(shown)\"expires\":\"2026-10-01T10:00:25.000Z\",\(Self.end)"
            #expect(try text(kind, state) == expected)
        }
    }

    @Test(arguments: cases) func `the end of a prompt shows no number any more`(
        _ kind: PairingPrompt.Kind,
        _: String
    ) throws {
        for state in PairingMessage.State.allCases where !state.isOpen {
            let text = try text(kind, state)
            #expect(text == "{\"prompt\":\"9e\",\"state\":\"\(state.rawValue)\",\"kind\":\"\(kind.name)\",\(Self.end)")
        }
    }
}
