internal import BleCore
internal import EventLoop
internal import MQTT

/// What an agent holds of the configuration that is asked for over MQTT.
struct RemoteControl {
    /// What file, flags and defaults say.
    var base: Configuration
    var state: RemoteState
    /// What holds with the next start.
    var wanted: Configuration
    /// The paths that wait for it.
    var pending: [String] = []
    /// Where the memory is written down; nil without a state directory that can be used.
    var file: StateFile?
    /// Why it is not; nil: it is.
    var problem: String?
    /// How often it is on its way to the disk.
    var saves = 0
    /// The one on trial holds, until this timer.
    var deadline: EventLoop.TimerID?
    /// The new link has stood since the broker confirmed it.
    var holding: EventLoop.TimerID?
    /// Whether the link has to be made anew first.
    var awaitsLink = false
    /// Whether the trial is one of the connection.
    var concernsConnection = false

    init(_ start: RemoteStart) {
        (base, state, wanted, problem) = (start.base, start.state, start.configuration, start.problem)
    }
}

extension Agent {
    /// Takes up what is asked for on `config/desired`.
    func desiredArrived(_ message: MQTTMessage) {
        guard !isStopping else { return }
        guard remote.base.takesRemoteConfiguration else {
            log.notice("Remote configuration is not taken: remote.configuration", [.topic: message.topic])
            return tellRemote()
        }
        guard !message.isOversize, message.payload.count <= DesiredConfiguration.maxBytes else {
            let limit = min(DesiredConfiguration.maxBytes, configuration.limits.maximumPayloadBytes)
            return carryOut(remote.state.overlong(RemoteProblems([.init(key: nil, "has more than \(limit) bytes")])))
        }
        ask(for: DesiredConfiguration(message.payload))
    }

    private func ask(for desired: DesiredConfiguration?) {
        let base = remote.base
        let step = remote.state.asked(desired) { desired in
            if case .failure(let problems) = desired.combined(over: base) { problems } else { nil }
        }
        carryOut(step)
    }

    private func carryOut(_ step: RemoteState.Step) {
        switch step {
        case .nothing: break
        case .tell:
            if let rejected = remote.state.rejected {
                audit.configured(.rejected, rejected.hash, keys: rejected.problems.list.compactMap(\.key))
            }
            tellRemote()
        case .begin(let desired):
            log.notice("Remote configuration is tried", [.hash: desired?.hash ?? "none"])
            tellRemote()
            saveRemote { [weak self] in self?.assumeIsolated { $0.beginTrial() } }
        case .restore(let desired):
            endTimers()
            audit.configured(
                .rolledBack,
                remote.state.memory.refused?.hash,
                reason: remote.state.memory.refused?.reason
            )
            log.error(
                "Remote configuration is taken back",
                [.hash: desired?.hash ?? "none", .reason: remote.state.memory.refused?.reason ?? ""]
            )
            apply(combined(with: desired))
            saveRemote {}
            tellRemote()
            takeNextDesired()
        }
    }

    /// Lets the one on trial hold, and gives the broker a time to confirm it.
    private func beginTrial() {
        guard remote.state.isOnTrial, remote.deadline == nil, !isStopping else { return }
        let limit = remote.base.remote.confirmation
        remote.deadline = loop.schedule(after: limit) { [weak self] in
            self?.assumeIsolated { agent in
                let state = agent.connection == nil ? "was not connected" : "had not confirmed it"
                agent.carryOut(agent.remote.state.failed("the broker \(state) within \(limit.milliseconds / 1000) s"))
            }
        }
        remote.awaitsLink = apply(combined(with: remote.state.memory.desired))
        remote.concernsConnection = remote.awaitsLink
        if !remote.awaitsLink { askForConfirmation() }
    }

    /// The broker is there, perhaps by a new link.
    func remoteLinkIsUp() {
        remote.awaitsLink = false
        switch remote.state.memory.phase {
        case .trial: if remote.deadline != nil { askForConfirmation() }
        case .starting: confirmRemote()
        case .settled: break
        }
    }

    /// The link is gone: it has not held.
    func remoteLinkIsDown() {
        if let timer = remote.holding { loop.cancel(timer) }
        remote.holding = nil
    }

    /// Has the broker acknowledge a message that went out after the change.
    private func askForConfirmation() {
        guard connection != nil else { return }
        publisher.retain(topics.configReported, reported.encode) { [weak self] outcome in
            // Where the broker takes no acknowledged messages nobody can say more.
            guard outcome.isAcknowledged || outcome == .written else { return }
            self?.assumeIsolated { $0.remoteAcknowledged() }
        }
    }

    private func remoteAcknowledged() {
        guard remote.state.isOnTrial, remote.deadline != nil, !remote.awaitsLink else { return }
        guard remote.concernsConnection else { return confirmRemote() }
        guard remote.holding == nil else { return }
        // A link that breaks soon is none.
        remote.holding = loop.schedule(after: remote.base.remote.confirmation / 4) { [weak self] in
            self?.assumeIsolated { agent in
                agent.remote.holding = nil
                if agent.connection != nil { agent.confirmRemote() }
            }
        }
    }

    private func confirmRemote() {
        endTimers()
        let wasOnTrial = remote.state.isOnTrial
        guard remote.state.confirmed(isWhole: remote.pending.isEmpty) else { return }
        if wasOnTrial {
            let changed = ConfigurationDifference.keys(remote.base, remote.wanted)
            audit.configured(.applied, remote.state.memory.desired?.hash, keys: changed)
            log.notice(
                "Remote configuration holds",
                [.hash: remote.state.memory.desired?.hash ?? "none", .key: changed.joined(separator: ",")]
            )
        }
        // What is told to hold holds after a restart too.
        saveRemote { [weak self] in
            self?.assumeIsolated { agent in
                agent.tellRemote()
                agent.takeNextDesired()
            }
        }
    }

    /// Waits until what is known is on the disk.
    func keepRemote() async {
        guard remote.saves > 0, let file = remote.file else { return }
        _ = await file.save(remote.state.memory.encode())
    }

    private func takeNextDesired() {
        if let next = remote.state.takeWaiting() { ask(for: next) }
    }

    private func endTimers() {
        for timer in [remote.deadline, remote.holding] { if let timer { loop.cancel(timer) } }
        (remote.deadline, remote.holding, remote.awaitsLink) = (nil, nil, false)
    }

    /// What holds with what is asked for; what was checked before fits, or the file's values alone hold.
    private func combined(with desired: DesiredConfiguration?) -> Configuration {
        guard let desired, case .success(let configuration) = desired.combined(over: remote.base) else {
            return remote.base
        }
        return configuration
    }

    // MARK: The file and the disk

    /// Begins to keep what is asked for, and tells what holds.
    func startRemote(_ file: StateFile?) {
        // What another version has written, or cannot be read, stays as it is.
        remote.file = remote.problem == nil ? file : nil
        let difference = ConfigurationDifference.keys(remote.base, configuration)
        if !difference.isEmpty {
            log.notice("Remote configuration holds", [.key: difference.joined(separator: ",")])
        }
        if let problems = remote.state.rejected?.problems {
            log.error("Remote configuration does not go with the file", [.error: problems.list.first?.text ?? ""])
        }
        tellRemote()
    }

    /// Takes the file's values as they are now, with what was asked for over MQTT on top of them.
    func reload(_ outcome: ConfigurationLoader.Outcome) {
        switch outcome {
        case .unreadable(let problem): log.error("Configuration cannot be read", [.error: problem.description])
        case .refused(let problems):
            for problem in problems { log.error("Configuration is not valid", [.error: problem.description]) }
        case .loaded(let loaded):
            for warning in loaded.warnings {
                log.warning("Configuration should be mended", [.detail: warning.description])
            }
            take(base: loaded.configuration)
        }
    }

    private func take(base: Configuration) {
        let desired = base.takesRemoteConfiguration ? remote.state.memory.desired : nil
        var wanted = base
        switch desired?.combined(over: base) {
        case .success(let combined): wanted = combined
        case .failure(let problems):
            for problem in problems.list {
                log.error(
                    "Configuration does not go with the remote one: nothing is changed",
                    [.key: problem.key ?? "", .error: problem.text]
                )
            }
            return
        case nil: break
        }
        remote.base = base
        apply(wanted)
        if !remote.pending.isEmpty {
            log.notice("Changes wait for the next start", [.key: remote.pending.joined(separator: ",")])
        }
        tellRemote()
    }

    private func saveRemote(_ done: @escaping @Sendable () -> Void) {
        guard let file = remote.file else { return done() }
        remote.saves += 1
        file.save(remote.state.memory.encode()) { [weak self] failure in
            self?.assumeIsolated { agent in
                agent.remote.saves -= 1
                let problem = failure?.description
                guard agent.remote.problem != problem else { return }
                agent.remote.problem = problem
                agent.noteState(failure)
                agent.tellRemote()
            }
            done()
        }
    }

    // MARK: What is told

    private func tellRemote() {
        if remote.deadline != nil, !remote.awaitsLink, connection != nil { return askForConfirmation() }
        publisher.retain(topics.configReported, .other, reported.encode)
    }

    private var reported: ReportedConfiguration {
        let isTaken = remote.base.takesRemoteConfiguration
        let state = remote.state
        return ReportedConfiguration(
            state: isTaken ? state.name : .off,
            desired: isTaken ? state.lastHash : nil,
            inForce: isTaken ? state.memory.desired?.hash : nil,
            configuration: configurationHash,
            changed: ConfigurationDifference.keys(remote.base, remote.wanted),
            pending: remote.pending,
            errors: isTaken ? state.rejected?.problems.list ?? [] : [],
            reason: isTaken ? state.memory.refused?.reason : nil,
            problem: remote.problem
        )
    }

    /// The configuration that runs.
    func configurationContent(_ request: ConfigGetRequest) -> ResultPayload {
        .configuration(
            ConfigurationContent(
                configuration,
                section: request.section,
                hash: configurationHash,
                changed: ConfigurationDifference.keys(remote.base, remote.wanted),
                pending: remote.pending
            )
        )
    }
}
