extension EventLoop {
    /// Waits for a duration without blocking the loop.
    ///
    /// Any task; other executors pay a hop.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        let sleeper = Sleeper(loop: self)
        try await withTaskCancellationHandler {
            try await sleeper.sleep(for: duration)
        } onCancel: {
            execute { sleeper.assumeIsolated { $0.cancel() } }
        }
    }
}

/// One pending sleep: ends by its timer or by cancellation, whichever comes first.
private actor Sleeper {
    private let loop: EventLoop
    private var continuation: CheckedContinuation<Void, any Error>?
    private var timer: EventLoop.TimerID?
    private var cancelled = false

    init(loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func sleep(for duration: Duration) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // Asked here, since `cancel` may run between the await and this closure.
            guard !cancelled else {
                continuation.resume(throwing: CancellationError())
                return
            }
            self.continuation = continuation
            timer = loop.schedule(after: duration) { [self] in finish(nil) }
        }
    }

    func cancel() {
        cancelled = true
        finish(CancellationError())
    }

    private func finish(_ error: (any Error)?) {
        guard let continuation else { return }
        self.continuation = nil
        if let timer { loop.cancel(timer) }
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }
}
