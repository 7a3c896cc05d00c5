import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TrySampleTests {
    struct Case: Sendable {
        let json: String
        let caller: String?
        let place: SampleCommand.Place
        /// All of the answer, or how it begins.
        let text: String
        let code: ExitCode

        init(_ json: String, _ caller: String?, _ place: SampleCommand.Place, _ text: String, _ code: ExitCode) {
            self.json = json
            self.caller = caller
            self.place = place
            self.text = text
            self.code = code
        }
    }

    private static let cases: [Case] = [
        Case(
            #"{"verb":"write","handle":3,"value":{"hex":"00"}}"#,
            "nodered-1",
            .device("door"),
            "allowed: write for nodered-1 on door\n  rule 1 (line 6) allows write for nodered-1 on door\n",
            .success
        ),
        Case(
            #"{"verb":"rssi"}"#,
            "me",
            .device("a1b2c3d4e5f6"),
            "denied: rssi for me on door\n  rule 2 (line 7) denies rssi for me on door\n",
            .denied
        ),
        Case(
            #"{"verb":"rssi"}"#,
            nil,
            .device("ffeeddccbbaa"),
            "allowed: rssi for a caller without a name in the topic on ffeeddccbbaa\n"
                + "  rule 3 (line 8) allows rssi for a caller without a name in the topic on ffeeddccbbaa\n",
            .success
        ),
        Case(
            #"{"verb":"adapter.power","on":true}"#,
            "me",
            .gateway,
            "denied: adapter.power for me on the gateway\n  no rule allows adapter.power for me on the gateway\n",
            .denied
        ),
        Case(
            #"{"verb":"ping"}"#,
            "admin",
            .all,
            "allowed: ping for admin on all gateways\n  rule 4 (line 9) allows ping for admin on all gateways\n",
            .success
        ),
        Case(
            #"{"verb":"info"}"#,
            "admin",
            .all,
            "denied: info for admin on all gateways\n"
                + "  no rule allows info for admin on all gateways; rule 3 (line 8) would, with all: true\n",
            .denied
        ),
        Case(
            #"{"verb":"ping","colour":1}"#,
            "me",
            .gateway,
            "allowed: ping for me on the gateway\n  rule 3 (line 8) allows ping for me on the gateway\n"
                + "  warning: ignored field 'colour'\n",
            .success
        ),
        Case(
            #"{"verb":"ping""#,
            "me",
            .gateway,
            "refused: bad-request: ",
            .sampleRefused
        ),
        Case("", "me", .gateway, "refused: the message would be ignored: empty-payload\n", .sampleRefused),
        Case(
            #"{"verb":"fly"}"#,
            "me",
            .gateway,
            "refused: unknown-verb: there is no verb 'fly'\n",
            .sampleRefused
        ),
        Case(
            #"{"verb":"read"}"#,
            "me",
            .gateway,
            "refused: bad-request: verb: read is for a device, send it to edge/v1/shop-3/dev/{dev}/cmd\n",
            .sampleRefused
        ),
        Case(
            #"{"verb":"rssi"}"#,
            "me",
            .device("nobody"),
            "refused: unknown-device: no device has the alias 'nobody'\n",
            .sampleRefused
        ),
        Case(
            #"{"verb":"rssi"}"#,
            "me",
            .group("lamps"),
            "refused: unknown-group: there is no group 'lamps'\n",
            .sampleRefused
        ),
        Case(
            #"{"verb":"ping"}"#,
            "a b",
            .gateway,
            "refused: bad-request: the last level of the topic: ",
            .sampleRefused
        ),
        Case(
            #"{"verb":"ping","client":"you"}"#,
            "me",
            .gateway,
            "refused: conflicting-envelope: ",
            .sampleRefused
        ),
    ]

    private let rules = """

          - {allow: any, callers: nodered-1}
          - {deny: any, devices: door}
          - {allow: [read-only, subscribe]}
          - {allow: [ping, restart], all: true, callers: admin}
        """

    private func answer(
        _ json: String,
        as caller: String? = nil,
        on place: SampleCommand.Place = .gateway,
        rules: String? = nil
    ) throws -> (text: String, code: ExitCode) {
        let sample = SampleCommand(json: json, caller: caller, place: place)
        return TrySampleCommand.answer(sample, under: try policyConfiguration(rules ?? self.rules))
    }

    @Test(arguments: cases)
    func `a sample command gets the answer that it would get, with the rule behind it`(sample: Case) throws {
        let answer = try answer(sample.json, as: sample.caller, on: sample.place)
        // What the readers of JSON and of names say in detail is theirs.
        let isWhole = sample.text.hasSuffix("\n")
        #expect(isWhole ? answer.text == sample.text : answer.text.hasPrefix(sample.text), "\(answer.text)")
        #expect(answer.code == sample.code)
    }

    @Test func `without a policy the own topics are open, and all may only read`() throws {
        var configuration = try policyConfiguration("[{deny: any}]")
        configuration.policy = nil
        let power = #"{"verb":"adapter.power","on":true}"#
        let own = TrySampleCommand.answer(SampleCommand(json: power), under: configuration)
        #expect(own.code == .success)
        #expect(own.text.hasSuffix("  there is no policy\n"))
        let all = TrySampleCommand.answer(SampleCommand(json: power, place: .all), under: configuration)
        #expect(all.code == .denied)
        #expect(all.text.hasPrefix("denied: denied: adapter.power changes something"))
        let ping = TrySampleCommand.answer(SampleCommand(json: #"{"verb":"ping"}"#, place: .all), under: configuration)
        #expect(ping.code == .success)
    }

    @Test func `nothing in a sample can break a line or the terminal`() throws {
        let evil = "{\"verb\":\"ping\",\"\\u001b[31m\\n\\u202e\":1}"
        let answer = try answer(evil, as: "nodered-1")
        #expect(answer.code == .success)
        #expect(answer.text.split(separator: "\n").count == 3)
        #expect(answer.text.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 0x20 && $0 != "\u{202E}") })
    }
}
