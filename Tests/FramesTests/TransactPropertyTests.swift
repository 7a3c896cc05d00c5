import BleCore
import Frames
import FramesSupport
import PaceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct TransactPropertyTests {
    /// A frame `A5`, command, length in two bytes, payload, CRC: what many devices speak.
    private func frame(_ payload: [UInt8], _ command: UInt8, _ checksum: ChecksumRule) -> [UInt8] {
        let head = [0xA5, command, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        return head + payload + checksum.bytes(of: head + payload)
    }

    @Test(.apart) func `any frame cut into any packets, with foreign ones before it, is the same answer as whole`() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<Rounds.of(10_000) {
            let kind = ChecksumKind.allCases.randomElement(using: &random) ?? .sum8
            let order = ChecksumRule.Order.allCases.randomElement(using: &random) ?? .big
            let from = Int.random(in: 0...4, using: &random)
            let checksum = ChecksumRule(kind, order: order, from: from, sends: true, verifies: true)
            let payload = randomBytes(Int.random(in: 0...90, using: &random), using: &random)
            let whole = frame(payload, 0x81, checksum)
            let field = LengthField(offset: 2, kind: .u16be, adjust: 4 + kind.width)
            let completions: [CompletionRule] = [.length(field), .bytes(whole.count), .idle(.seconds(1))]
            let rules = TransactRules.about(
                accept: PacketCondition(prefix: [0xA5]),
                complete: completions.randomElement(using: &random) ?? .first,
                fail: PacketCondition(prefix: [0xA5, 0xFF]),
                checksum: checksum,
                parse: [
                    ParseField("payload", offset: 4, type: .hex), ParseField("length", offset: 2, type: .u16be),
                ]
            )
            let expected = exchange(rules, [whole]).answer
            #expect(expected?.value == whole.dropLast(kind.width))
            #expect(expected?.parsed.first?.value == .text(Hex.text(payload)))

            let foreign = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                // Never the first byte of an answer.
                [UInt8.random(in: 0...0xA4, using: &random)]
                    + randomBytes(Int.random(in: 0...19, using: &random), using: &random)
            }
            var packets = pieces(whole, using: &random)
            var surplus: [UInt8] = []
            if case .idle = rules.complete {
            } else {
                surplus = randomBytes(Int.random(in: 0...5, using: &random), using: &random)
                packets[packets.count - 1] += surplus
            }
            let answer = exchange(rules, foreign + packets).answer
            #expect(answer?.value == expected?.value && answer?.parsed == expected?.parsed)
            #expect(answer?.surplus == surplus && answer?.packets == packets.count)
        }
    }

    @Test(.apart) func `any data in numbered packets, with foreign ones between them, are the same answer as whole`() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<Rounds.of(10_000) {
            let data = randomBytes(Int.random(in: 1...90, using: &random), using: &random)
            let parts = pieces(data, using: &random, longest: 18)
            let completions: [CompletionRule] = [.packets(parts.count), .bytes(data.count), .idle(.seconds(1))]
            let rules = TransactRules.about(
                accept: PacketCondition(prefix: [0x5A], minBytes: 3),
                on: .each,
                take: TakeRule(offset: 2),
                complete: completions.randomElement(using: &random) ?? .first,
                fail: PacketCondition(prefix: [0x5A, 0xFF]),
                parse: [ParseField("all", type: .hex)]
            )
            var packets: [[UInt8]] = []
            for (index, part) in parts.enumerated() {
                if Bool.random(using: &random) {
                    packets.append([0x5B, UInt8.random(in: 0...255, using: &random), 7, 8])
                }
                if Bool.random(using: &random) { packets.append([0x5A, 0]) }
                packets.append([0x5A, UInt8(index)] + part)
            }
            let answer = exchange(rules, packets).answer
            #expect(answer?.value == data && answer?.packets == parts.count && answer?.surplus == [])
            #expect(answer?.parsed == [.init(name: "all", value: .text(Hex.text(data)))])

            let place = Int.random(in: 0..<max(1, packets.count - 1), using: &random)
            packets.insert([0x5A, 0xFF], at: place)
            #expect(exchange(rules, packets) == .refused)
        }
    }

    @Test(.apart) func `a text with an end is the same however it is cut`() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<Rounds.of(5000) {
            let line = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 32...126, using: &random)
            }
            let whole = line + [0x0D, 0x0A]
            let packets = pieces(whole, using: &random)
            let suffix = TransactRules.about(complete: .suffix([0x0D, 0x0A]))
            let match = TransactRules.about(complete: .match(BytePattern(bytes: [0x0D, 0x0A])))
            for rules in [suffix, match] {
                let answer = exchange(rules, packets).answer
                #expect(answer?.value == whole && answer?.packets == packets.count)
            }
            #expect(exchange(suffix, Array(packets.dropLast())) == .waits)
        }
    }

    @Test(.apart) func `thirty thousand hostile exchanges never trap, and each has one outcome`() {
        var random = SeededRandom(seed: 5)
        var outcomes: [String: Int] = [:]
        for _ in 0..<Rounds.of(30_000) {
            let rules = hostile(&random)
            let packets = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                // Few values, so that rules are fulfilled now and then.
                (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
            }
            switch exchange(rules, packets) {
            case .answer(let answer):
                outcomes["answer", default: 0] += 1
                #expect(answer.value.count + answer.surplus.count <= packets.joined().count)
                #expect(answer.packets <= packets.count && answer.parsed.count == rules.parse.count)
            case .refused:
                outcomes["refused", default: 0] += 1
                #expect(rules.fail != nil)
            case .failed(let code): outcomes["\(code)", default: 0] += 1
            case .waits: outcomes["waits", default: 0] += 1
            case .longConnection:
                outcomes["long", default: 0] += 1
                #expect(rules.complete == .never)
            }
        }
        #expect(outcomes.count == 6, "\(outcomes)")
        for (name, count) in outcomes { #expect(count > Rounds.of(300), "\(name): \(outcomes)") }
    }

    private func hostile(_ random: inout SeededRandom) -> TransactRules {
        func number(_ random: inout SeededRandom) -> Int { Int.random(in: -3...12, using: &random) }
        func few(_ random: inout SeededRandom) -> [UInt8] {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
        }
        func pattern(_ random: inout SeededRandom) -> BytePattern {
            BytePattern(offset: Bool.random(using: &random) ? nil : number(&random), bytes: few(&random))
        }
        func condition(_ random: inout SeededRandom) -> PacketCondition? {
            guard Int.random(in: 0...2, using: &random) == 0 else { return nil }
            let match = Bool.random(using: &random) ? nil : pattern(&random)
            return PacketCondition(prefix: few(&random), match: match, minBytes: number(&random))
        }
        let kind = LengthField.Kind.allCases.randomElement(using: &random) ?? .u8
        let completions: [CompletionRule] = [
            .first, .packets(number(&random)), .bytes(number(&random)), .suffix(few(&random)),
            .length(LengthField(offset: number(&random), kind: kind, adjust: number(&random))),
            .match(pattern(&random)), .idle(.seconds(1)), .never,
        ]
        let sum = ChecksumKind.allCases.randomElement(using: &random) ?? .sum8
        let checks = Int.random(in: 0...3, using: &random) == 0
        let checksum = ChecksumRule(sum, from: abs(number(&random)), sends: true, verifies: checks)
        let type = ParseType.allCases.randomElement(using: &random) ?? .u8
        return .about(
            accept: condition(&random),
            on: [nil, .first, .each].randomElement(using: &random) ?? nil,
            take: Bool.random(using: &random) ? nil : TakeRule(offset: number(&random), length: number(&random)),
            complete: completions.randomElement(using: &random) ?? .first,
            fail: condition(&random),
            checksum: Bool.random(using: &random) ? checksum : nil,
            parse: Bool.random(using: &random) ? [] : [ParseField("x", offset: number(&random), type: type)]
        )
    }
}
