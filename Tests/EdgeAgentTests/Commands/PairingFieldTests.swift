import BleCore
import EdgeAgent
import Testing

/// The fields of pairing.
@Suite(.timeLimit(.minutes(10))) struct PairingFieldTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    @Test(
        arguments: [
            (#""verb":"pair""#, .pair(PairRequest())),
            (#""verb":"pair","capability":"keyboard-only""#, .pair(PairRequest(capability: .keyboardOnly))),
            (#""verb":"unpair""#, .unpair), (#""verb":"forget""#, .forget),
            (#""verb":"trust","trusted":true"#, .trust(TrustRequest(isTrusted: true))),
            (#""verb":"trust","trusted":false"#, .trust(TrustRequest(isTrusted: false))),
        ] as [(String, VerbRequest)]
    ) func `a command for a device is read`(fields: String, request: VerbRequest) throws {
        let command = try fixture.command("{\(fields)}")
        #expect(command.request == request)
        #expect(command.warnings.isEmpty)
        #expect(command.timeout == (fields.contains("\"pair\"") ? .seconds(60) : .seconds(5)))
        #expect(command.request.changesSomething && command.request.isJournalled)
        #expect(fixture.decode("{\(fields)}", on: DecoderFixture.onGateway).command == nil)
    }

    @Test(
        arguments: [
            (#""accept":true"#, .accept), (#""accept":false"#, .reject), (#""passkey":42"#, .passkey(42)),
            (#""passkey":"000042""#, .passkey(42)), (#""passkey":999999,"accept":true"#, .passkey(999_999)),
            (#""pin":"0000""#, .pin("0000")), (#""pin":"é234567890123456","accept":null"#, nil),
            (#""pin":"1234567890123456","accept":true"#, .pin("1234567890123456")), ("", nil),
            (#""accept":false,"passkey":42"#, nil), (#""accept":false,"pin":"1""#, nil),
            (#""passkey":42,"pin":"42""#, nil), (#""passkey":1000000"#, nil), (#""passkey":-1"#, nil),
            (#""passkey":"42""#, nil), (#""passkey":"00004x""#, nil), (#""passkey":4.0"#, nil), (#""pin":"""#, nil),
            (#""pin":1234"#, nil), (#""accept":"yes""#, nil),
        ] as [(String, PairingAnswer?)]
    ) func `an answer is one of several kinds`(fields: String, answer: PairingAnswer?) throws {
        let text = #"{"verb":"pair.answer","prompt":"9e41c07ad5f2""# + (fields.isEmpty ? "}" : ",\(fields)}")
        guard let answer else {
            #expect(try fixture.refusal(text).error.code == .badRequest)
            return
        }
        let command = try fixture.command(text)
        #expect(command.request == .pairAnswer(PairAnswerRequest(prompt: "9e41c07ad5f2", answer: answer)))
        #expect(command.request.changesSomething && !command.request.isJournalled)
        #expect(command.timeout == .seconds(5))
    }

    @Test func `what is wrong with a code is told without it`() throws {
        for fields in [
            #""passkey":4711471"#, #""passkey":"4711471""#, #""pin":"47114711471147114711""#, #""pin":4711471"#,
            #""pin":["4711471"],"passkey":4711471"#,
        ] {
            let refusal = try fixture.refusal("{\"verb\":\"pair.answer\",\"prompt\":\"1\",\(fields)}")
            #expect(!refusal.error.detail.contains("4711"))
            #expect(refusal.warnings.allSatisfy { !$0.contains("4711") })
        }
    }

    @Test func `an answer needs the prompt that it is for, and one device`() throws {
        let without = try fixture.refusal(#"{"verb":"pair.answer","accept":true}"#)
        #expect(without.error.detail.hasPrefix("prompt: expected the id of a prompt"))
        let long = String(repeating: "x", count: 65)
        #expect(
            try fixture.refusal("{\"verb\":\"pair.answer\",\"prompt\":\"\(long)\",\"accept\":true}").error.code
                == .badRequest
        )
        let text = #"{"verb":"pair.answer","prompt":"1","accept":true}"#
        #expect(try fixture.refusal(text, on: DecoderFixture.onLights).error.detail.contains("is for one device"))
        #expect(try fixture.command(#"{"verb":"pair"}"#, on: DecoderFixture.onLights).request == .pair(PairRequest()))
    }

    @Test(arguments: [
        (#""windowMs":0"#, 0), (#""windowMs":300000"#, 300_000), (#""windowMs":300001"#, nil), (#""windowMs":-1"#, nil),
        ("", nil), (#""windowMs":1000,"capability":"display-only""#, nil),
    ])
    func `on the gateway's topic it is the window for devices that begin`(fields: String, milliseconds: Int?) throws {
        let text = "{\"verb\":\"pair\"" + (fields.isEmpty ? "}" : ",\(fields)}")
        guard let milliseconds else {
            #expect(try fixture.refusal(text, on: DecoderFixture.onGateway).error.code == .badRequest)
            return
        }
        let command = try fixture.command(text, on: DecoderFixture.onGateway)
        #expect(command.request == .pairingWindow(PairingWindowRequest(span: .milliseconds(milliseconds))))
        #expect(command.timeout == .seconds(5) && command.request.name == .pair)
    }

    @Test func `a device's topic has no window, and no other capabilities than those of Bluetooth`() throws {
        #expect(
            try fixture.refusal(#"{"verb":"pair","windowMs":1}"#).error.detail.hasPrefix("windowMs: is for the gateway")
        )
        #expect(try fixture.refusal(#"{"verb":"pair","capability":"none"}"#).error.code == .badRequest)
        #expect(try fixture.refusal(#"{"verb":"trust"}"#).error.code == .badRequest)
        for name in CapabilityName.allCases {
            let request = try fixture.command("{\"verb\":\"pair\",\"capability\":\"\(name.rawValue)\"}").request
            #expect(request == .pair(PairRequest(capability: name)))
        }
        #expect(Set(CapabilityName.allCases.map(\.capability)) == Set(PairingCapability.allCases))
    }
}
