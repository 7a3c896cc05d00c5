import TestSupport
import Testing

/// A scenario, a command, and what has to come of it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    /// The address of the device that most scenarios have.
    static let device = "C0:5A:00:00:00:41"

    /// The name of the scenario's file.
    let scenario: String
    let outcome: FaultOutcome
    let verb: String
    let fields: String
    /// nil for a command that only reads.
    let applied: String?
    /// Whether the command is for the device; else it is for the gateway.
    let isForDevice: Bool
    /// Commands that come first, for the gateway.
    let before: [(verb: String, fields: String)]
    /// An event of the scenario, once a method has been called.
    let event: (name: String, afterCallOf: String)?
    /// What else the error has to have, as it stands in the JSON.
    let att: String?
    let dbus: String?
    let missing: [String]
    /// The try that was the last one; nil: whichever.
    let attempt: Int?
    /// Keys of the agent's configuration.
    let keys: [String: String]

    init(
        _ scenario: String,
        _ outcome: FaultOutcome,
        _ verb: String,
        _ fields: String = "",
        applied: String? = nil,
        isForDevice: Bool = true,
        before: [(verb: String, fields: String)] = [],
        event: (name: String, afterCallOf: String)? = nil,
        att: String? = nil,
        dbus: String? = nil,
        missing: [String] = [],
        attempt: Int? = nil,
        keys: [String: String] = [:]
    ) {
        self.scenario = scenario
        self.outcome = outcome
        self.verb = verb
        self.fields = fields
        self.applied = applied
        self.isForDevice = isForDevice
        self.before = before
        self.event = event
        self.att = att
        self.dbus = dbus
        self.missing = missing
        self.attempt = attempt
        self.keys = keys
    }

    var testDescription: String { "\(scenario): \(verb) \(fields) -> \(outcome.code)" }
}

extension AgentSetup {
    /// An agent in the world of a scenario.
    init(scenario name: String) throws {
        self.init()
        world.scenario = try ScenarioFiles.read(name)
    }
}

extension TestDevice {
    /// The device of most scenarios.
    static let thing = named("Thing", address: FaultCase.device)
    static let second = named("Two", address: "C0:5A:00:00:00:42")
    static let third = named("Three", address: "C0:5A:00:00:00:43")
}
