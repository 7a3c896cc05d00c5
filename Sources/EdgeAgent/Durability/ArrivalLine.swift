internal import EventLoop

/// The commands of one device that came while an earlier one of them was on its way into the journal.
///
/// Confined to the agent.
package final class ArrivalLine {
    private enum Slot {
        /// Not in the journal yet.
        case reserved
        /// May start; nil when it will not.
        case ready(Command?)
    }

    private var slots = FIFO<Int>()
    private var commands: [Int: Slot] = [:]
    private var last = 0

    package init() {}

    package var isEmpty: Bool { commands.isEmpty }

    /// Takes the next place for a command that is not ready yet.
    package func reserve() -> Int {
        last += 1
        slots.append(last)
        commands[last] = .reserved
        return last
    }

    package func fill(_ place: Int, _ command: Command?) { commands[place] = .ready(command) }

    package func append(_ command: Command) { fill(reserve(), command) }

    /// Takes out the first command if it is ready; the inner nil stands for one that will not start.
    package func next() -> Command?? {
        guard let first = slots.first, case .ready(let command)? = commands[first] else { return nil }
        _ = slots.popFirst()
        commands[first] = nil
        return .some(command)
    }
}
