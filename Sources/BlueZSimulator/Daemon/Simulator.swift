package import DBus
package import EventLoop

/// A simulated bluetoothd on a message bus, with devices around it.
///
/// It answers on the loop by itself; the methods here are what the real world would do: power, radio, unplugging.
package actor Simulator {
    package static let busName = "org.bluez"

    /// Why a simulator could not take its place on the bus.
    package enum Failure: Error, Equatable {
        /// Another program owns `org.bluez`.
        case nameTaken
        /// The scenario has no event of that name.
        case unknownEvent(String)
    }

    struct Presence {
        let connection: DBusConnection
        let daemon: SimulatedDaemon
    }

    package nonisolated let loop: EventLoop
    private let bus: BusAddress
    private let worker: Worker
    private let settings: SimulatorSettings
    private let onEnd: @Sendable () -> Void
    private let startTime = ContinuousClock.now
    let runner: ScenarioRunner
    var models: [AdapterModel]
    /// Adapters that were pulled out, by their numbers, and what bluetoothd has on disk of their devices, by address.
    var unplugged: [Int: (model: AdapterModel, stored: [String: StoredDevice])] = [:]
    var presence: Presence?
    var log = CallLog()
    var refusals: [String: [BluezError]] = [:]
    private var file: CallLogFile?
    /// The connection that sees all calls to the bus itself.
    private var monitor: DBusConnection?
    private var isReturning = false
    /// What bluetoothd has on disk: the devices of each adapter, by address.
    private var stored: [Int: [String: StoredDevice]] = [:]
    /// When the kernel ends the links of a life that was killed.
    private var linksEnd: ContinuousClock.Instant?
    private var callWaiters: [CallWaiter] = []
    private var lastCallWaiter = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(
        bus: BusAddress,
        scenario: Scenario,
        loop: EventLoop,
        worker: Worker,
        file: CallLogFile?,
        onEnd: @escaping @Sendable () -> Void
    ) {
        self.bus = bus
        self.loop = loop
        self.worker = worker
        self.file = file
        self.onEnd = onEnd
        settings = scenario.settings
        models = scenario.adapters
        runner = ScenarioRunner(scenario, loop: loop)
    }

    /// Takes `org.bluez` on a bus and answers from then on.
    ///
    /// - Parameters:
    ///   - bus: where.
    ///   - adapters: each with the devices around it.
    ///   - settings: times and the seed.
    ///   - loop: what the simulator runs on.
    ///   - worker: for connecting.
    ///   - onEnd: called on the loop when the bus has ended the connection.
    /// - Returns: the simulator, which answers from now on.
    /// - Throws: `Failure.nameTaken`, or `DBusFailure`.
    package static func start(
        on bus: BusAddress,
        adapters: [AdapterModel],
        settings: SimulatorSettings = SimulatorSettings(),
        loop: EventLoop,
        worker: Worker,
        onEnd: @escaping @Sendable () -> Void = {}
    ) async throws -> Simulator {
        var scenario = Scenario()
        scenario.adapters = adapters
        scenario.settings = settings
        return try await start(on: bus, scenario: scenario, loop: loop, worker: worker, onEnd: onEnd)
    }

    /// Takes `org.bluez` on a bus as a scenario describes it; its timeline begins.
    ///
    /// - Parameters:
    ///   - bus: where.
    ///   - scenario: the world, its faults, and what happens when.
    ///   - loop: what the simulator runs on.
    ///   - worker: for connecting.
    ///   - file: where received calls are written, too.
    ///   - onEnd: called on the loop when the bus has ended the connection.
    /// - Returns: the simulator, which answers from now on.
    /// - Throws: `Failure.nameTaken`, or `DBusFailure`.
    package static func start(
        on bus: BusAddress,
        scenario: Scenario,
        loop: EventLoop,
        worker: Worker,
        file: CallLogFile? = nil,
        onEnd: @escaping @Sendable () -> Void = {}
    ) async throws -> Simulator {
        let simulator = Simulator(
            bus: bus,
            scenario: scenario,
            loop: loop,
            worker: worker,
            file: file,
            onEnd: onEnd
        )
        if scenario.watchesBus { try await simulator.watchBus() }
        if scenario.isPresent { try await simulator.enterBus(isFirst: true) }
        await simulator.startTimeline()
        return simulator
    }

    // MARK: The bus

    /// Leaves the bus as a daemon that was killed: links end, nothing is signalled but the loss of the name.
    ///
    /// What it had stored is lost, too.
    package func leaveBus() {
        guard let presence else { return }
        self.presence = nil
        presence.daemon.dispose()
        // The connection is on this very loop.
        presence.connection.assumeIsolated { $0.close() }
    }

    /// Leaves the bus as a daemon that was killed (SIGKILL): nothing is signalled but the loss of the name.
    ///
    /// What it had stored is there again when it is back, and so are the links, for a moment, while the kernel has them
    /// still.
    package func killBus() {
        guard let presence else { return }
        stored = presence.daemon.stored
        linksEnd = .now + settings.lingerDelay
        leaveBus()
    }

    /// Leaves the bus as a daemon that was told to (SIGTERM): adapters are switched off, links end, objects go, then
    /// the name.
    ///
    /// Devices that somebody has connected to are known again when it is back.
    package func stopBus() {
        guard let presence else { return }
        stored = presence.daemon.shutDown()
        leaveBus()
    }

    /// Comes back to the bus, with the adapters and what was stored, and announces it.
    ///
    /// - Throws: `Failure.nameTaken`, or `DBusFailure`.
    package func returnToBus() async throws { try await enterBus(isFirst: false) }

    private func enterBus(isFirst: Bool) async throws {
        guard presence == nil, !isReturning else { return }
        isReturning = true
        defer { isReturning = false }
        let connection = try await DBusConnection.open(bus, on: loop, worker: worker)
        let daemon = SimulatedDaemon(
            loop: loop,
            settings: settings,
            output: { message in
                // The connection is on this very loop; when it has ended nobody listens any more.
                connection.assumeIsolated { connection in
                    do { try connection.send(message) } catch { return }
                }
            },
            call: { message, done in
                let answer = AgentAnswer(done)
                connection.assumeIsolated { $0.call(message) { answer.complete($0) } }
            }
        )
        let lingering = linksEnd.map { $0 - .now }
        for model in models { daemon.add(model, stored: stored[model.index] ?? [:], lingering: lingering) }
        (stored, linksEnd) = ([:], nil)
        // Nothing is announced before the name is owned.
        daemon.tree.forgetPending()
        presence = Presence(connection: connection, daemon: daemon)
        await connection.setHandler(
            { [weak self] message in self?.assumeIsolated { $0.receive(message) } },
            onDisconnect: { [weak self] in self?.assumeIsolated { $0.disconnected() } }
        )
        do {
            try await connection.addMatch(
                MatchRule(sender: BusNames.bus, interface: BusNames.bus, member: "NameOwnerChanged")
            )
            // On a return the bus may not have seen the end of the connection before: it is given a moment.
            var patience = isFirst ? 1 : 200
            while !(try await connection.requestName(Self.busName)) {
                patience -= 1
                guard patience > 0 else { throw Failure.nameTaken }
                try await loop.sleep(for: .milliseconds(10))
            }
            if !isFirst { daemon.tree.announceAll() }
        } catch {
            leaveBus()
            throw error
        }
    }

    private func receive(_ message: DBusMessage) {
        guard let daemon = presence?.daemon else { return }
        if message.isSignal("org.freedesktop.DBus", "NameOwnerChanged") {
            if message.sender == BusNames.bus, let name = Self.departed(message) { daemon.clientLeft(name) }
            return
        }
        guard message.kind == .methodCall, let call = IncomingCall(message, tree: daemon.tree) else { return }
        let received = note(log.append(call))
        if call.path == ControlInterface.path {
            control(call, daemon.tree)
        } else if let refusal = nextRefusal(of: call.member) {
            call.fail(refusal)
        } else if !runner.take(call, received, daemon) {
            daemon.handle(call)
        }
        wakeCallWaiters()
    }

    private func note(_ call: ReceivedCall) -> ReceivedCall {
        file?.append(call, after: call.time - startTime)
        return call
    }

    /// A call as one line of JSON, with the time since the start.
    func line(of call: ReceivedCall) -> String { CallLine.text(call, after: call.time - startTime) }

    private func startTimeline() { runner.start(for: self) }

    /// Opens a second connection that sees what clients ask of the bus itself, such as `AddMatch`.
    ///
    /// - Throws: `DBusFailure`, for a bus that lets nobody watch.
    private func watchBus() async throws {
        let connection = try await DBusConnection.open(bus, on: loop, worker: worker)
        await connection.setHandler(
            { [weak self] message in self?.assumeIsolated { $0.observe(message) } },
            onDisconnect: {}
        )
        let message = try DBusMessage.call(BusNames.bus, BusNames.path, BusNames.bus + ".Monitoring", "BecomeMonitor")
        try message.append { (writer) throws(DBusFailure) in
            try writer.append(
                .strings(
                    ["AddMatch", "RemoveMatch"].map {
                        "type='method_call',destination='\(BusNames.bus)',interface='\(BusNames.bus)',member='\($0)'"
                    }
                )
            )
            try writer.append(uint32: 0)
        }
        _ = try await connection.call(message)
        monitor = connection
    }

    /// Notes a call to the bus by another connection than ours.
    private func observe(_ message: DBusMessage) {
        guard message.kind == .methodCall, let sender = message.sender, let path = message.path,
            sender != presence?.connection.uniqueName, let interface = message.interface, let member = message.member
        else { return }
        _ = note(log.append(sender, path, interface, member, message.values))
        wakeCallWaiters()
    }

    private func nextRefusal(of member: String) -> BluezError? {
        guard let waiting = refusals[member], !waiting.isEmpty else { return nil }
        return refusals[member]?.removeFirst()
    }

    private func disconnected() {
        guard let presence else { return }
        self.presence = nil
        presence.daemon.dispose()
        onEnd()
    }

    /// The unique name of a connection that has gone.
    private static func departed(_ signal: DBusMessage) -> String? {
        do throws(DBusFailure) {
            var reader = signal.reader()
            let name = try reader.string()
            reader.skip()
            let owner = try reader.string()
            return name.hasPrefix(":") && owner.isEmpty ? name : nil
        } catch {
            return nil
        }
    }

    // MARK: Waiting

    /// Waits until that many calls of a member have been received, or the task is cancelled.
    package func waitForCalls(of member: String, count: Int = 1) async {
        guard self.count(of: member) < count else { return }
        lastCallWaiter += 1
        let number = lastCallWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancelled before it stands here, nobody would come for it.
                guard !Task.isCancelled else { return continuation.resume() }
                callWaiters.append(CallWaiter(number, member, count, continuation))
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.wakeCallWaiters { $0.number == number } } }
        }
    }

    private func wakeCallWaiters() { wakeCallWaiters { [log] in log.counts[$0.member, default: 0] >= $0.count } }

    private func wakeCallWaiters(_ isDue: (CallWaiter) -> Bool) {
        guard !callWaiters.isEmpty else { return }
        let due = callWaiters.filter(isDue)
        callWaiters.removeAll(where: isDue)
        for waiter in due { waiter.continuation.resume() }
    }
}

/// Somebody who waits for calls of a method.
private struct CallWaiter {
    let number: Int
    let member: String
    let count: Int
    let continuation: CheckedContinuation<Void, Never>

    init(_ number: Int, _ member: String, _ count: Int, _ continuation: CheckedContinuation<Void, Never>) {
        self.number = number
        self.member = member
        self.count = count
        self.continuation = continuation
    }
}
