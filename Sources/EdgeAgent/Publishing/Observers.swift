internal import EventLoop
internal import MQTT

/// Tells observers the steps of jobs: a moment later and together, so that it costs the callers nothing.
///
/// Steps of which the broker says that nobody subscribes to them (MQTT 5) go out with QoS 0, which spares their
/// acknowledgements. Every second one of each topic asks again. Confined to the agent.
final class Observers {
    private static let moment = Duration.milliseconds(10)
    private static let most = 64
    private static let mostTopics = 4096
    /// How long the broker's word holds: so long may a new subscriber get steps with QoS 0.
    private static let trust = Duration.seconds(1)

    private let client: MQTTClient
    private let loop: EventLoop
    private var untold: [MQTTPublication] = []
    private var teller: EventLoop.TimerID?
    private var unheard: [String: ContinuousClock.Instant] = [:]
    /// Steps that found no place.
    private(set) var dropped: Int64 = 0

    init(client: MQTTClient, loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    /// Takes a step that is to be told.
    func tell(_ step: MQTTPublication) {
        untold.append(step)
        if untold.count >= Self.most {
            tellAll()
        } else if teller == nil {
            teller = loop.schedule(after: Self.moment) { [weak self] in self?.tellAll() }
        }
    }

    /// Tells what has not been told.
    func tellAll() {
        if let teller { loop.cancel(teller) }
        teller = nil
        guard !untold.isEmpty else { return }
        let now = ContinuousClock.now
        for step in untold { tell(step, at: now) }
        untold.removeAll(keepingCapacity: true)
    }

    /// Forgets what was known of who subscribes.
    func forget() { unheard = [:] }

    private func tell(_ step: MQTTPublication, at now: ContinuousClock.Instant) {
        var step = step
        var completion: (@Sendable (MQTTOutcome) -> Void)?
        if let until = unheard[step.topic], now < until {
            step.qos = .atMostOnce
        } else if step.qos != .atMostOnce {
            let (box, topic) = (ObserversBox(self), step.topic)
            completion = { box.observers?.settled(topic, $0) }
        }
        let refusal = client.assumeIsolated { [step, completion] in $0.publish(step, completion: completion) }
        if refusal != nil { dropped += 1 }
    }

    private func settled(_ topic: String, _ outcome: MQTTOutcome) {
        guard outcome == .unheard else {
            unheard[topic] = nil
            return
        }
        if unheard.count >= Self.mostTopics { unheard = [:] }
        unheard[topic] = .now + Self.trust
    }
}

/// Carries the observers through the client's `@Sendable` completion.
private final class ObserversBox: @unchecked Sendable {
    // Safe because: made, and used, on the loop's thread.
    weak var observers: Observers?

    init(_ observers: Observers) { self.observers = observers }
}
