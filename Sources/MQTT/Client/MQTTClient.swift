package import EventLoop

/// A client of one broker: connects, connects again, and stands between the program and libmosquitto.
///
/// The event loop is its executor. Handlers are called on the loop, never from inside libmosquitto, and may call every
/// member (`assumeIsolated`).
///
/// **Lost links.** What the broker had not acknowledged when a link was lost is sent again on the next one, in order
/// and before all else, whether or not the broker kept the session; an acknowledged message is never sent twice. So a
/// message arrives at least once. A message over which ten links in a row have broken is given up, since it would keep
/// all others back for ever. Subscriptions are made again on every link.
package actor MQTTClient {
    package nonisolated let loop: EventLoop
    var configuration: MQTTConfiguration
    let onMessage: @Sendable (MQTTMessage) -> Void
    let onEvent: @Sendable (MQTTEvent) -> Void
    let worker = Worker(limit: 4)

    var link: Link?
    var lastLinkNumber = 0
    /// Attempts that were given up while their thread still waited for the resolver.
    var abandonedAttempts = 0
    var queue: OutgoingQueue
    var inFlight = InFlight()
    var subscriptions: [MQTTSubscription] = []
    var totals = MQTTCounters()
    var versions: VersionChoice

    var isClosing = false
    /// Whether messages are being handed over or taken up: what is called then does not begin with it anew.
    var isOccupied = false
    /// The last topic that was found to be one.
    private var checkedTopic: String?
    var gap: ReconnectGap
    private var shortLinks = 0
    private var hasRun = false
    private var hasEnded = false
    var pause: (end: CheckedContinuation<Void, Never>, timer: EventLoop.TimerID)?
    /// Whether the link ends because settings have changed.
    var isRenewing = false
    private var closeWaiters: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Makes a client that does nothing before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: checked by `run()`.
    ///   - loop: the client's executor.
    ///   - onMessage: called on the loop with each message, in order.
    ///   - onEvent: called on the loop; on `.connected` the subscriptions have been sent, and what is published from
    ///     the handler follows them.
    package init(
        _ configuration: MQTTConfiguration,
        on loop: EventLoop,
        onMessage: @escaping @Sendable (MQTTMessage) -> Void,
        onEvent: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        self.loop = loop
        self.configuration = configuration
        self.onMessage = onMessage
        self.onEvent = onEvent
        queue = OutgoingQueue(limits: configuration.outgoing)
        versions = VersionChoice(configuration.version)
        gap = ReconnectGap(configuration.reconnect)
    }

    /// Connects, and connects again whenever there is no link, until the task is cancelled or `close` was called.
    ///
    /// Cancelled, it sends what is queued within `closeTimeout`, and DISCONNECT. A client runs once.
    ///
    /// - Throws: `MQTTFailure.configuration` at once, for values that cannot work; nothing else.
    package func run() async throws {
        precondition(!hasRun, "an MQTT client runs once")
        hasRun = true
        defer { finish() }
        try configuration.validate()
        try await withTaskCancellationHandler {
            while !isClosing {
                let end = try await attempt()
                if isRenewing, !isClosing {
                    isRenewing = false
                    if end.held != nil { onEvent(.renewed) }
                    continue
                }
                guard let failure = end.failure, !isClosing else { continue }
                await wait(after: failure, held: end.held)
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.beginClosing(timeout: $0.configuration.closeTimeout) } }
        }
    }

    /// Takes no more messages, sends what is queued, says goodbye, and ends `run()`.
    ///
    /// The broker publishes no will.
    ///
    /// - Parameter timeout: for sending and for acknowledgements; what is left then is dropped.
    package func close(timeout: Duration) async {
        guard hasRun, !hasEnded else {
            isClosing = true
            return
        }
        beginClosing(timeout: timeout)
        // Other work of the actor may run between an `await` and its continuation's closure: ask again within.
        await withCheckedContinuation { waiter in
            if hasEnded { waiter.resume() } else { closeWaiters.append(waiter) }
        }
    }

    /// Queues a message.
    ///
    /// On the loop, any time; nothing is sent before it returns.
    ///
    /// - Parameters:
    ///   - publication: kept until it is settled.
    ///   - completion: called on the loop, once, unless the message is refused here.
    /// - Returns: nil when the message was taken, else why not.
    @discardableResult
    package func publish(
        _ publication: MQTTPublication,
        completion: (@Sendable (MQTTOutcome) -> Void)? = nil
    ) -> MQTTRefusal? {
        guard !isClosing, !hasEnded else { return .closing }
        // Most messages go where the one before went.
        let isTopicKnown = publication.topic == checkedTopic
        if let problem = MosquittoHandle.problem(with: publication, isTopicKnown: isTopicKnown) {
            return .invalid(problem)
        }
        if !isTopicKnown { checkedTopic = publication.topic }
        if publication.delivery == .expendable, link?.isUp != true {
            totals.droppedExpendable += 1
            return .noLink
        }
        let deadline = publication.expirySeconds.map { ContinuousClock.now + .seconds($0) }
        do throws(MQTTRefusal) {
            let entry = OutgoingQueue.Entry(publication: publication, completion: completion, deadline: deadline)
            for dropped in try queue.append(entry) { drop(dropped.entry, dropped.reason) }
        } catch {
            totals.droppedRequired += 1
            return error
        }
        // It may come out of another hook's work, after this client's own hook has run.
        loop.wantTurn()
        return nil
    }

    /// Adds filters to those that are subscribed to on every link, or changes their options.
    ///
    /// What the broker says comes as events, each time.
    ///
    /// - Throws: `MQTTRefusal.invalid` for a filter that is none; then nothing has changed.
    package func subscribe(_ wanted: [MQTTSubscription]) throws(MQTTRefusal) {
        for subscription in wanted {
            if let problem = MosquittoHandle.problem(withFilter: subscription.filter) { throw .invalid(problem) }
        }
        for subscription in wanted {
            subscriptions.removeAll { $0.filter == subscription.filter }
            subscriptions.append(subscription)
        }
        if link?.isUp == true { send(wanted) }
        loop.wantTurn()
    }

    /// Takes filters out; harmless for those that are not there.
    package func unsubscribe(_ filters: [String]) {
        for filter in filters where subscriptions.contains(where: { $0.filter == filter }) {
            subscriptions.removeAll { $0.filter == filter }
            if let link, link.isUp { link.handle.unsubscribe(filter) }
        }
        loop.wantTurn()
    }

    /// How far messages wait behind the link.
    package var backlog: MQTTBacklog {
        guard let link, link.isUp else { return .none }
        if queue.isPastHalf { return .pastHalf }
        return link.isHeldUp && !queue.isEmpty ? .waiting : .none
    }

    /// What has happened, and the depth of the queue.
    package var counters: MQTTCounters {
        var counters = totals
        counters.queued = queue.count
        counters.queuedBytes = queue.bytes
        counters.unacknowledged = inFlight.unacknowledged
        return counters
    }

    /// Reports a message that is given up.
    func drop(_ entry: OutgoingQueue.Entry, _ reason: MQTTDropReason) {
        switch reason {
        case .expired: totals.expired += 1
        case .replaced: totals.replaced += 1
        default: totals.countDrop(entry.publication.delivery)
        }
        entry.completion?(.dropped(reason))
    }

    func beginClosing(timeout: Duration) {
        guard !isClosing else { return }
        isClosing = true
        if let pause {
            self.pause = nil
            loop.cancel(pause.timer)
            pause.end.resume()
        }
        closeLink(timeout: timeout)
    }

    private func wait(after failure: MQTTFailure, held: Duration?) async {
        if held == nil { totals.failedAttempts += 1 }
        gap.linkEnded(after: held ?? .zero)
        let changed = held == nil && versions.failed(failure)
        if changed { onEvent(.fellBack(failure)) }
        // The other version is tried without delay: nothing is known against it yet.
        let delay = changed ? .zero : gap.next(random: Double.random(in: 0...1))
        if let held {
            onEvent(.disconnected(failure, held: held, retryIn: delay, clientIDClash: isClash(failure, held)))
        } else if !changed {
            // A broker that is away is no broker that prefers another client.
            shortLinks = 0
            onEvent(.connectFailed(failure, retryIn: delay))
        }
        await withCheckedContinuation { end in
            guard !isClosing else {
                end.resume()
                return
            }
            let timer = loop.schedule(after: delay) { [self] in
                guard let pause else { return }
                self.pause = nil
                pause.end.resume()
            }
            pause = (end, timer)
        }
    }

    /// MQTT 5 may say that another client took the session over; else only the pattern shows.
    private func isClash(_ failure: MQTTFailure, _ held: Duration) -> Bool {
        shortLinks = held < configuration.reconnect.resetAfter ? shortLinks + 1 : 0
        return switch failure {
        case .disconnectedByBroker(let code, _): code == 0x8E
        case .lost: shortLinks >= 2
        default: false
        }
    }

    private func finish() {
        hasEnded = true
        isClosing = true
        for entry in queue.removeAll() { drop(entry, .closed) }
        onEvent(.closed)
        for waiter in closeWaiters { waiter.resume() }
        closeWaiters = []
    }
}
