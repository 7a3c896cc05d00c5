/// Says which step is to be taken next against a fault that lasts: harmless ones first, stronger ones when those did not
/// help, each with growing gaps and no more than a few times an hour.
///
/// A pure state machine without a clock: it is told of failures and successes. It never acts by itself, so that without
/// new failures nothing more is done.
package struct RecoveryLadder: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What a fault is of.
    package enum Subject: Hashable, Sendable {
        case device(DeviceAddress)
        case adapter(AdapterID)
        case bus
    }

    /// Whether a step can be taken.
    package enum Leave: Sendable {
        case yes
        /// Not while things are as they are.
        case notNow
        /// The next step is looked at instead.
        case never
    }

    /// One step of a ladder.
    package struct Rung: Sendable {
        package let step: RecoveryStep
        /// How many failures since the last step it takes.
        package let failures: Int
        /// How long it is not taken again for the same subject; doubles each time until something succeeds.
        package let gap: Duration
        /// The most in one hour for one subject, whatever succeeds in between.
        package let perHour: Int
    }

    /// Gaps do not grow beyond that.
    package static let longestGap = Duration.seconds(3600)
    /// The most subjects that something is kept of.
    package static let bound = 1024

    private struct Trouble: Hashable {
        let subject: Subject
        let fault: RecoveryFault
    }

    private struct Progress {
        /// Since the last step.
        var failures = 0
        /// The rung that comes next.
        var rung = 0
        var lastFailure: Instant
    }

    private struct Turn: Hashable {
        let subject: Subject
        let step: RecoveryStep
    }

    private struct Turns {
        /// Those of the last hour.
        var times: [Instant] = []
        /// How many since something succeeded.
        var inVain = 0
    }

    private var troubles: [Trouble: Progress] = [:]
    private var turns: [Turn: Turns] = [:]

    package init() {}

    /// The steps against a fault, in order; behind the last comes the first again.
    package static func rungs(against fault: RecoveryFault) -> [Rung] {
        switch fault {
        case .connectInProgress:
            [
                Rung(step: .cancelConnect, failures: 3, gap: .seconds(5), perHour: 20),
                Rung(step: .removeDevice, failures: 2, gap: .seconds(60), perHour: 4),
            ]
        case .connectFails:
            [
                Rung(step: .disconnect, failures: 4, gap: .seconds(30), perHour: 10),
                Rung(step: .removeDevice, failures: 4, gap: .seconds(300), perHour: 2),
            ]
        case .servicesUnresolved:
            [Rung(step: .removeDevice, failures: 3, gap: .seconds(300), perHour: 2)]
        case .connectsFail:
            [
                Rung(step: .scanRestart, failures: 4, gap: .seconds(30), perHour: 6),
                Rung(step: .powerCycle, failures: 3, gap: .seconds(300), perHour: 3),
                Rung(step: .helper, failures: 3, gap: .seconds(600), perHour: 2),
            ]
        case .scannerSilent:
            [
                Rung(step: .scanRestart, failures: 1, gap: .zero, perHour: 60),
                Rung(step: .scanRestart, failures: 1, gap: .zero, perHour: 60),
                Rung(step: .scanRestart, failures: 1, gap: .zero, perHour: 60),
                Rung(step: .powerCycle, failures: 1, gap: .seconds(300), perHour: 3),
                Rung(step: .helper, failures: 1, gap: .seconds(600), perHour: 2),
            ]
        case .noAnswers:
            [
                Rung(step: .busReconnect, failures: 1, gap: .seconds(60), perHour: 6),
                Rung(step: .helper, failures: 2, gap: .seconds(600), perHour: 2),
            ]
        }
    }

    /// Takes up that something has failed once more.
    ///
    /// - Parameters:
    ///   - subject: what.
    ///   - fault: how.
    ///   - now: when.
    ///   - leave: whether a step can be taken.
    /// - Returns: the step to take now, which counts as taken.
    package mutating func failed(
        _ subject: Subject,
        _ fault: RecoveryFault,
        at now: Instant,
        leave: (RecoveryStep) -> Leave
    ) -> RecoveryStep? {
        let trouble = Trouble(subject: subject, fault: fault)
        if troubles[trouble] == nil, troubles.count >= Self.bound {
            forget(before: now - .seconds(3600))
            guard troubles.count < Self.bound else { return nil }
        }
        var progress = troubles[trouble] ?? Progress(lastFailure: now)
        progress.failures += 1
        progress.lastFailure = now
        defer { troubles[trouble] = progress }
        let rungs = Self.rungs(against: fault)
        for _ in rungs {
            let rung = rungs[progress.rung]
            guard progress.failures >= rung.failures else { return nil }
            switch leave(rung.step) {
            case .notNow: return nil
            case .never: progress.rung = (progress.rung + 1) % rungs.count
            case .yes:
                guard take(rung, for: subject, at: now) else { return nil }
                progress.failures = 0
                progress.rung = (progress.rung + 1) % rungs.count
                return rung.step
            }
        }
        return nil
    }

    /// Takes up that a subject works: its ladders begin anew.
    ///
    /// What was done in the last hour still counts.
    package mutating func succeeded(_ subject: Subject) {
        guard !troubles.isEmpty else { return }
        for fault in RecoveryFault.allCases { troubles[Trouble(subject: subject, fault: fault)] = nil }
        for step in RecoveryStep.allCases { turns[Turn(subject: subject, step: step)]?.inVain = 0 }
    }

    /// Takes up that one fault of a subject is over.
    package mutating func ended(_ fault: RecoveryFault, of subject: Subject) {
        troubles[Trouble(subject: subject, fault: fault)] = nil
    }

    /// How many faults something is kept of.
    package var count: Int { troubles.count }

    /// Takes a step, if it is not too soon for it.
    private mutating func take(_ rung: Rung, for subject: Subject, at now: Instant) -> Bool {
        let turn = Turn(subject: subject, step: rung.step)
        var record = turns[turn] ?? Turns()
        record.times.removeAll { now - $0 >= .seconds(3600) }
        defer { turns[turn] = record }
        guard record.times.count < rung.perHour else { return false }
        if let last = record.times.last, now - last < gap(rung, after: record.inVain) { return false }
        record.times.append(now)
        record.inVain += 1
        return true
    }

    private func gap(_ rung: Rung, after inVain: Int) -> Duration {
        var gap = rung.gap
        for _ in 1..<max(1, min(inVain, 32)) where gap < Self.longestGap { gap *= 2 }
        return min(gap, Self.longestGap)
    }

    private mutating func forget(before limit: Instant) {
        troubles = troubles.filter { $0.value.lastFailure > limit }
        turns = turns.filter { $0.value.times.last.map { $0 > limit } ?? false }
    }
}
