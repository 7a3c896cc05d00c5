import BleCore
import Frames
import FramesSupport
import PaceSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransactEngineTests {
    private func answer(_ packets: Int, _ value: String, surplus: String = "") -> Outcome {
        .answer(TransactAnswer(packets: packets, value: hex(value), surplus: hex(surplus)))
    }

    private static let aa = PacketCondition(prefix: [0xAA])
    private static let length = LengthField(offset: 2, kind: .u8, adjust: 4)

    @Test(
        arguments: [
            (.first, ["aa01"], 1, "aa01", ""), (.first, ["aa01", "02"], 1, "aa01", ""), (.first, [""], 1, "", ""),
            (.packets(1), ["aa"], 1, "aa", ""), (.packets(3), ["aa", "bb", "cc", "dd"], 3, "aabbcc", ""),
            (.bytes(3), ["aabb", "ccdd"], 2, "aabbcc", "dd"), (.bytes(2), ["aabb"], 1, "aabb", ""),
            (.bytes(1), ["aabbcc"], 1, "aa", "bbcc"), (.length(length), ["7e820111ff"], 1, "7e820111ff", ""),
            (.length(length), ["7e", "82", "01", "11", "ff"], 5, "7e820111ff", ""),
            (.length(length), ["7e8201", "11ffeeee"], 2, "7e820111ff", "eeee"),
            (.length(length), ["7e820002"], 1, "7e820002", ""),
            (.length(LengthField(offset: 0, kind: .u16be)), ["0004", "aabb"], 2, "0004aabb", ""),
            (.length(LengthField(offset: 0, kind: .u16le, adjust: -2)), ["0600aabb"], 1, "0600aabb", ""),
            (.length(LengthField(offset: 1, kind: .u24be)), ["aa000005bb"], 1, "aa000005bb", ""),
            (.length(LengthField(offset: 1, kind: .u24le)), ["aa050000bb"], 1, "aa050000bb", ""),
            (.length(LengthField(offset: 0, kind: .u32be)), ["00000005bb"], 1, "00000005bb", ""),
            (.length(LengthField(offset: 0, kind: .u32le)), ["05000000bb"], 1, "05000000bb", ""),
            (.length(LengthField(offset: 0, kind: .u16be)), ["0002"], 1, "0002", ""),
            (.suffix([0x0D, 0x0A]), ["414f4b", "0d0a"], 2, "414f4b0d0a", ""),
            (.suffix([0x0D, 0x0A]), ["41", "0d", "0a"], 3, "410d0a", ""),
            (.suffix([0x7E]), ["7e01", "027e"], 2, "7e01027e", ""),
            (.match(BytePattern(offset: 1, bytes: [0x81])), ["aa", "81bb"], 2, "aa81bb", ""),
            (.match(BytePattern(bytes: [1, 2, 3])), ["ff01", "02", "0304"], 3, "ff01020304", ""),
            (.match(BytePattern(bytes: [1])), ["00", "01"], 2, "0001", ""),
            (.idle(.seconds(1)), ["aa"], 1, "aa", ""), (.idle(.seconds(1)), ["aa", "bb"], 2, "aabb", ""),
        ] as [(CompletionRule, [String], Int, String, String)]
    ) func `an answer is complete when its rule says so`(
        complete: CompletionRule,
        packets: [String],
        count: Int,
        value: String,
        surplus: String
    ) {
        let rules = TransactRules.about(complete: complete)
        #expect(exchange(rules, packets.map(hex)) == answer(count, value, surplus: surplus))
    }

    @Test(
        arguments: [
            (.first, []), (.packets(2), ["aa"]), (.bytes(3), ["aa", "bb"]), (.length(length), ["7e82"]),
            (.length(length), ["7e8201", "11"]), (.suffix([0x0D, 0x0A]), ["0d0a41"]), (.suffix([0x0D, 0x0A]), ["0d"]),
            (.match(BytePattern(offset: 1, bytes: [0x81])), ["81", "80"]),
            (.match(BytePattern(offset: 4, bytes: [0x81])), ["aa"]),
            (.match(BytePattern(bytes: [1, 2])), ["02", "01"]),
            (.idle(.seconds(1)), []),
        ] as [(CompletionRule, [String])]
    ) func `an answer that is not complete goes on`(complete: CompletionRule, packets: [String]) {
        #expect(exchange(.about(complete: complete), packets.map(hex)) == .waits)
    }

    @Test(
        arguments: [
            (LengthField(offset: 2, kind: .u8), "7e8201ff"), (LengthField(offset: 0, kind: .u8, adjust: -1), "01aa"),
            (LengthField(offset: 0, kind: .u8), "00"), (LengthField(offset: 0, kind: .u8, adjust: -300), "ff"),
            (LengthField(offset: 0, kind: .u32le), "ffffffff"), (LengthField(offset: 0, kind: .u24be), "ffffff"),
            (LengthField(offset: 0, kind: .u32be, adjust: 1), "00100000"),
        ] as [(LengthField, String)]
    ) func `a length that no answer can have ends the command at once`(field: LengthField, packet: String) {
        #expect(exchange(.about(complete: .length(field)), [hex(packet)]) == .failed(.parseFailed))
    }

    @Test func `a long connection has no answer`() {
        #expect(exchange(.about(complete: .never), []) == .longConnection)
        #expect(TransactRules.about(complete: .never).isLongConnection)
        #expect(!TransactRules.about().isLongConnection)
        let check = TransactRules.about(complete: .never).command().checkResponse
        #expect(check(ResponsePackets([[1]])) == .longConnection)
    }

    @Test(
        arguments: [
            // The first packet alone has to look like an answer, or each.
            (aa, .first, .bytes(4), ["bb", "aa01", "0203"], 2, "aa010203"),
            (aa, nil, .bytes(4), ["bb", "aa01", "0203"], 2, "aa010203"),
            (aa, .each, .bytes(4), ["bb", "aa01", "0203", "aa04"], 2, "aa01aa04"),
            (aa, nil, .packets(2), ["aa01", "0203", "aa04"], 2, "aa01aa04"),
            (aa, nil, .first, ["bb", "", "aa01"], 1, "aa01"),
            (aa, .first, .packets(2), ["aa01", "0203", "aa04"], 2, "aa010203"),
            (PacketCondition(match: .init(offset: 1, bytes: [0x81])), nil, .first, ["81", "0081ff"], 1, "0081ff"),
            (PacketCondition(match: .init(bytes: [0x81])), nil, .first, ["80", "000081"], 1, "000081"),
            (PacketCondition(minBytes: 3), nil, .first, ["", "0102", "010203"], 1, "010203"),
            (PacketCondition(prefix: [1], minBytes: 2), nil, .first, ["01", "0202", "0102"], 1, "0102"),
            (PacketCondition(), .each, .bytes(2), ["01", "02"], 2, "0102"),
        ] as [(PacketCondition, PacketScope?, CompletionRule, [String], Int, String)]
    ) func `packets that do not match are ignored`(
        accept: PacketCondition,
        scope: PacketScope?,
        complete: CompletionRule,
        packets: [String],
        count: Int,
        value: String
    ) {
        let rules = TransactRules.about(accept: accept, on: scope, complete: complete)
        #expect(exchange(rules, packets.map(hex)) == answer(count, value))
    }

    @Test(arguments: [
        (TakeRule(offset: 1), ["0102", "0304", "05"], "0204"), (TakeRule(length: 1), ["0102", "0304", "05"], "010305"),
        (TakeRule(offset: 1, length: 1), ["010203", "0405", "06"], "0205"),
        (TakeRule(offset: 9), ["01", "02", "03"], ""), (TakeRule(offset: -1, length: -1), ["01", "02", "03"], ""),
    ]) func `of each packet that part is kept`(take: TakeRule, packets: [String], value: String) {
        #expect(exchange(.about(take: take, complete: .packets(3)), packets.map(hex)) == answer(3, value))
    }

    @Test func `which packets are looked at follows from how the answer ends`() {
        let first: [CompletionRule] = [.length(Self.length), .bytes(1), .suffix([1]), .idle(.seconds(1))]
        let each: [CompletionRule] = [.first, .packets(2), .match(BytePattern(bytes: [1])), .never]
        #expect(first.allSatisfy { TransactRules.about(complete: $0).scope == .first })
        #expect(each.allSatisfy { TransactRules.about(complete: $0).scope == .each })
        #expect(TransactRules.about(on: .each, complete: .bytes(1)).scope == .each)
    }

    private static let refusal = PacketCondition(prefix: [0xAA, 0xEE])

    @Test(
        arguments: [
            (
                "a refusal that accept would take", .about(accept: aa, complete: .length(length), fail: refusal),
                ["aaee05"]
            ),
            (
                "a refusal that accept would not take",
                .about(accept: PacketCondition(prefix: [0xAA, 0x01]), complete: .length(length), fail: refusal),
                ["aaee05"]
            ),
            ("a refusal in pieces", .about(complete: .length(length), fail: refusal), ["aa", "ee05"]),
            ("a refusal after others", .about(accept: aa, complete: .packets(3), fail: refusal), ["aa01", "aaee"]),
            (
                "a refusal whose head is taken away", .about(accept: aa, take: .init(offset: 2), fail: refusal),
                ["aaee05"]
            ),
            (
                "a refusal that take would empty",
                .about(accept: aa, take: .init(offset: 9), complete: .packets(2), fail: refusal), ["aaee"]
            ),
            ("a refusal wins over the end", .about(complete: .first, fail: refusal), ["aaee"]),
            (
                "a status in a later packet",
                .about(complete: .bytes(9), fail: PacketCondition(match: .init(offset: 3, bytes: [5]))),
                ["aa01", "0005"]
            ),
            (
                "a word across two packets",
                .about(complete: .bytes(99), fail: PacketCondition(match: .init(bytes: Array("ERR".utf8)))),
                ["4f4b45", "5252"]
            ),
            ("a refusal before silence", .about(complete: .idle(.seconds(1)), fail: refusal), ["aa", "ee"]),
        ] as [(String, TransactRules, [String])]
    ) func `the device's refusal is seen`(name: String, rules: TransactRules, packets: [String]) {
        #expect(exchange(rules, packets.map(hex)) == .refused, "\(name)")
    }

    @Test(
        arguments: [
            (
                "a continuation that looks like a refusal",
                .about(accept: aa, complete: .bytes(4), fail: refusal), ["aa01", "aaee"], "aa01aaee"
            ),
            (
                "kept bytes that look like a refusal",
                .about(accept: aa, take: .init(offset: 1), complete: .bytes(2), fail: refusal), ["aaaaee"], "aaee"
            ),
            (
                "kept bytes of several packets that look like a refusal",
                .about(take: .init(offset: 1), complete: .bytes(2), fail: refusal), ["01aa", "02ee"], "aaee"
            ),
            (
                "messages that look like a refusal only together",
                .about(on: .each, complete: .packets(2), fail: refusal), ["aa", "ee"], "aaee"
            ),
            (
                "too short a refusal",
                .about(complete: .first, fail: PacketCondition(prefix: [0xAA], minBytes: 3)), ["aaee"], "aaee"
            ),
        ] as [(String, TransactRules, [String], String)]
    ) func `what merely looks like a refusal is none`(
        name: String,
        rules: TransactRules,
        packets: [String],
        value: String
    ) {
        #expect(exchange(rules, packets.map(hex)).answer?.value == hex(value), "\(name)")
    }

    @Test func `a command that is performed again begins anew`() {
        let rules = TransactRules.about(complete: .bytes(2), fail: Self.refusal)
        let command = rules.command()
        var answer = ResponsePackets()
        answer.append(command.filterData(hex("aaee"), answer) ?? [])
        #expect(command.checkResponse(answer) == .failure("the answer fulfils the command's fail rule"))
        answer = ResponsePackets()
        answer.append(command.filterData(hex("aa01"), answer) ?? [])
        #expect(command.checkResponse(answer) == .success)
    }

    @Test func `a checksum is verified after the cut and removed before values are read`() throws {
        let checksum = ChecksumRule(.sum8, sends: true, verifies: true)
        let field = ParseField("x", offset: 3, type: .hex)
        var rules = TransactRules.about(complete: .length(Self.length), checksum: checksum, parse: [field])
        let frame = hex("7e82021122b5")
        let parsed = TransactAnswer.Value(name: "x", value: .text("1122"))
        let expected = TransactAnswer(packets: 2, value: hex("7e82021122"), surplus: hex("7e"), parsed: [parsed])
        #expect(frame.dropLast().reduce(0 as UInt8, &+) == 0x35 && frame.count == 6)
        #expect(exchange(rules, [Array(frame.prefix(4)), [0x22, 0x35, 0x7E]]) == .answer(expected))
        #expect(exchange(rules, [frame]) == .failed(.badChecksum))
        rules.parse[0].offset = 6
        #expect(exchange(rules, [Array(frame.prefix(5)) + [0x35]]) == .failed(.parseFailed))
    }

    @Test func `the command carries what the rules say`() {
        var rules = TransactRules.about(complete: .idle(.milliseconds(300)))
        rules.mode = .request
        rules.packetTimeout = .seconds(7)
        rules.chunk = Chunk(size: .fixed(first: 2, then: 3), gap: .milliseconds(5))
        rules.data = hex("0102030405060708")
        let command = rules.command()
        #expect(command.write == rules.write && command.notify == rules.notify && command.mode == .request)
        #expect(command.timeout == .seconds(7) && command.gap == .milliseconds(5))
        #expect(command.completesAfterSilence == .milliseconds(300))
        #expect(command.maxResponseBytes == CompletionRule.maxAnswerBytes)
        let cut = command.getLengthProtocol.cut(command.cmdData, mtu: 247)
        #expect(cut == [hex("0102"), hex("030405"), hex("060708")])
        rules.chunk = Chunk()
        #expect(rules.command().getLengthProtocol.cut(command.cmdData, mtu: 247).count == 1)
        #expect(rules.command().getLengthProtocol.length(ofPacket: 0, mtu: 247) == 244)
        #expect(TransactRules.about().command().completesAfterSilence == nil)
    }

    @Test(.apart) func `a long answer costs its length`() {
        let pattern = BytePattern(bytes: [0xFF, 0xFE, 0xFD])
        let rules = TransactRules.about(
            accept: PacketCondition(prefix: [0]),
            on: .first,
            complete: .match(pattern),
            fail: PacketCondition(match: BytePattern(bytes: [0xFF, 0xFD]))
        )
        let packet = [UInt8](repeating: 0, count: 20)
        let packets = [[UInt8]](repeating: packet, count: 50_000) + [[0xFF, 0xFE], [0xFD]]
        let answer = exchange(rules, packets).answer
        #expect(answer?.packets == 50_002 && answer?.value.count == 1_000_003)
    }
}
