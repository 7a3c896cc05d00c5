internal import EventLoop
internal import MQTT

/// Tells observers the steps of jobs: a moment later and together, encoded only then, so that callers do not wait for it.
///
/// Steps of which the broker says that nobody subscribes to them (MQTT 5) go out with QoS 0, which spares their
/// acknowledgements. Every second one of each topic asks again. Confined to the agent.
final class Observers {
    private static let moment = Duration.milliseconds(10)
    private static let most = 64
    private static let mostTopics = 4096
    /// How long the broker's word holds: so long may a new subscriber get steps with QoS 0.
    private static let trust = Duration.seconds(1)

    /// What is told: a step, or a final result that was encoded for its caller.
    enum Content {
        case step(ResultBody)
        case result(EncodedResult)
    }

    /// What is to be told of a device's job, with the number and the time at which it happened.
    struct Told {
        var device: DeviceTarget
        var content: Content
        var stamp: MessageStamp
    }

    /// Makes the message.
    var encode: ((Told) -> MQTTPublication?)?
    private let client: MQTTClient
    private let loop: EventLoop
    private var untold: [Told] = []
    private var teller: EventLoop.TimerID?
    private var unheard: [String: ContinuousClock.Instant] = [:]
    /// Steps that found no place.
    private(set) var dropped: Int64 = 0

    init(client: MQTTClient, loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    /// Takes what is to be told.
    func tell(_ content: Content, of device: DeviceTarget, _ stamp: MessageStamp) {
        untold.append(Told(device: device, content: content, stamp: stamp))
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
        for told in untold {
            if let message = encode?(told) { send(message, at: now) }
        }
        untold.removeAll(keepingCapacity: true)
    }

    /// Forgets what was known of who subscribes.
    func forget() { unheard = [:] }

    private func send(_ message: MQTTPublication, at now: ContinuousClock.Instant) {
        var step = message
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
