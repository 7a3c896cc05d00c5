package import EventLoop

/// The bounds of one operation: its deadline, its cancellation, and how far it has come.
///
/// Lives on the loop. Whatever the operation waits for, the wait ends at once when the scope ends: by its deadline, by
/// `cancel()`, or by the cancellation of the task it runs in.
package final class OperationScope: @unchecked Sendable {
    // Safe because: confined to the loop's thread; the cancellation handler goes through `loop.execute`.

    /// Where the operation is; the stage of the failure when it ends now.
    package internal(set) var stage: BleFailure.Stage = .adapter
    /// How often the link was tried.
    package internal(set) var attempt = 1
    /// Whether a call that changes something is out or has been made: what a failure from now on says.
    package internal(set) var applied: BleFailure.Applied = .no
    /// BlueZ's last error that was answered by another try.
    var lastError: BleFailure.BusError?
    /// When the present stage began; for the timing of a result.
    package private(set) var connectedAfter: Duration?

    package let loop: EventLoop
    private let started = ContinuousClock.now
    private let limit: Duration
    private var timer: EventLoop.TimerID?
    private var ended: (any Error)?
    private var onEnd: ((any Error) -> Void)?

    /// Begins an operation that has `timeout` from now.
    ///
    /// On the loop.
    package init(timeout: Duration, on loop: EventLoop) {
        self.loop = loop
        limit = timeout
        timer = loop.schedule(after: timeout) { [weak self] in self?.expire() }
    }

    /// Ends the operation by cancellation.
    ///
    /// On the loop. Harmless afterwards.
    package func cancel() { end(CancellationError()) }

    /// Takes the deadline back.
    ///
    /// To be called on every way out.
    package func finish() {
        if let timer { loop.cancel(timer) }
        timer = nil
        onEnd = nil
    }

    /// Notes that the link stands: what follows is the operation proper.
    func linkReady() {
        if connectedAfter == nil { connectedAfter = ContinuousClock.now - started }
    }

    /// Whether the operation has been ended: by its deadline or by cancellation.
    var isOver: Bool { ended != nil }

    func check() throws {
        if let ended { throw ended }
    }

    /// Sets what to do when the scope ends during a wait; nil after the wait.
    func setOnEnd(_ action: ((any Error) -> Void)?) { onEnd = action }

    /// Ends the operation as its deadline does.
    ///
    /// On the loop. Harmless afterwards.
    package func expire() {
        if let timer { loop.cancel(timer) }
        timer = nil
        if stage == .scan {
            let detail = "not heard within \(limit.milliseconds) ms"
            end(BleFailure(.notInRange, at: .scan, dbus: lastError, detail: detail))
        } else {
            let detail = "no end within \(limit.milliseconds) ms" + (attempt > 1 ? ", attempt \(attempt)" : "")
            end(BleFailure(.timedOut, at: stage, applied: applied, dbus: lastError, detail: detail))
        }
    }

    private func end(_ error: any Error) {
        guard ended == nil else { return }
        ended = error
        let action = onEnd
        onEnd = nil
        action?(error)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow ? .max : product &+ attoseconds / 1_000_000_000_000_000
    }
}
