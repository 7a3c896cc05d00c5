package import BleCore
import Synchronization

extension TransactRules {
    /// The command that carries the rules out.
    ///
    /// Makes a new one for each time that it is performed. What it brings goes to `answer(from:)`. A long connection's
    /// check says so for any packets, and for none.
    package func command() -> PeripheralOperationCommand {
        var command = PeripheralOperationCommand(framed, write: write, notify: notify)
        command.mode = mode
        command.gap = chunk.gap
        command.getLengthProtocol = chunk.size.lengths
        command.timeout = packetTimeout
        command.maxResponseBytes = CompletionRule.maxAnswerBytes
        if case .idle(let silence) = complete { command.completesAfterSilence = silence }

        let refusal = Refusals()
        command.filterData = { packet, answer in
            let mayBegin = scope == .each || answer.isEmpty
            let isRefusal = mayBegin && fail?.holds(for: packet) == true
            refusal.isLast.withLock { $0 = isRefusal }
            if isRefusal { return packet }
            if mayBegin, let accept, !accept.holds(for: packet) { return nil }
            return take?.kept(of: packet) ?? packet
        }
        command.checkResponse = { answer in
            if refusal.isLast.withLock({ $0 }) || isRefused(answer) { return .failure(Self.refusal) }
            return isComplete(answer)
        }
        return command
    }

    private static let refusal = "the answer fulfils the command's fail rule"

    /// The bytes to send, with their checksum.
    package var framed: [UInt8] {
        guard let checksum, checksum.sends else { return data }
        return data + checksum.bytes(of: data)
    }

    /// Whether an answer that came in pieces is a refusal.
    ///
    /// Where `take` cuts the packets the rule, which is about packets as they come, cannot be asked about the rest.
    private func isRefused(_ answer: ResponsePackets) -> Bool {
        guard let fail, scope == .first, take == nil, let last = answer.packets.last else { return false }
        return fail.holds(for: answer.joined, newest: last.count)
    }

    private func isComplete(_ answer: ResponsePackets) -> CheckResponseResult {
        if complete == .never { return .longConnection }
        guard let last = answer.packets.last else { return .goOn }
        let joined = answer.joined
        let isComplete =
            switch complete {
            case .first: true
            case .packets(let count): answer.count >= count
            case .bytes(let count): joined.count >= count
            case .length(let field):
                switch field.read(joined) {
                case .notYet: false
                case .bytes(let count): joined.count >= count
                // Nothing that may still come makes it an answer: `answer(from:)` says what is wrong with it.
                case .absurd: true
                }
            case .suffix(let end): joined.count >= end.count && joined.suffix(end.count).elementsEqual(end)
            case .match(let pattern): pattern.matches(joined, newest: last.count)
            case .idle, .never: false
            }
        return isComplete ? .success : .goOn
    }
}

/// Tells the check of an answer that the filter has seen the device refuse.
///
/// The filter sees a packet as it came, the check only what was kept of it.
private final class Refusals: Sendable {
    let isLast = Mutex(false)
}
