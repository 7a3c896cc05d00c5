internal import DBus
internal import EventLoop

/// Carries a scenario out: faults as calls come, the timeline as time goes by, events when somebody asks.
///
/// Used on the loop's thread only.
final class ScenarioRunner {
    /// How deep events may run events; one that runs itself ends there.
    private static let depth = 16
    /// How much the timeline may be behind before rounds are left out.
    private static let patience = Duration.seconds(1)

    private let loop: EventLoop
    private let events: [String: [ScenarioStep]]
    private let timeline: [Scenario.TimelineEntry]
    var faults: FaultTable
    private weak var simulator: Simulator?
    /// Steps that go on when bluetoothd is back.
    private var returning: [() -> Void] = []

    /// What steps refer to.
    private struct Context {
        var call: IncomingCall?
        var daemon: SimulatedDaemon?
        var depth = 0
    }

    init(_ scenario: Scenario, loop: EventLoop) {
        self.loop = loop
        events = scenario.events
        timeline = scenario.timeline
        faults = FaultTable(scenario.faults)
    }

    /// Begins the timeline.
    func start(for simulator: Simulator) {
        self.simulator = simulator
        let now = ContinuousClock.now
        for entry in timeline { schedule(entry, at: now + entry.at, round: 1) }
    }

    private func schedule(_ entry: Scenario.TimelineEntry, at time: ContinuousClock.Instant, round: Int) {
        loop.schedule(at: time) { [weak self] in
            guard let self, simulator != nil else { return }
            if let every = entry.every, round < entry.rounds ?? Int.max {
                // A loop that was busy catches up, within reason.
                let next = max(time + every, .now - Self.patience)
                schedule(entry, at: next, round: round + 1)
            }
            run(entry.steps[...], Context())
        }
    }

    /// Lets a call meet its fault.
    ///
    /// - Returns: false when there is none, and the call is to be carried out.
    func take(_ call: IncomingCall, _ received: ReceivedCall, _ daemon: SimulatedDaemon) -> Bool {
        guard !faults.entries.isEmpty else { return false }
        let object = daemon.tree.object(at: call.path)
        let uuid = object?.interfaces.lazy.compactMap { $0.value(of: "UUID") }.first
        let text: String? = if case .string(let text)? = uuid { text } else { nil }
        guard let steps = faults.take(received, uuid: text) else { return false }
        run(steps[...], Context(call: call, daemon: daemon))
        return true
    }

    /// Runs a named event.
    ///
    /// - Returns: false when there is none of that name.
    func trigger(_ event: String) -> Bool {
        guard let steps = events[event] else { return false }
        run(steps[...], Context())
        return true
    }

    func run(_ steps: [ScenarioStep]) { run(steps[...], Context()) }

    /// bluetoothd is back: what waited for it goes on.
    func returned() {
        let waiting = returning
        returning = []
        for goOn in waiting { goOn() }
    }

    private func run(_ steps: ArraySlice<ScenarioStep>, _ context: Context) {
        var rest = steps
        while let step = rest.popFirst() {
            let remaining = rest
            let called = context.call?.path
            switch step {
            case .wait(let time):
                loop.schedule(after: time) { [weak self] in self?.run(remaining, context) }
                return
            case .carryOut(let mode):
                guard var call = context.call, let daemon = context.daemon else { continue }
                call.control = AnswerControl(mode, loop: loop) { [weak self] in self?.run(remaining, context) }
                daemon.handle(call)
                return
            case .reply(let values): context.call?.reply(with: values)
            case .fail(let error): context.call?.fail(error)
            case .signal(let signal): simulator?.assumeIsolated { $0.send(signal, called: called) }
            case .world(.returnToBus):
                returning.append { [weak self] in self?.run(remaining, context) }
                simulator?.assumeIsolated { $0.comeBack() }
                return
            case .world(let event): simulator?.assumeIsolated { $0.happen(event, called: called) }
            case .event(let name):
                guard context.depth < Self.depth, let steps = events[name] else { continue }
                var inner = context
                inner.depth += 1
                // One list, so that what follows the event waits for it.
                run(steps[...] + remaining, inner)
                return
            case .setFault(let name, let isEnabled): faults.set(name, isEnabled: isEnabled)
            }
        }
    }
}
