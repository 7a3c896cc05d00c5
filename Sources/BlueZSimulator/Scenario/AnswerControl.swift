internal import DBus
internal import EventLoop

/// What becomes of the answer of one call that a fault has touched.
final class AnswerControl {
    private let mode: ScenarioStep.AnswerMode
    private let loop: EventLoop
    private let onAnswer: () -> Void

    /// Calls `onAnswer` once, when the answer has gone out or would have.
    init(_ mode: ScenarioStep.AnswerMode, loop: EventLoop, onAnswer: @escaping () -> Void) {
        self.mode = mode
        self.loop = loop
        self.onAnswer = onAnswer
    }

    /// Takes an answer; nil when the caller wants none.
    func pass(_ answer: DBusMessage?, _ tree: ObjectTree) {
        switch mode {
        case .none: onAnswer()
        case .usual: send(answer, 1, tree)
        case .twice: send(answer, 2, tree)
        case .late(let delay): loop.schedule(after: delay) { self.send(answer, 1, tree) }
        }
    }

    private func send(_ answer: DBusMessage?, _ count: Int, _ tree: ObjectTree) {
        tree.flush()
        if let answer { for _ in 0..<count { tree.send(answer) } }
        onAnswer()
    }
}
