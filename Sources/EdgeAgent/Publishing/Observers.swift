internal import EventLoop
internal import MQTT

/// Tells observers the steps of jobs: a moment later and together, encoded and numbered only then, so that callers do
/// not wait for it.
///
/// Of a device that nobody observes the broker says so (MQTT 5, reason code 0x10). From then on its steps are held for a
/// little longer, and the first of them goes alone: when the broker says again that nobody subscribes, what happened
/// before that was sent has no hearer either, and is let go. Else all go out. Who subscribes misses nothing that happens
/// afterwards. Confined to the agent.
final class Observers {
    private static let moment = Duration.milliseconds(10)
    private static let longer = Duration.milliseconds(50)
    private static let most = 64
    /// With so many held of a device it is asked about at once: what is held is memory that does not stay warm.
    private static let manyHeld = 30
    /// With more than these the broker is slow to answer, and they wait in the client's queue instead.
    private static let mostHeld = 4096
    private static let mostQuiet = 4096

    /// What is told: a step, or a final result that was encoded for its caller.
    enum Content {
        indirect case step(ResultBody)
        indirect case result(EncodedResult)
    }

    /// What is to be told of a device's job, with the time at which it happened.
    struct Told {
        var device: DeviceTarget
        var content: Content
        /// Milliseconds since 1970-01-01 UTC.
        var timeMs: Int64
    }

    /// A device that nobody observes: what is held of it, and how much of that the broker's next word is about.
    private final class Quiet {
        var held: [Told] = []
        var asked: (number: Int, count: Int)?
    }

    /// Makes the message, and numbers it.
    var encode: ((Told) -> MQTTPublication?)?
    private let client: MQTTClient
    private let loop: EventLoop
    private var untold: [Told] = []
    private var teller: EventLoop.TimerID?
    private var quiet: [DeviceName: Quiet] = [:]
    private var held = 0
    private var asker: EventLoop.TimerID?
    private var questions = 0
    private lazy var box = ObserversBox(self)
    /// Steps that found no place.
    private(set) var dropped: Int64 = 0

    init(client: MQTTClient, loop: EventLoop) {
        self.client = client
        self.loop = loop
    }

    /// Takes what is to be told.
    func tell(_ content: Content, of device: DeviceTarget, timeMs: Int64) {
        let told = Told(device: device, content: content, timeMs: timeMs)
        if let quiet = quiet[device.name] { return hold(told, quiet) }
        untold.append(told)
        if untold.count >= Self.most {
            tellUntold()
        } else if teller == nil {
            teller = loop.schedule(after: Self.moment) { [weak self] in self?.tellUntold() }
        }
    }

    /// Tells all that has not been told, and forgets what was known of who subscribes.
    func tellAll() {
        tellUntold()
        if let asker { loop.cancel(asker) }
        asker = nil
        for name in Array(quiet.keys) { isHeard(name) }
    }

    private func tellUntold() {
        if let teller { loop.cancel(teller) }
        teller = nil
        send(untold)
        untold.removeAll(keepingCapacity: true)
    }

    // MARK: Devices that nobody observes

    private func hold(_ told: Told, _ device: Quiet) {
        device.held.append(told)
        held += 1
        if held > Self.mostHeld {
            tellAll()
        } else if device.held.count >= Self.manyHeld {
            ask(told.device.name, device)
        } else if asker == nil {
            asker = loop.schedule(after: Self.longer) { [weak self] in self?.ask() }
        }
    }

    private func ask() {
        asker = nil
        for (name, device) in quiet { ask(name, device) }
    }

    /// Asks whether somebody observes a device by now, if there is anything to ask it with.
    private func ask(_ name: DeviceName, _ device: Quiet) {
        guard device.asked == nil, let first = device.held.first else { return }
        questions += 1
        device.asked = (questions, device.held.count)
        send(first) { [box, number = questions] in box.observers?.answered(name, number, $0) }
    }

    private func answered(_ name: DeviceName, _ number: Int, _ outcome: MQTTOutcome) {
        guard let device = quiet[name], let asked = device.asked, asked.number == number else { return }
        guard outcome == .unheard else { return isHeard(name) }
        device.asked = nil
        device.held.removeFirst(asked.count)
        held -= asked.count
        guard !device.held.isEmpty, asker == nil else { return }
        asker = loop.schedule(after: Self.longer) { [weak self] in self?.ask() }
    }

    private func isUnheard(_ name: DeviceName) {
        guard quiet[name] == nil else { return }
        if quiet.count >= Self.mostQuiet { quiet = quiet.filter { !$0.value.held.isEmpty } }
        quiet[name] = Quiet()
    }

    private func isHeard(_ name: DeviceName) {
        guard let device = quiet.removeValue(forKey: name) else { return }
        held -= device.held.count
        // The first went with the question.
        send(device.held.dropFirst(device.asked == nil ? 0 : 1))
    }

    // MARK: Sending

    private func send(_ all: some Sequence<Told>) {
        for told in all {
            send(told) { [box, name = told.device.name] outcome in
                if outcome == .unheard { box.observers?.isUnheard(name) } else { box.observers?.isHeard(name) }
            }
        }
    }

    private func send(_ told: Told, _ completion: @escaping @Sendable (MQTTOutcome) -> Void) {
        guard let message = encode?(told) else { return }
        let refusal = client.assumeIsolated { $0.publish(message, completion: completion) }
        guard refusal != nil else { return }
        dropped += 1
        isHeard(told.device.name)
    }
}

/// Carries the observers through the client's `@Sendable` completion.
private final class ObserversBox: @unchecked Sendable {
    // Safe because: made, and used, on the loop's thread.
    weak var observers: Observers?

    init(_ observers: Observers) { self.observers = observers }
}
