import BleCore
import EdgeAgent
import Frames

/// Rules of `transact` with packets that a device sends: the members of a command up to a zero, then packets behind
/// their lengths.
enum TransactFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = Input(bytes)
        let head = Array(#"{"id":"1","client":"c","verb":"transact","service":"ffe0","write":"ffe1","#.utf8)
        let message = IncomingCommand(
            topic: .device("door", client: nil),
            payload: head + input.part() + [UInt8(ascii: "}")],
            arrivedMs: 1_790_848_800_000,
            arrivedMonotonic: .seconds(1000)
        )
        guard case .command(let command) = CommandFuzz.decoder.decode(message, makeID: { "made" }),
            case .transact(let rules) = command.request
        else { return }
        exchange(rules, &input)
    }

    /// What a device sends, up to the end of the exchange, and what is read from it.
    static func exchange(_ rules: TransactRules, _ input: inout Input) {
        let exchange = rules.command()
        var answer = ResponsePackets()
        var isOver = exchange.checkResponse(answer) == .longConnection
        while !input.isEmpty, !isOver {
            guard let kept = exchange.filterData(input.bytes(Int(input.byte())), answer) else { continue }
            answer.append(kept)
            isOver = exchange.checkResponse(answer) != .goOn
        }
        do throws(FrameFailure) {
            _ = try rules.answer(from: answer)
        } catch {
            // Whatever is wrong has a code.
            _ = error.code.rawValue
        }
    }
}
