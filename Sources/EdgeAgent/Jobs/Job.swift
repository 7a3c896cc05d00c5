internal import BleCore
internal import EventLoop

/// A device's command on its way through the queue.
struct Job: Identifiable, Sendable {
    /// Counts the jobs of this process.
    let id: Int
    let command: Command
    let device: DeviceTarget
    let arrived: ContinuousClock.Instant
    /// The number of the subscription for which the agent reads a value itself; such a job has no caller, and nobody hears of it.
    var poll: Int?
}

/// What a verb that succeeded has to say.
struct VerbOutcome: Sendable {
    let confirmed: Confirmed
    let payload: ResultPayload
    var warnings: [String] = []
}

/// A job that has its device now.
final class RunningJob {
    let job: Job
    let scope: OperationScope
    let started = ContinuousClock.now
    /// Its result is out; the device may still be busy with a call.
    var isAnswered = false
    /// The steps before the result that observers have not been told of yet.
    var untold: [ResultBody]

    init(job: Job, scope: OperationScope, untold: [ResultBody]) {
        self.job = job
        self.scope = scope
        self.untold = untold
    }
}
