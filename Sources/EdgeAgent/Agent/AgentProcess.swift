internal import BleCore
internal import EventLoop
internal import Glibc
internal import MQTT
internal import Synchronization

/// `edge-agent run`: makes the parts, runs them on the main thread's loop, and stops them in order.
enum AgentProcess {
    /// Runs until SIGTERM or SIGINT; a second one ends the process at once.
    static func run(_ loaded: ConfigurationLoader.Loaded, log: Log) -> ExitCode {
        // Before any thread starts, so that all of them inherit it.
        SignalSource.block([SIGTERM, SIGINT, SIGHUP])
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop()
        } catch {
            log.error("Agent cannot start", [.error: error.description])
            return .osError
        }
        let result = Mutex(ExitCode.software)
        // Unstructured because it is the root: the loop runs on this very thread until it stops it.
        Task(executorPreference: loop) {
            let code = await main(loaded, log, loop)
            result.withLock { $0 = code }
            loop.stop()
        }
        loop.run()
        let code = result.withLock(\.self)
        log.notice("Agent has stopped", [.exitCode: String(code.rawValue)])
        return code
    }

    private static func main(
        _ loaded: ConfigurationLoader.Loaded,
        _ log: Log,
        _ loop: EventLoop
    ) async -> ExitCode {
        let (ends, arrived) = AsyncStream.makeStream(of: End.self)
        let source: SignalSource
        do throws(SystemFailure) {
            source = try SignalSource([SIGTERM, SIGINT, SIGHUP], on: loop) { signal in
                if case .terminated = arrived.yield(.signal(signal)), signal != SIGHUP { exitAtOnce(signal) }
            }
        } catch {
            log.error("Agent cannot start", [.error: error.description])
            return .osError
        }
        guard let agent = await makeAgent(loaded.configuration, log, loop) else { return .configuration }
        await agent.observeRestart { arrived.yield(.restart) }
        let (manager, client) = (agent.manager, agent.client)
        let code = await withTaskGroup(of: ExitCode?.self) { group in
            group.addTask { await outcome(log) { try await manager.run() } }
            group.addTask { await outcome(log) { try await client.run() } }
            group.addTask { await outcome(log) { try await agent.run() } }
            group.addTask {
                for await end in ends {
                    if end == .signal(SIGHUP) {
                        log.notice("Profiles are read again", [.signal: "SIGHUP"])
                        if let outcome = await again(loaded) { await agent.reload(outcome) }
                        await agent.loadProfiles(Worker())
                        continue
                    }
                    if case .signal(let signal) = end {
                        log.notice("Signal arrived", [.signal: signal == SIGTERM ? "SIGTERM" : "SIGINT"])
                    }
                    // From now on a second signal does not wait for the order of things.
                    arrived.finish()
                    await agent.stop()
                    await client.close(timeout: .seconds(2))
                    await agent.closeJournal()
                    return end == .restart ? .temporaryFailure : .success
                }
                return nil
            }
            // Any part ending is the agent ending.
            var code = ExitCode.success
            while let ended = await group.next() {
                guard let ended else { continue }
                code = ended
                break
            }
            group.cancelAll()
            return code
        }
        source.cancel()
        return code
    }

    /// Why the agent ends in order.
    private enum End: Equatable, Sendable {
        case signal(Int32)
        /// A command has asked for it.
        case restart
    }

    private static func exitAtOnce(_ signal: Int32) { _exit(128 + signal) }

    /// Runs a part: nil when it ended because it was told to.
    private static func outcome(_ log: Log, _ part: () async throws -> Void) async -> ExitCode? {
        do {
            try await part()
            return nil
        } catch is CancellationError {
            return nil
        } catch let failure as MQTTFailure {
            log.error("Broker connection is not possible as configured", [.error: failure.description])
            return .configuration
        } catch {
            log.error("Agent ends by a fault of its own", [.error: "\(error)"])
            return .software
        }
    }

    /// Reads the configuration once more.
    private static func again(_ loaded: ConfigurationLoader.Loaded) async -> ConfigurationLoader.Outcome? {
        // Nothing is thrown there but by an end of the task.
        try? await Worker().run { loaded.again() }
    }

    private static func makeAgent(_ base: Configuration, _ log: Log, _ loop: EventLoop) async -> Agent? {
        // Nothing is thrown there but by an end of the task.
        guard let start = try? await Worker().run({ RemoteStart.prepare(base) }) else { return nil }
        let configuration = start.configuration
        log.setLevel(configuration.logLevel)
        guard let gateway = GatewayID(configuration.gateway), let prefix = TopicPrefix(configuration.prefix) else {
            log.error("Gateway or prefix cannot stand in a topic", [.gateway: configuration.gateway])
            return nil
        }
        let topics = TopicTree(prefix: prefix, gateway: gateway)
        let boot = BootID.make()
        let entry = AgentEntry()
        let client = MQTTClient(
            MQTTConfiguration(configuration, topics: topics, boot: boot),
            on: loop,
            onMessage: { message in entry.agent?.assumeIsolated { $0.received(message) } },
            onEvent: { event in entry.agent?.assumeIsolated { $0.brokerChanged(event) } }
        )
        let bluetooth = BluetoothManager.Configuration(configuration)
        let manager = BluetoothManager(configuration: bluetooth, loop: loop, worker: Worker())
        let agent = Agent(
            start: start,
            log: log,
            loop: loop,
            manager: manager,
            client: client,
            topics: topics,
            boot: boot
        )
        entry.agent = agent
        await agent.openState(start.directory, Worker())
        await agent.loadProfiles(Worker())
        await manager.observe { event in entry.agent?.assumeIsolated { $0.happened(event) } }
        await manager.observeBusFaults { fault in
            log.warning("Bus not reached", [.dbusError: fault.name, .error: fault.message])
        }
        await manager.observePairing { event in entry.agent?.assumeIsolated { $0.pairingHappened(event) } }
        await agent.startAvailability()
        await agent.startKeeping()
        await agent.startMetrics()
        await agent.startServiceManager()
        do {
            let birth = await agent.birthTopic.map { [MQTTSubscription($0)] } ?? []
            try await client.subscribe(topics.mqttSubscriptions + birth)
        } catch {
            log.error("Subscription is not possible", [.error: "\(error)"])
            return nil
        }
        log.info("Agent is up", [.gateway: gateway.text, .boot: boot, .version: AgentVersion.current])
        return agent
    }
}

/// The way from the client's and the manager's handlers to the agent, which is made after them.
private final class AgentEntry: @unchecked Sendable {
    // Safe because: set once, on the loop, before either handler can be called; read on the loop.
    var agent: Agent?
}

extension TopicTree {
    /// What the client subscribes to, and how.
    var mqttSubscriptions: [MQTTSubscription] {
        subscriptions.map { filter in
            var subscription = MQTTSubscription(filter.text)
            if filter.text == status {
                // What the agent says itself is no news.
                subscription.noLocal = true
            } else {
                // Tells a command that was stored from one that was sent now.
                subscription.retainAsPublished = true
            }
            return subscription
        }
    }
}

extension DeviceDirectory {
    /// The directory of the configured devices.
    init(_ devices: [DeviceConfiguration]) {
        var addresses: [String: DeviceAddress] = [:]
        for device in devices { addresses[device.alias] = DeviceAddress(device.address) }
        self.init(addresses)
    }
}
