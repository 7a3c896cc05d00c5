internal import BleCore
internal import EventLoop
internal import MQTT

extension Agent {
    /// Carries out the checks of `doctor` over the agent's own connections; no device's queue waits for it.
    func diagnose(_ scope: OperationScope) async throws -> ResultPayload {
        let host = try await Worker().run { HostFacts.current(file: nil) }
        var subject = Doctor.Subject(
            configuration: configuration,
            configurationFinding: .ok("in use, hash \(configurationHash)"),
            host: host
        )
        subject.isAgent = true
        subject.journalProblem = journalProblem ?? (journal == nil ? stateProblem : nil)
        subject.scope = scope
        subject.broker = .agent(brokerFacts)
        return .checks(try await Doctor(subject, manager: manager, loop: loop).run())
    }

    /// What the present connection to the broker has shown; nil: there is none.
    private var brokerFacts: BrokerFacts? {
        guard let connection else { return nil }
        var facts = BrokerFacts()
        facts.version = connection.version.description
        facts.clientID = configuration.clientID
        facts.refused = refusedFilters.sorted().map { BrokerFacts.Refusal(filter: $0, text: "not authorised") }
        facts.granted = topics.subscriptions.count - facts.refused.count
        return facts
    }
}
