internal import BleCore
internal import EventLoop
internal import TaskQueue

extension Agent {
    /// Puts a device's command into the queue.
    func submit(_ command: Command, on device: DeviceTarget, arrived: ContinuousClock.Instant = .now) {
        markUse(of: device.address)
        var first = false
        if case .disconnect(let request) = command.request {
            endReconnecting(device.address)
            if request.now, let current = running[device.address] {
                current.scope.cancel()
                manager.assumeIsolated { $0.hurry(device.address) }
            }
            first = request.now
        }
        giveWay(address: device.address)
        lastJob += 1
        let job = Job(id: lastJob, command: command, device: device, arrived: arrived)
        let place = queue.waiting(for: device.address) + (queue.running(on: device.address) == nil ? 0 : 1)
        do throws(Queue.Refusal) {
            let expiry = epoch + command.expiry.monotonic
            let actions = try queue.submit(job, for: device.address, first: first, expiry: expiry, at: .now)
            let accepted = ResultBody.accepted(command, place: place)
            if case .start(let job)? = actions.first {
                run(job, untold: [accepted])
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
            refuse(command.refusal(code, detail: detail, retryAfterMs: 1000))
        }
    }

    func carryOut(_ actions: [Queue.Action]) {
        for action in actions {
            switch action {
            case .start(let job): run(job)
            case .expire(let job):
                refuse(job.command.refusal(.expired, detail: "its time to start was over"))
            }
        }
    }

    /// Wakes up when the next waiting job expires.
    private func armQueueTimer() {
        if let queueTimer { loop.cancel(queueTimer) }
        queueTimer = queue.nextDeadline.map { deadline in
            loop.schedule(at: deadline) { [weak self] in
                self?.assumeIsolated { agent in
                    agent.queueTimer = nil
                    agent.carryOut(agent.queue.expire(at: .now))
                    agent.armQueueTimer()
                }
            }
        }
    }

    func run(_ job: Job, untold: [ResultBody] = []) {
        let address = job.device.address
        if let timer = idleTimers.removeValue(forKey: address) { loop.cancel(timer) }
        let scope = OperationScope(timeout: job.command.timeout, on: loop)
        let current = RunningJob(
            job: job,
            scope: scope,
            untold: job.poll == nil ? untold + [.started(job.command)] : []
        )
        running[address] = current
        // Unstructured because a job outlives the handler that starts it. Its scope bounds it; `stop` waits for it.
        Task.immediate(executorPreference: loop) {
            await self.manager.perform(BlueToothAnyTaskModel(self.task(for: current)), in: scope)
            await self.manager.settle(address)
            self.free(current)
        }
        guard !current.isAnswered, job.poll == nil else { return }
        for step in takeSteps(of: current) { publisher.observe(step) }
    }

    /// The steps of a job that observers have not been told of.
    private func takeSteps(of current: RunningJob) -> [ResultBody] {
        defer { current.untold = [] }
        return current.untold
    }

    /// The task that a job's command becomes; its end publishes the result.
    private func task(for current: RunningJob) -> BlueToothTaskModel<VerbOutcome> {
        let job = current.job
        let task = VerbTasks.task(for: job.command, on: job.device, subscribing: self)
        return task.onEnd { [weak self] outcome in
            self?.assumeIsolated { agent in
                guard let current = agent.running[job.device.address], current.job.id == job.id else { return }
                agent.finish(current, outcome)
            }
        }
    }

    /// Publishes a job's one result.
    private func finish(_ current: RunningJob, _ outcome: Result<VerbOutcome, any Error>) {
        let (job, scope) = (current.job, current.scope)
        scope.finish()
        current.isAnswered = true
        defer { jobEnded() }
        if let poll = job.poll {
            pollEnded(poll, outcome)
            return
        }
        let total = ContinuousClock.now - current.started
        let timing = ResultBody.Timing(
            queuedMs: Int((current.started - job.arrived).milliseconds),
            connectMs: scope.connectedAfter.map { Int($0.milliseconds) },
            runMs: Int((total - (scope.connectedAfter ?? .zero)).milliseconds)
        )
        let steps = takeSteps(of: current)
        switch outcome {
        case .success(let outcome):
            var body = ResultBody.ok(
                job.command,
                confirmed: outcome.confirmed,
                payload: outcome.payload,
                timing: timing,
                attempt: scope.attempt
            )
            body.warnings += outcome.warnings
            answer(body, after: steps)
        case .failure(let error):
            let (error, applied) = Self.failure(error, scope)
            log.info(
                "Command failed",
                [
                    .verb: job.command.request.name.rawValue, .device: job.device.address.hex,
                    .code: error.code.rawValue, .stage: error.stage.rawValue, .id: job.command.origin.id.text,
                    .detail: error.detail,
                ]
            )
            answer(.failed(job.command, error, applied: applied, timing: timing, attempt: scope.attempt), after: steps)
        }
    }

    /// Lets `stop` go on when the last job has its result.
    private func jobEnded() {
        if isStopping, running.values.allSatisfy(\.isAnswered) {
            stopWaiter?.resume()
            stopWaiter = nil
        }
    }

    /// What the contract says to a failure, and whether the device may have acted.
    static func failure(_ error: any Error, _ scope: OperationScope) -> (OperationError, Applied) {
        switch error {
        case let failure as BleFailure: return (OperationError(failure), Applied(failure.applied))
        case let error as OperationError: return (error, Applied(scope.applied))
        case is CancellationError:
            let error = OperationError(.cancelled, at: ErrorStage(scope.stage), detail: "the job was cancelled")
            return (error, Applied(scope.applied))
        default: return (OperationError(.internal, detail: "\(error)"), Applied(scope.applied))
        }
    }

    /// The device is free again: its next job starts.
    private func free(_ current: RunningJob) {
        let address = current.job.device.address
        running[address] = nil
        carryOut(queue.finished(current.job.id, of: address, at: .now))
        startDuePoll(of: address)
        armIdleTimer(address)
    }
}
