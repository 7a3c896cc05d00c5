import TestSupport
import Testing

/// A scenario, a command, and what has to come of it.
struct FaultCase: Sendable, CustomTestStringConvertible {
    /// The name of the scenario's file.
    let scenario: String
    let verb: String
    var fields = ""
    /// Whether the command is for the device; else it is for the gateway.
    var isForDevice = true
    /// Commands that come first, for the gateway.
    var before: [(verb: String, fields: String)] = []
    /// An event of the scenario, once a method has been called.
    var event: (name: String, afterCallOf: String)?

    let status: String
    let code: String
    let stage: String
    let isRetryable: Bool
    /// nil for a command that only reads.
    let applied: String?
    /// What else the error has to have, as it stands in the JSON.
    var att: String?
    var dbus: String?
    var missing: [String] = []

    var testDescription: String { "\(scenario): \(verb) \(fields) -> \(code)" }

    /// The first device of the scenario, or one that is not there.
    static let device = "C0:5A:00:00:00:41"
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
