import BleCore
package import Frames
package import TestSupport

/// What an exchange came to.
package enum Outcome: Equatable {
    case answer(TransactAnswer)
    /// The command's check says that the device refuses.
    case refused
    /// Making an answer of the packets failed.
    case failed(FrameFailure.Code)
    /// More has to come.
    case waits
    case longConnection

    package var answer: TransactAnswer? {
        if case .answer(let answer) = self { answer } else { nil }
    }
}

/// Does with packets what the performer of a command does, and then waits for as long as the rules say.
package func exchange(_ rules: TransactRules, _ packets: [[UInt8]]) -> Outcome {
    let command = rules.command()
    var answer = ResponsePackets()
    if command.checkResponse(answer) == .longConnection { return .longConnection }
    for packet in packets {
        guard let kept = command.filterData(packet, answer) else { continue }
        answer.append(kept)
        switch command.checkResponse(answer) {
        case .success: return outcome(rules, answer)
        case .failure: return .refused
        case .goOn: break
        case .longConnection: return .longConnection
        }
    }
    guard command.completesAfterSilence != nil, !answer.isEmpty else { return .waits }
    return outcome(rules, answer)
}

private func outcome(_ rules: TransactRules, _ answer: ResponsePackets) -> Outcome {
    do throws(FrameFailure) { return .answer(try rules.answer(from: answer)) } catch { return .failed(error.code) }
}

extension TransactRules {
    /// Rules about an answer, with places and data that do not matter.
    package static func about(
        accept: PacketCondition? = nil,
        on scope: PacketScope? = nil,
        take: TakeRule? = nil,
        complete: CompletionRule = .first,
        fail: PacketCondition? = nil,
        checksum: ChecksumRule? = nil,
        parse: [ParseField] = []
    ) -> TransactRules {
        TransactRules(
            write: AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1),
            notify: AttributeSelector(service: 0xFFE0, characteristic: 0xFFE2),
            data: [1],
            accept: accept,
            scope: scope,
            take: take,
            complete: complete,
            fail: fail,
            checksum: checksum,
            parse: parse
        )
    }
}

/// Bytes from hexadecimal digits, for tables.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// Data cut into packets of random lengths, none of them empty.
package func pieces(_ data: [UInt8], using random: inout SeededRandom, longest: Int = 20) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var rest = data[...]
    while !rest.isEmpty {
        packets.append(Array(rest.prefix(Int.random(in: 1...longest, using: &random))))
        rest = rest.dropFirst(packets[packets.count - 1].count)
    }
    return packets
}

package func randomBytes(_ count: Int, using random: inout SeededRandom) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}
