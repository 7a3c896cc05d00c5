internal import BleCore
internal import EventLoop
internal import TaskQueue

extension Agent {
    /// Puts a device's command into the queue.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - device: Its device.
    ///   - purpose: Who hears what comes of it.
    ///   - arrived: When it came.
    ///   - isTold: Whether its caller knows already that it was accepted.
    func submit(
        _ command: Command,
        on device: DeviceTarget,
        for purpose: Job.Purpose = .command,
        arrived: ContinuousClock.Instant = .now,
        isTold: Bool = false
    ) {
        markUse(of: device.address)
        var first = false
        if case .disconnect(let request) = command.request {
            pauseKeeping(device.address)
            if request.now, let current = running[device.address] {
                current.scope.cancel()
                manager.assumeIsolated { $0.hurry(device.address) }
            }
            first = request.now
        }
        giveWay(address: device.address)
        lastJob += 1
        let job = Job(id: lastJob, command: command, device: device, arrived: arrived, purpose: purpose)
        let place = queue.waiting(for: device.address) + (queue.running(on: device.address) == nil ? 0 : 1)
        do throws(Queue.Refusal) {
            let actions = try queue.submit(
                job,
                for: device.address,
                priority: JobPriority(command.priority),
                first: first,
                slot: takesSlot(command, device.address) ? pool(of: device.address, on: command.adapter) : nil,
                expiry: epoch + command.expiry.monotonic,
                at: .now
            )
            records[job.id] = JobRecord(number: job.id, command: command)
            let accepted = ResultBody.accepted(command, place: place)
            if !isTold { tellCaller(accepted, of: job) }
            records[job.id]?.add(accepted)
            if case .start(let started)? = actions.first, started.id == job.id {
                run(job, untold: [accepted])
                carryOut(actions.dropFirst())
            } else {
                publisher.observe(accepted)
                carryOut(actions)
                armQueueTimer()
            }
        } catch {
            let detail =
                switch error {
                case .deviceFull: "\(configuration.limits.maximumQueuedPerDevice) jobs of this device wait already"
                case .totalFull: "\(configuration.limits.maximumQueuedTotal) jobs wait already"
                case .closed: "the agent is stopping"
                }
            let code: ErrorCode = error == .closed ? .shuttingDown : .queueFull
            refuse(job, command.refusal(code, detail: detail, retryAfterMs: 1000))
        }
    }

    /// Whether a job may make a link.
    private func takesSlot(_ command: Command, _ address: DeviceAddress) -> Bool {
        command.request.needsLink && rulebook.allowsLink(command.request, to: address)
    }

    func carryOut(_ actions: some Sequence<Queue.Action>) {
        for action in actions {
            switch action {
            case .start(let job): run(job)
            case .expire(let job): refuse(job, job.command.refusal(.expired, detail: "its time to start was over"))
            case .reclaim(let address): reclaim(address)
            }
        }
        tellWaiting()
    }

    /// Wakes up when the next waiting job expires.
    func armQueueTimer() {
        let deadline = queue.nextDeadline
        guard deadline != queueTimer?.at else { return }
        if let queueTimer { loop.cancel(queueTimer.id) }
        queueTimer = deadline.map { deadline in
            let timer = loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.queueTimer = nil
                    agent.carryOut(agent.queue.expire(at: .now))
                    agent.armQueueTimer()
                }
            }
            return (deadline, timer)
        }
    }

    private func run(_ job: Job, untold: [ResultBody] = []) {
        let address = job.device.address
        guard mayRun(job) else {
            for step in untold { publisher.observe(step) }
            refuse(job, job.command.refusal(.denied, detail: "links.policy: no link is made to this device"))
            carryOut(queue.finished(job.id, of: address, at: .now))
            return
        }
        if let timer = idleTimers.removeValue(forKey: address) { loop.cancel(timer) }
        let scope = OperationScope(timeout: job.command.timeout, on: loop)
        if job.command.mayHaveRun { scope.note(earlier: .maybe) }
        scope.adapter = job.command.adapter
        scope.retry = job.command.retry.policy(for: job.command.request)
        let current = RunningJob(job: job, scope: scope, untold: untold, record: records[job.id])
        running[address] = current
        if !job.isOwn { began(current) }
        // Unstructured because a job outlives the handler that starts it. Its scope bounds it; `stop` waits for it.
        Task.immediate(executorPreference: loop) {
            await self.manager.perform(BlueToothAnyTaskModel(self.task(for: current)), in: scope)
            await self.manager.settle(address)
            self.free(current)
        }
        guard !current.isAnswered, !job.isOwn else { return }
        for step in takeSteps(of: current) { publisher.observe(step) }
    }

    /// Whether a job needs no link, or finds one, or may make one.
    private func mayRun(_ job: Job) -> Bool {
        let (request, address) = (job.command.request, job.device.address)
        return !request.needsLink || rulebook.allowsLink(request, to: address) || hasLink(address)
    }

    /// Tells that a job runs, and has each further try told.
    private func began(_ current: RunningJob) {
        let job = current.job
        let started = ResultBody.started(job.command)
        records[job.id]?.add(started)
        tellCaller(started, of: job)
        current.untold.append(started)
        if let number = job.command.origin.journal, job.command.request.sends {
            current.scope.beforeChange = { [weak self] scope in
                self?.assumeIsolated { $0.markBegun(number, scope) }
            }
        }
        current.scope.onRetry = { [weak self] attempt, failure, gap in
            self?.assumeIsolated { $0.willRetry(job, attempt, failure, gap) }
        }
    }

    private func willRetry(_ job: Job, _ attempt: Int, _ failure: BleFailure, _ gap: Duration) {
        if failure.kind == .noSlot { slotRefused(to: job.device.address) }
        var error = OperationError(failure)
        error.retryAfterMs = Int(gap.milliseconds)
        let step = ResultBody.retrying(job.command, attempt: attempt, after: error)
        records[job.id]?.add(step)
        tellCaller(step, of: job)
        if let current = running[job.device.address], current.job.id == job.id {
            for step in takeSteps(of: current) { publisher.observe(step) }
        }
        publisher.observe(step)
    }

    /// Tells a step before the result to the caller that asked for it.
    private func tellCaller(_ step: ResultBody, of job: Job) {
        if job.purpose == .command, job.command.wantsSteps { publisher.publishStep(step) }
    }

    /// The steps of a job that observers have not been told of.
    private func takeSteps(of current: RunningJob) -> [ResultBody] {
        defer { current.untold = [] }
        return current.untold
    }

    /// The task that a job's command becomes; its end publishes the result.
    private func task(for current: RunningJob) -> BlueToothTaskModel<VerbOutcome> {
        let job = current.job
        let task =
            job.purpose == .values
            ? valuesTask(of: job.device) : VerbTasks.task(for: job.command, on: job.device, agent: self)
        return task.onEnd { [weak self] outcome in
            self?.assumeIsolated { agent in
                guard let current = agent.running[job.device.address], current.job.id == job.id else { return }
                agent.finish(current, outcome)
            }
        }
    }

    /// Takes up how a job ended: its one result goes to whoever waits for it.
    private func finish(_ current: RunningJob, _ outcome: Result<VerbOutcome, any Error>) {
        let (job, scope) = (current.job, current.scope)
        scope.finish()
        if case .success = outcome, job.command.request.needsLink { noteReached(job.device.address) }
        current.isAnswered = true
        defer { jobEnded() }
        if let poll = job.poll {
            pollEnded(poll, outcome)
            return
        }
        guard job.purpose != .values else { return valuesEnded(of: job.device.address, outcome) }
        let total = ContinuousClock.now - current.started
        let timing = ResultBody.Timing(
            queuedMs: Int((current.started - job.arrived).milliseconds),
            connectMs: scope.connectedAfter.map { Int($0.milliseconds) },
            runMs: Int((total - (scope.connectedAfter ?? .zero)).milliseconds)
        )
        var body: ResultBody
        switch outcome {
        case .success(let outcome):
            if case .steps(let parts) = outcome.payload {
                body = .combined(job.command, parts, payload: outcome.payload, timing: timing, attempt: scope.attempt)
            } else {
                body = .ok(job.command, outcome, timing: timing, attempt: scope.attempt)
                body.lastError = scope.lastFailure.map { OperationError($0) }
            }
            body.warnings += outcome.warnings
        case .failure(let error):
            let failure = VerbFailure(error, scope)
            body = .failed(
                job.command,
                failure.error,
                applied: failure.applied,
                timing: timing,
                attempt: scope.attempt
            )
        }
        if let error = body.error {
            log.info(
                "Command failed",
                [
                    .verb: job.command.request.name.rawValue, .device: job.device.address.hex,
                    .code: error.code.rawValue, .stage: error.stage.rawValue, .id: job.command.origin.id.text,
                    .detail: error.detail,
                ]
            )
        }
        conclude(job, body, after: takeSteps(of: current))
        // With more jobs under way results are better sent together.
        if running.count == 1 { publisher.flush() }
    }

    /// Gives a job's one result to whoever waits for it.
    func conclude(_ job: Job, _ body: ResultBody, after steps: [ResultBody] = []) {
        let history = records.removeValue(forKey: job.id)?.history(endedBy: body)
        switch job.purpose {
        case .command: answer(body, after: steps, history: history)
        case .member(let number, let index):
            for step in steps { publisher.observe(step) }
            publisher.observe(body)
            memberEnded(number, index, body)
        case .poll: break
        case .values: valuesEnded(of: job.device.address, .failure(CancellationError()))
        }
    }

    /// Answers a job that will not run.
    func refuse(_ job: Job, _ refusal: Refusal) {
        noteRefusal(refusal)
        conclude(job, job.command.mayHaveRun ? .unknown(job.command) : .refused(refusal))
    }

    /// Lets `stop` go on when the last job has its result.
    func jobEnded() {
        guard isStopping, isIdle else { return }
        stopWaiter?.resume()
        stopWaiter = nil
    }

    /// The device is free again: its next job starts.
    private func free(_ current: RunningJob) {
        let address = current.job.device.address
        running[address] = nil
        tellSlot(of: address)
        carryOut(queue.finished(current.job.id, of: address, at: .now))
        startDuePoll(of: address)
        startDueValues(of: address)
        restartIdleTimer(address)
    }
}
