internal import BleCore

/// The task of a `sequence`: its steps in order, on one link, each with a time of its own within the whole.
enum SequenceTask {
    /// The task never fails as a whole: what became of each step is its outcome.
    static func make(
        _ request: SequenceRequest,
        for caller: VerbTasks.Caller,
        on device: DeviceTarget,
        retry: RetryRequest,
        timeout: Duration
    ) -> BlueToothTaskModel<VerbOutcome> {
        BlueToothTaskModel(device.address, timeout: timeout) { manager, scope in
            var parts: [PartResult] = []
            var warnings: [String] = []
            var reason: String?
            for (index, step) in request.steps.enumerated() {
                if let reason {
                    parts.append(.notBegun(step.request, detail: reason))
                    continue
                }
                let part = scope.part(timeout: step.timeout)
                let given = step.retry.isGiven ? step.retry : retry
                part.retry = given.policy(for: step.request)
                let task = VerbTasks.task(for: step.request, of: caller, on: device, timeout: step.timeout)
                do {
                    let outcome = try await task.operation(manager, part)
                    parts.append(.ok(step.request, outcome))
                    warnings += outcome.warnings
                    scope.end(part)
                } catch {
                    let failure = VerbFailure(error, part)
                    parts.append(.failed(step.request, failure.error, applied: failure.applied))
                    scope.end(part)
                    if request.onError == .stop {
                        reason = "step \(index) failed"
                    } else {
                        // A call that is still out must not be met by the next step.
                        do { try await manager.untilSettled(device.address, scope) } catch {}
                    }
                }
                if let end = scope.whyOver { reason = end is CancellationError ? "cancelled" : "the time was over" }
            }
            return VerbOutcome(
                confirmed: .weakest(of: parts.compactMap(\.confirmed)),
                payload: .steps(parts),
                warnings: warnings
            )
        }
    }
}
