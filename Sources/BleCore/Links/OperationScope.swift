package import EventLoop

/// The bounds of one operation: its deadline, its cancellation, and how far it has come.
///
/// Lives on the loop. Whatever the operation waits for, the wait ends at once when the scope ends: by its deadline, by
/// `cancel()`, or by the cancellation of the task it runs in.
package final class OperationScope: @unchecked Sendable {
    // Safe because: confined to the loop's thread; the cancellation handler goes through `loop.execute`.

    /// Where the operation is; the stage of the failure when it ends now.
    package internal(set) var stage: BleFailure.Stage = .adapter
    /// How many tries have begun.
    package private(set) var attempt = 1
    /// How often it may be tried.
    package var retry = RetryPolicy()
    /// The only adapter that it may use; nil: whichever suits.
    package var adapter: AdapterName?
    /// Hears of each failure that is answered by another try, and of the gap before it.
    ///
    /// On the loop.
    package var onRetry: ((Int, BleFailure, Duration) -> Void)?
    /// Asked before the first call that changes something at the device; nothing goes out before it has answered.
    ///
    /// On the loop; it answers there with `permit(_:)`, at once or later.
    package var beforeChange: (@Sendable (OperationScope) -> Void)?
    /// What it has answered, and who waits for that.
    private(set) var permission: Result<Void, any Error>?
    var onPermission: (() -> Void)?
    /// The last failure that was answered by another try.
    package private(set) var lastFailure: BleFailure?
    /// What the tries before the present one may have done.
    package private(set) var earlier: BleFailure.Applied = .no
    private var retries = Retries()
    /// The part of the operation that is under way.
    private var part: OperationScope?
    /// Whether a call that changes something is out or has been made: what a failure from now on says.
    package internal(set) var applied: BleFailure.Applied = .no
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
    package func cancel() {
        end(CancellationError())
        part?.cancel()
    }

    /// Begins a part of the operation with a time of its own; it ends with the whole at the latest.
    ///
    /// On the loop. One part at a time; `end(_:)` is to be called for each.
    package func part(timeout: Duration) -> OperationScope {
        let part = OperationScope(timeout: timeout, on: loop)
        part.onRetry = onRetry
        part.beforeChange = beforeChange
        part.adapter = adapter
        self.part = part
        switch ended {
        case is CancellationError: part.cancel()
        case nil: break
        default: part.expire()
        }
        return part
    }

    /// Ends a part, and takes over how far it came.
    package func end(_ part: OperationScope) {
        part.finish()
        self.part = nil
        stage = part.stage
        attempt = max(attempt, part.attempt)
        applied = applied.joined(with: part.applied).joined(with: part.earlier)
        if connectedAfter == nil, let after = part.connectedAfter { connectedAfter = part.started - started + after }
    }

    /// What ended the operation: its deadline or its cancellation.
    package var whyOver: (any Error)? { ended }

    /// How far the operation, or its part that is under way, has come.
    package var progress: (stage: BleFailure.Stage, attempt: Int) {
        part?.progress ?? (stage, attempt)
    }

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

    /// Whether the operation may be tried once more after a failure of a family; what follows from it is noted then.
    ///
    /// - Returns: The gap before the next try, `atMost` so long; nil when there shall be none.
    func tryAgain(
        after failure: BleFailure,
        _ family: RetryFamily?,
        _ gaps: RetryGaps,
        atMost longest: Duration? = nil
    ) -> Duration? {
        guard let family, retry.max.map({ retries.total < $0 }) ?? true, !isOver else { return nil }
        var gap = retries.next(family, gaps)
        if let longest { gap = min(gap, longest) }
        lastFailure = failure
        earlier = earlier.joined(with: failure.applied)
        applied = .no
        onRetry?(attempt + 1, failure, gap)
        return gap
    }

    /// Answers ``beforeChange``: the change may go out, or why not.
    package func permit(_ verdict: Result<Void, any Error>) {
        permission = verdict
        onPermission?()
        onPermission = nil
    }

    /// Notes what was done before this operation began, by somebody who cannot say what came of it.
    package func note(earlier: BleFailure.Applied) { self.earlier = self.earlier.joined(with: earlier) }

    /// The next try begins.
    func beginTry() { attempt += 1 }

    /// The family of the last failure.
    var lastFamily: RetryFamily? { retries.last }

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
        part?.expire()
        // bluetoothd forgets a device that it could not reach: the search in a later try is a part of connecting. One that
        // somebody removed is a device to be found.
        let wasHeard =
            lastFailure?.kind != .deviceRemoved && (lastFailure?.stage == .connect || lastFailure?.stage == .discover)
        if stage == .scan, wasHeard { stage = .connect }
        if stage == .scan {
            let detail = "not heard within \(limit.milliseconds) ms"
            end(BleFailure(.notInRange, at: .scan, dbus: lastFailure?.dbus, detail: detail))
        } else {
            var detail = "no end within \(limit.milliseconds) ms"
            if attempt > 1 { detail += ", attempt \(attempt)" }
            if let lastFailure, lastFailure.dbus == nil { detail += "; before: \(lastFailure.detail)" }
            let applied = earlier.joined(with: applied)
            end(BleFailure(.timedOut, at: stage, applied: applied, dbus: lastFailure?.dbus, detail: detail))
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
