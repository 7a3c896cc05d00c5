/// What bluetoothd does otherwise than usual, and for which calls.
package struct Fault: Equatable, Sendable {
    /// By which it can be switched on and off.
    package var name: String?
    package var pattern: CallPattern
    /// Which of the matching calls, counted from 1.
    package var calls: ClosedRange<Int>
    /// The fault is over when such a call has come.
    package var until: CallPattern?
    /// Whether it holds from the start.
    package var isEnabled = true
    /// What happens instead of the usual; without an answer among them there is none.
    package var steps: [ScenarioStep]

    package init(
        name: String? = nil,
        _ pattern: CallPattern,
        calls: ClosedRange<Int> = 1...Int.max,
        until: CallPattern? = nil,
        steps: [ScenarioStep]
    ) {
        self.name = name
        self.pattern = pattern
        self.calls = calls
        self.until = until
        self.steps = steps
    }
}
