/// Notices that the wall clock was set.
struct ClockWatch {
    private let clock: JournalClock
    /// The wall clock's lead over the steady one.
    private var lead: Int64

    /// A smaller step is the clock being kept right.
    private static let leastStepMs: Int64 = 5000

    init(_ clock: JournalClock) {
        self.clock = clock
        lead = clock.wallMs() &- clock.steadyMs()
    }

    var wallMs: Int64 { clock.wallMs() }

    /// By how much the wall clock was set since this was last asked; nil for not at all.
    mutating func step() -> Int64? {
        let now = clock.wallMs() &- clock.steadyMs()
        let step = now &- lead
        guard step.magnitude >= Self.leastStepMs.magnitude else { return nil }
        lead = now
        return step
    }
}
