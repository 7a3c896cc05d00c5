internal import BleCore
internal import EventLoop
internal import Journal
internal import TaskQueue

/// What is said about jobs, and how they are ended; none of it ever waits in a queue.
extension Agent {
    /// Lists the jobs that wait and run, in the order of their coming.
    func jobs(_ request: JobsRequest) -> ResultPayload {
        // Some have their result, but their devices are not free yet: why the next ones wait.
        let device = request.device.map { name(of: $0.address) }
        let settling = running.values.filter(\.isAnswered).compactMap(\.record)
        let all = (Array(records.values) + settling).filter { record in
            record.number > (request.page.after ?? -1)
                && (device.map { record.origin.device?.address == $0 } ?? true)
        }
        let (part, isTruncated) = request.page.part(
            of: all.sorted { $0.number < $1.number },
            room: publisher.results.maxResultBytes / JobSummary.estimatedBytes
        )
        return .jobs(part.map(summary), isTruncated: isTruncated)
    }

    private func summary(_ record: JobRecord) -> JobSummary {
        var summary = JobSummary(
            number: record.number,
            origin: record.origin,
            state: .waiting,
            priority: record.priority,
            acceptedMs: record.acceptedMs
        )
        var began: ContinuousClock.Instant?
        var isSettling = false
        if let device = record.origin.device, groups[record.number] == nil, gatewayJobs[record.number] == nil {
            if let current = running[device.address], current.job.id == record.number {
                began = current.started
                isSettling = current.isAnswered
                summary.attempt = current.scope.progress.attempt
                summary.stage = ErrorStage(current.scope.progress.stage)
            } else {
                summary.place = queue.place(of: record.number)
                if queue.isWaitingForSlot(device.address), summary.place == 0 { summary.state = .slot }
            }
        } else {
            began = groups[record.number]?.arrived ?? gatewayJobs[record.number]?.started
        }
        if let began {
            summary.state = isSettling ? .settling : .running
            summary.runMs = Int((ContinuousClock.now - began).milliseconds)
        }
        return summary
    }

    /// Tells of one job: one that is under way, or one that is remembered.
    func job(_ reference: JobReference) throws(OperationError) -> ResultPayload {
        let known = records.values.filter { $0.origin.job == reference }
        // The jobs of a group's members have its name too.
        let group = known.first { groups[$0.number] != nil }
        if let record = group ?? known.max(by: { $0.number < $1.number }) {
            return .job(summary(record), steps: record.steps)
        }
        for isIdentified in [true, false] {
            let key = ReplayWindow.Key(client: reference.client, isIdentified: isIdentified, id: reference.id)
            if let history = window.history(of: key) { return .job(history.summary, steps: history.steps) }
        }
        throw OperationError(.unknownJob, detail: "no such job waits, runs or is remembered")
    }

    /// Ends jobs; each has a result of its own.
    ///
    /// - Returns: how many.
    func cancel(_ request: CancelRequest, besides own: Int? = nil) -> Int {
        let targets = Set(
            records.values.filter { record in
                guard record.number != own else { return false }
                return switch request {
                case .job(let reference): record.origin.job == reference
                case .device(let device): record.origin.device?.address == name(of: device.address)
                case .all: true
                }
            }.map(\.number)
        )
        var count = 0
        for number in targets.sorted() {
            if let run = groups[number] {
                cancel(run)
                count += 1
            } else if let job = gatewayJobs[number] {
                job.scope.cancel()
                count += 1
            } else if delayed[number] != nil {
                refuseDelayed(number, .cancelled, detail: "the job was cancelled")
                count += 1
            }
        }
        return count
            + cancelJobs { job in
                // A group takes its members with it; they are no jobs of their own.
                if case .member(let group, _) = job.purpose, targets.contains(group) { return false }
                return targets.contains(job.id)
            }
    }

    /// Answers a command to all gateways that waits out its delay; it does not start any more.
    func refuseDelayed(_ number: Int, _ code: ErrorCode, detail: String) {
        guard let command = delayed.removeValue(forKey: number) else { return }
        records[number] = nil
        refuse(command.refusal(code, detail: detail))
    }

    /// Ends the devices' jobs that a condition holds for: those that run, and those that wait.
    @discardableResult
    func cancelJobs(_ condition: (Job) -> Bool) -> Int {
        var count = 0
        for job in queue.waitingJobs where condition(job) {
            guard let (job, actions) = queue.cancel(job.id, at: .now) else { continue }
            count += 1
            refuse(job, job.command.refusal(.cancelled, at: .queue, detail: "the job was cancelled"))
            carryOut(actions)
        }
        for current in running.values where !current.isAnswered && condition(current.job) {
            current.scope.cancel()
            count += 1
        }
        armQueueTimer()
        return count
    }
}
