/// What a scenario file describes: a world, what goes wrong in it, and when.
package struct Scenario: Equatable, Sendable {
    package var settings = SimulatorSettings()
    /// Each with the devices around it.
    package var adapters: [AdapterModel] = []
    /// Whether bluetoothd is on the bus from the start.
    package var isPresent = true
    /// Whether the log shows `AddMatch` and `RemoveMatch` of all clients of the bus, too.
    package var watchesBus = false
    package var faults: [Fault] = []
    package var timeline: [TimelineEntry] = []
    /// Steps by the name under which they can be asked for.
    package var events: [String: [ScenarioStep]] = [:]

    package init() {}

    /// Something that happens by itself.
    package struct TimelineEntry: Equatable, Sendable {
        /// From the simulator's start.
        package var at: Duration
        /// The time from one round to the next; nil: once.
        package var every: Duration?
        /// How many rounds there are; nil: until the end.
        package var rounds: Int?
        package var steps: [ScenarioStep]

        package init(at: Duration = .zero, every: Duration? = nil, rounds: Int? = nil, steps: [ScenarioStep]) {
            self.at = at
            self.every = every
            self.rounds = rounds
            self.steps = steps
        }
    }
}
