internal import EventLoop

/// How long an answer is waited for when what it was to tell can be seen without it.
final class Patience: @unchecked Sendable {
    // Safe because: confined to the loop's thread.
    private(set) var isOver = false
    private var hasBegun = false
    private let limit: Duration

    init(_ limit: Duration) { self.limit = limit }

    /// Begins, once; `done` is called at the end, which may be after whoever waited.
    func begin(_ loop: EventLoop, _ done: @escaping () -> Void) {
        guard !hasBegun else { return }
        hasBegun = true
        loop.schedule(after: limit) { [self] in
            isOver = true
            done()
        }
    }
}
