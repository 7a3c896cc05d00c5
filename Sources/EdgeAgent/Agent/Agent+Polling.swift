internal import BleCore
internal import EventLoop
internal import TaskQueue

/// Reading in turn what cannot notify.
///
/// A read takes the device as any job does, so that it is never beside another; but it never waits in the queue: it
/// starts only when the device is free and nobody waits for it.
extension Agent {
    /// The longest gap after failures, unless the caller wants a longer one anyway.
    private static let longestPollGap = Duration.seconds(60)
    /// How long one read may take.
    private static let pollTimeout = Duration.seconds(10)

    /// Publishes the first value of a characteristic that cannot notify, and has it read again and again.
    func poll(_ subscription: Subscription, first: [UInt8]?) {
        guard let interval = subscription.pollInterval else { return }
        if let timer = subscription.poll?.timer { loop.cancel(timer) }
        pollGoesOn(subscription)
        subscription.poll = Subscription.Poll(every: interval)
        if let first { arrived(first, kind: .read, subscription) }
        armPoll(subscription, after: interval)
    }

    private func armPoll(_ subscription: Subscription, after delay: Duration) {
        if let timer = subscription.poll?.timer { loop.cancel(timer) }
        let number = subscription.number
        subscription.poll?.timer = loop.schedule(after: delay) { [weak self] in
            self?.assumeIsolated { agent in
                guard let subscription = agent.subscriptions.numbered(number), subscription.poll != nil else { return }
                subscription.poll?.timer = nil
                subscription.poll?.isDue = true
                agent.startDuePoll(of: subscription.device.address)
            }
        }
    }

    /// Starts the read that is due the longest, unless the device is busy or away.
    func startDuePoll(of address: DeviceAddress) {
        guard !isStopping, queue.running(on: address) == nil, queue.waiting(for: address) == 0 else { return }
        guard let subscription = subscriptions.duePoll(of: address), isResolved(address) else { return }
        subscription.poll?.isDue = false
        subscription.poll?.started = .now
        lastJob += 1
        let job = Job(
            id: lastJob,
            command: command(reading: subscription),
            device: subscription.device,
            arrived: .now,
            purpose: .poll(subscription.number)
        )
        do throws(Queue.Refusal) {
            // The device is free: the job starts.
            carryOut(try queue.submit(job, for: address, priority: .low, expiry: .now + Self.pollTimeout, at: .now))
        } catch {
            armPoll(subscription, after: subscription.pollInterval ?? Self.longestPollGap)
        }
    }

    private func command(reading subscription: Subscription) -> Command {
        let request = VerbRequest.read(ReadRequest(attribute: subscription.selector))
        return .ofNobody(request, on: subscription.device, timeout: Self.pollTimeout)
    }

    /// Takes up what came of a read.
    func pollEnded(_ number: Int, _ outcome: Result<VerbOutcome, any Error>) {
        guard let subscription = subscriptions.numbered(number), let poll = subscription.poll else { return }
        let address = subscription.device.address
        let elapsed = ContinuousClock.now - poll.started
        switch outcome {
        case .success(let outcome):
            subscription.poll?.gap = poll.interval
            pollGoesOn(subscription)
            if case .value(let bytes) = outcome.payload { arrived(bytes, kind: .read, subscription) }
            armPoll(subscription, after: max(poll.interval - elapsed, .zero))
        case .failure(is CancellationError): armPoll(subscription, after: poll.interval)
        case .failure(let error):
            // With the link the reading comes back by itself.
            guard isResolved(address) else {
                subscription.poll?.isDue = true
                return
            }
            let detail = (error as? BleFailure)?.description ?? "\(error)"
            log.debug("Value not read", [.device: address.hex, .topic: subscription.topic, .error: detail])
            if !poll.isInterrupted {
                subscription.poll?.isInterrupted = true
                tell(address, .subscriptionLost(subscription.selector, reason: "reading fails: \(detail)"))
            }
            let gap = min(poll.gap * 2, max(Self.longestPollGap, poll.interval))
            subscription.poll?.gap = gap
            armPoll(subscription, after: gap)
        }
    }

    private func pollGoesOn(_ subscription: Subscription) {
        guard subscription.poll?.isInterrupted == true else { return }
        subscription.poll?.isInterrupted = false
        tell(subscription.device.address, .subscriptionRestored(subscription.selector))
    }

    /// A command has come: a read that is not under way yet gives way to it.
    func giveWay(address: DeviceAddress) {
        guard let current = running[address], current.job.isOwn, current.scope.stage != .operate else { return }
        current.scope.cancel()
    }

    /// The link is gone: nothing is read until it is back.
    func pausePolls(of address: DeviceAddress) {
        for subscription in subscriptions.all(of: address) where subscription.poll != nil {
            if let timer = subscription.poll?.timer { loop.cancel(timer) }
            subscription.poll?.timer = nil
            subscription.poll?.isDue = true
            // Its end was told with the link's.
            subscription.poll?.isInterrupted = true
        }
    }

    private func isResolved(_ address: DeviceAddress) -> Bool {
        manager.assumeIsolated { $0.device(address)?.link.phase == .resolved }
    }
}

extension Command {
    /// A command of nobody's, which is never answered.
    static func ofNobody(_ request: VerbRequest, on device: DeviceTarget, timeout: Duration) -> Command {
        Command(
            origin: CommandOrigin(
                id: CommandID(0),
                client: "",
                target: .device(device),
                verb: request.name,
                reply: ReplyAddress(topic: "")
            ),
            request: request,
            timeout: timeout,
            expiry: Expiry(wallMs: .max, monotonic: .seconds(Int32.max))
        )
    }
}
