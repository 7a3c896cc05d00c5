package import BleCore
package import EventLoop
package import MQTT

/// Looks at one thing after the other, whatever the others have come to.
package actor Doctor {
    /// Where the facts about the broker come from.
    package enum BrokerSide: Sendable {
        /// A connection of its own.
        case own(MQTTConfiguration, [MQTTSubscription])
        /// What an agent that runs knows; nil: it has no connection now.
        case agent(BrokerFacts?)
    }

    /// What is to be looked at, and how.
    package struct Subject: Sendable {
        package var configuration: Configuration?
        /// How the configuration was read.
        package var configurationFinding: Finding
        package var host: HostFacts
        /// Nil when the configuration does not tell.
        package var broker: BrokerSide?
        /// Whether this process is the agent that has the state directory.
        package var isAgent = false
        /// Why the running agent cannot keep anything.
        package var journalProblem: String?
        /// The device that is to be connected to, as it was written.
        package var device: String?
        /// How long to wait until somebody is heard.
        package var listenTime = Duration.seconds(5)
        /// Asks for a host's addresses; blocks as long as it has to.
        package var resolve: @Sendable (String, Int) throws(BrokerReach.NotResolved) -> [BrokerReach.Address] = {
            (host, port) throws(BrokerReach.NotResolved) in try BrokerReach.addresses(of: host, port: port)
        }
        /// The operation that this is, which may be over before the checks are.
        package var scope: OperationScope?

        package init(configuration: Configuration?, configurationFinding: Finding, host: HostFacts) {
            self.configuration = configuration
            self.configurationFinding = configurationFinding
            self.host = host
        }
    }

    private let subject: Subject
    private let manager: BluetoothManager
    nonisolated let loop: EventLoop
    private let worker = Worker(limit: 4)
    private var inspection: BluetoothInspection?
    private var stateFacts: StateFacts?
    private var brokerFacts: BrokerFacts?
    private var addresses: [BrokerReach.Address] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Makes a doctor; somebody runs the manager.
    package init(_ subject: Subject, manager: BluetoothManager, loop: EventLoop) {
        self.subject = subject
        self.manager = manager
        self.loop = loop
    }

    /// Carries all checks out, in order.
    ///
    /// - Parameter onResult: hears of each result as it comes.
    /// - Returns: all results.
    /// - Throws: why the operation is over that this is.
    package func run(onResult: @Sendable (CheckResult) -> Void = { _ in }) async throws -> [CheckResult] {
        var results: [CheckResult] = []
        var unusable: Set<CheckName> = []
        for check in Check.all {
            if let reason = subject.scope?.whyOver { throw reason }
            let finding: Finding
            if let missing = check.needs.first(where: unusable.contains) {
                finding = .skipped("needs \(missing.rawValue)")
            } else {
                finding = await check.run(self)
            }
            if let reason = subject.scope?.whyOver { throw reason }
            if finding.status == .failed || finding.status == .skipped { unusable.insert(check.name) }
            let result = CheckResult(check.name, finding)
            results.append(result)
            onResult(result)
        }
        return results
    }

    /// Carries out one check, whatever it needs.
    package func examine(_ name: CheckName) async -> Finding {
        let host = subject.host
        switch name {
        case .configuration: return subject.configurationFinding
        case .clock: return StateJudge.clock(host, policy: subject.configuration?.clock)
        case .stateDirectory, .stateSpace, .stateJournal: return await state(name)
        case .bus: return BusJudge.bus(await bluetooth(), host)
        case .bluez: return BusJudge.bluez(await bluetooth(), host)
        case .permission: return BusJudge.permission(await bluetooth(), host)
        case .pairingAgent: return BusJudge.pairingAgent(await bluetooth(), host)
        case .adapter:
            return AdapterJudge.adapter(await bluetooth(), wanted: subject.configuration?.bluetooth.adapter, host)
        case .power: return AdapterJudge.power(await bluetooth(), host)
        case .discovery: return await discovery()
        case .connect: return await connect()
        case .brokerName: return await brokerName()
        case .brokerConnection: return await brokerConnection()
        case .brokerTLS, .brokerLogin, .brokerSubscriptions: return await broker(name)
        }
    }

    // MARK: Bluetooth

    private func bluetooth() async -> BluetoothInspection {
        if let inspection { return inspection }
        let found: BluetoothInspection
        do {
            found = try await manager.inspect(within: .seconds(12), of: subject.scope)
        } catch {
            // Only cancellation ends it, and then nobody reads what is found.
            found = BluetoothInspection(bus: "")
        }
        inspection = found
        return found
    }

    private func discovery() async -> Finding {
        let outcome: Result<Bool, BleFailure>
        do {
            outcome = .success(try await manager.hearsAnybody(within: subject.listenTime, of: subject.scope))
        } catch {
            outcome = .failure(Self.failure(error))
        }
        return AdapterJudge.discovery(outcome, time: subject.listenTime, subject.host)
    }

    private func connect() async -> Finding {
        guard let text = subject.device else { return .skipped("not asked for: --connect DEVICE") }
        let directory = DeviceDirectory(subject.configuration?.devices ?? [])
        guard let address = DeviceName(text).flatMap({ directory.address(of: $0) }) ?? DeviceAddress(text) else {
            return .failed(
                "\(LogText.quoted(text)) is neither an address nor an alias of the configuration",
                mend: "--connect a1b2c3d4e5f6, or an alias in devices"
            )
        }
        let outcome: Result<ConnectOutcome, BleFailure>
        do {
            outcome = .success(try await manager.tryLink(to: address, within: .seconds(30)))
        } catch {
            outcome = .failure(Self.failure(error))
        }
        return AdapterJudge.connect(outcome, address, subject.host)
    }

    private static func failure(_ error: any Error) -> BleFailure {
        error as? BleFailure ?? BleFailure(.timedOut, at: .adapter, detail: "it was cancelled")
    }

    // MARK: State

    private func state(_ name: CheckName) async -> Finding {
        guard let path = subject.configuration?.stateDirectory else { return .skipped("needs configuration") }
        let facts: StateFacts
        if let known = stateFacts {
            facts = known
        } else {
            let isOurs = subject.isAgent
            do {
                facts = try await worker.run { StateFacts.look(at: path, isOurs: isOurs) }
            } catch {
                // It throws nothing; the worker's own failure would be a fault of this program.
                return .failed("\(error)", mend: "edge-agent doctor, once more")
            }
            stateFacts = facts
        }
        switch name {
        case .stateSpace: return StateJudge.space(facts)
        case .stateJournal: return StateJudge.journal(facts, problem: subject.journalProblem, subject.host)
        default: return StateJudge.directory(facts, subject.host)
        }
    }

    // MARK: Broker

    private func brokerName() async -> Finding {
        guard let broker = subject.configuration?.broker else { return .skipped("needs configuration") }
        if case .agent(_?)? = subject.broker { return .ok("\(broker.host): the agent is connected") }
        let limit = subject.configuration?.mqtt.connectTimeout ?? .seconds(10)
        switch await resolve(broker, within: limit) {
        case .success(let found):
            addresses = found
            return BrokerJudge.name(broker, addresses: addresses.map(\.text), error: nil)
        case .failure(let error): return BrokerJudge.name(broker, addresses: [], error: error.text)
        case nil: return BrokerJudge.silentResolver(broker, after: limit)
        }
    }

    /// Asks for the broker's addresses, as long as an attempt of the agent's has for all that it does.
    ///
    /// - Returns: nil when the resolver has not answered in time; its thread is left to itself.
    private func resolve(
        _ broker: BrokerAddress,
        within limit: Duration
    ) async -> Result<[BrokerReach.Address], BrokerReach.NotResolved>? {
        let (answers, arrived) = AsyncStream.makeStream(
            of: Result<[BrokerReach.Address], BrokerReach.NotResolved>?.self
        )
        let timer = loop.schedule(after: limit) { arrived.yield(nil) }
        defer { loop.cancel(timer) }
        let resolve = subject.resolve
        worker.start {
            do throws(BrokerReach.NotResolved) {
                arrived.yield(.success(try resolve(broker.host, broker.port)))
            } catch {
                arrived.yield(.failure(error))
            }
        }
        for await answer in answers { return answer }
        return nil
    }

    private func brokerConnection() async -> Finding {
        guard let configuration = subject.configuration else { return .skipped("needs configuration") }
        if case .agent(_?)? = subject.broker { return .ok("port \(configuration.broker.port): the agent is connected") }
        let addresses = addresses
        guard !addresses.isEmpty else { return .skipped("no address of \(configuration.broker.host) is known") }
        // All together as long as one attempt of the agent's.
        let share = configuration.mqtt.connectTimeout.milliseconds / Int64(max(1, addresses.count))
        do {
            let error: String? = try await worker.run {
                var last: Int32 = 0
                for address in addresses {
                    last = BrokerReach.connect(to: address, milliseconds: Int32(clamping: share))
                    if last == 0 { return nil }
                }
                return BrokerReach.text(last)
            }
            return BrokerJudge.connection(configuration.broker, error: error)
        } catch {
            return BrokerJudge.connection(configuration.broker, error: "\(error)")
        }
    }

    private func broker(_ name: CheckName) async -> Finding {
        guard let configuration = subject.configuration, let side = subject.broker else {
            return .skipped("needs configuration")
        }
        let facts: BrokerFacts
        if let known = brokerFacts {
            facts = known
        } else {
            switch side {
            case .agent(let known): facts = known ?? BrokerFacts()
            case .own(let settings, let filters):
                let hasCertificate = configuration.mqtt.certificateFile != nil
                if let holder = stateFacts?.holder, let finding = BrokerJudge.risk(holder, hasCertificate) {
                    return finding
                }
                facts = await BrokerProbe.run(settings, filters, on: loop)
            }
            brokerFacts = facts
        }
        switch name {
        case .brokerTLS:
            return BrokerJudge.tls(configuration.broker, facts, hasUser: configuration.username != nil)
        case .brokerSubscriptions: return BrokerJudge.subscriptions(facts)
        default: return BrokerJudge.login(configuration.broker, facts)
        }
    }
}
