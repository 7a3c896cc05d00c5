internal import EventLoop
internal import MQTT

/// Connects to the broker once, as the agent does but under another client id, subscribes, and goes again.
///
/// Nothing is published, there is no will, and no session stays.
enum BrokerProbe {
    static func run(
        _ settings: MQTTConfiguration,
        _ filters: [MQTTSubscription],
        on loop: EventLoop
    ) async -> BrokerFacts {
        var facts = BrokerFacts()
        facts.clientID = settings.clientID
        let (events, arrived) = AsyncStream.makeStream(of: Step.self)
        let client = MQTTClient(settings, on: loop, onMessage: { _ in }, onEvent: { arrived.yield(.event($0)) })
        do throws(MQTTRefusal) {
            try await client.subscribe(filters)
        } catch {
            facts.failure = .configuration(field: "subscription", problem: "\(error)")
            return facts
        }
        let timer = loop.schedule(after: settings.answerDeadline + .seconds(5)) { arrived.yield(.timeIsUp) }
        defer { loop.cancel(timer) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: loop) {
                do {
                    try await client.run()
                } catch {
                    arrived.yield(.ended(error as? MQTTFailure))
                }
            }
            var tries = 0
            steps: for await step in events {
                switch step {
                case .event(.connected(let connection)): facts.version = connection.version.description
                case .event(.connectFailed(let failure, _)):
                    facts.failure = failure
                    tries += 1
                    // What a broker says that speaks 3.1.1 alone; the client finds that out by itself.
                    let mayFallBack = settings.version == .auto && tries < 3 && failure.mayBeOfVersion
                    if !mayFallBack { break steps }
                case .event(.disconnected(let failure, _, _, _)):
                    facts.failure = failure
                    break steps
                case .event(.subscription(let filter, let outcome)):
                    switch outcome {
                    case .granted: facts.granted += 1
                    case .refused(_, let text): facts.refused.append(BrokerFacts.Refusal(filter: filter, text: text))
                    case .unanswered: facts.refused.append(BrokerFacts.Refusal(filter: filter, text: nil))
                    }
                    if facts.granted + facts.refused.count == filters.count { break steps }
                case .event(.fellBack), .event(.renewed), .event(.closed): continue
                case .ended(let failure):
                    facts.failure = failure ?? facts.failure
                    break steps
                case .timeIsUp:
                    if facts.failure == nil { facts.failure = .noAnswer(after: settings.answerDeadline) }
                    break steps
                }
            }
            await client.close(timeout: .seconds(1))
            group.cancelAll()
        }
        // What failed before it went well is over.
        if facts.version != nil, facts.granted + facts.refused.count == filters.count { facts.failure = nil }
        return facts
    }

    private enum Step: Sendable {
        case event(MQTTEvent)
        case ended(MQTTFailure?)
        case timeIsUp
    }
}

extension MQTTFailure {
    /// Whether a broker that does not speak MQTT 5 may be the reason.
    fileprivate var mayBeOfVersion: Bool {
        switch self {
        case .closedBeforeAnswer: true
        case .refused(let code, _): code == 0x84 || code == 0x01
        default: false
        }
    }
}
