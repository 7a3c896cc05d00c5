internal import BleCore
internal import EventLoop
internal import TaskQueue

/// A device's command on its way through the queue.
///
/// A class: it goes through many hands, and commands are large to copy.
final class Job: Identifiable, Sendable {
    /// What comes of it, and who hears that.
    enum Purpose: Sendable, Equatable {
        /// A caller's command: its result is published.
        case command
        /// A member's part of the group command with this number.
        case member(of: Int, index: Int)
        /// A read of the agent's own, for the subscription with this number; nobody hears of it.
        case poll(Int)
        /// Reads of the agent's own, for the device's state; nobody hears of it.
        case values
    }

    /// Counts the jobs of this process.
    let id: Int
    let command: Command
    let device: DeviceTarget
    let arrived: ContinuousClock.Instant
    let purpose: Purpose

    init(id: Int, command: Command, device: DeviceTarget, arrived: ContinuousClock.Instant, purpose: Purpose) {
        self.id = id
        self.command = command
        self.device = device
        self.arrived = arrived
        self.purpose = purpose
    }

    /// Whether it is the agent's own, of which nobody hears.
    var isOwn: Bool { poll != nil || purpose == .values }

    /// The number of the subscription for which the agent reads a value itself.
    var poll: Int? {
        if case .poll(let number) = purpose { number } else { nil }
    }
}

/// What a verb that succeeded has to say.
package struct VerbOutcome: Sendable {
    package let confirmed: Confirmed
    package let payload: ResultPayload
    package var warnings: [String]

    package init(confirmed: Confirmed, payload: ResultPayload, warnings: [String] = []) {
        self.confirmed = confirmed
        self.payload = payload
        self.warnings = warnings
    }
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
    /// What is told of it; nil of a read of the agent's own.
    let record: JobRecord?

    init(job: Job, scope: OperationScope, untold: [ResultBody], record: JobRecord?) {
        self.job = job
        self.scope = scope
        self.untold = untold
        self.record = record
    }
}

/// What `jobs` and `job` tell of a command that is under way.
final class JobRecord {
    /// That of its job.
    let number: Int
    let origin: CommandOrigin
    let priority: CommandPriority
    let acceptedMs: Int64
    private(set) var steps: [JobStep] = []

    init(number: Int, command: Command) {
        self.number = number
        origin = command.origin
        priority = command.priority
        acceptedMs = UTCTime.now.millisecondsSince1970
    }

    func add(_ body: ResultBody) { steps.append(JobStep(body, timeMs: UTCTime.now.millisecondsSince1970)) }

    /// The record of a job that has ended.
    func history(endedBy body: ResultBody) -> JobHistory {
        let last = JobStep(body, timeMs: UTCTime.now.millisecondsSince1970)
        let summary = JobSummary(
            number: number,
            origin: origin,
            state: .ended,
            priority: priority,
            acceptedMs: acceptedMs,
            attempt: body.attempt
        )
        return JobHistory(summary: summary, steps: steps + [last])
    }
}

/// What is remembered of a job that has ended.
package struct JobHistory: Sendable, Equatable {
    package let summary: JobSummary
    package let steps: [JobStep]
}

/// A command of the gateway that takes time.
final class GatewayJob {
    let command: Command
    let scope: OperationScope
    let started = ContinuousClock.now

    init(_ command: Command, _ scope: OperationScope) {
        self.command = command
        self.scope = scope
    }
}

extension VerbRequest {
    /// Whether the verb needs a link, and with it one of the adapter's slots.
    var needsLink: Bool {
        switch self {
        case .connect, .connectMatching, .discover, .read, .write, .subscribe, .transact, .run, .pair: true
        case .sequence(let request): request.steps.contains { $0.request.needsLink }
        default: false
        }
    }
}

extension VerbRequest {
    /// Whether the verb sends values to the device: what must not happen twice unless the caller says so.
    var sends: Bool {
        switch self {
        case .write, .transact: true
        case .run(let request): request.resolved?.isReadOnly != true
        case .sequence(let request): request.steps.contains { $0.request.sends }
        default: false
        }
    }
}

extension RetryRequest {
    /// What it means for one verb: what only reads may be done twice when the caller speaks of it at all.
    func policy(for request: VerbRequest) -> RetryPolicy {
        RetryPolicy(max: max, repeatsOperation: isIdempotent || (isGiven && !request.changesSomething))
    }
}

extension JobPriority {
    init(_ priority: CommandPriority) {
        self =
            switch priority {
            case .urgent: .urgent
            case .normal: .normal
            case .low: .low
            }
    }
}
