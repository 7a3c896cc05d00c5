/// Which configuration that was asked for over MQTT holds, and what becomes of the next one: pure.
///
/// ```
///             begin                  confirmed
///  settled ──────────▶ trial ──────────────────────▶ settled
///     ▲                  │ failed: the former one again, this one is not tried again
///     └──────────────────┘
/// ```
///
/// While one is on trial the newest that comes waits.
package struct RemoteState: Sendable, Equatable {
    /// What the owner has to do.
    package enum Step: Sendable, Equatable {
        case nothing
        /// Tell what has changed.
        case tell
        /// Write the memory down, then let this one hold, and have the broker confirm it in time.
        case begin(DesiredConfiguration?)
        /// Let the former one hold again, and write the memory down.
        case restore(DesiredConfiguration?)
    }

    /// One that was refused as a whole.
    package struct Rejected: Sendable, Equatable {
        /// Nil: it was too long to be looked at.
        package var hash: String?
        package var problems: RemoteProblems

        package init(hash: String?, problems: RemoteProblems) {
            self.hash = hash
            self.problems = problems
        }
    }

    /// What the reported state says.
    package enum Name: String, Sendable, CaseIterable {
        /// The gateway takes none.
        case off
        /// Nothing was asked for: the file's values hold.
        case none
        case trial, applied, rejected
        case rolledBack = "rolled-back"
    }

    package private(set) var memory: RemoteMemory
    package private(set) var rejected: Rejected?
    /// The newest that came during a trial; the inner nil asks for nothing.
    private var waiting: DesiredConfiguration??
    /// The one that was seen last, whatever became of it.
    package private(set) var lastHash: String?

    /// Begins with what an earlier life has left, after ``RemoteMemory/start()``.
    package init(_ memory: RemoteMemory = RemoteMemory()) {
        self.memory = memory
        lastHash = memory.refused?.hash ?? memory.desired?.hash
    }

    package var isOnTrial: Bool { memory.phase == .trial }

    /// What became of the one that was seen last.
    package var name: Name {
        if isOnTrial { return .trial }
        if rejected != nil { return .rejected }
        if memory.refused != nil { return .rolledBack }
        return memory.desired == nil ? .none : .applied
    }

    /// One was asked for; nil: none any more.
    ///
    /// - Parameters:
    ///   - desired: What was asked for.
    ///   - check: What is wrong with it; nil: nothing.
    /// - Returns: What is to be done.
    package mutating func asked(
        _ desired: DesiredConfiguration?,
        check: (DesiredConfiguration) -> RemoteProblems?
    ) -> Step {
        guard !isOnTrial else {
            // One that says the same again, as after a connect, is no other one.
            waiting = desired == memory.desired ? nil : .some(desired)
            return .nothing
        }
        let before = (rejected, memory.refused, lastHash)
        lastHash = desired?.hash
        if let desired, desired.hash == memory.refused?.hash {
            rejected = nil
        } else if desired == memory.desired {
            (rejected, memory.refused) = (nil, nil)
        } else if let desired, let problems = check(desired) {
            rejected = Rejected(hash: desired.hash, problems: problems)
        } else {
            (rejected, memory.refused) = (nil, nil)
            memory.former = memory.desired
            memory.desired = desired
            memory.phase = .trial
            return .begin(desired)
        }
        return before == (rejected, memory.refused, lastHash) ? .nothing : .tell
    }

    /// One came that was too long to be looked at.
    package mutating func overlong(_ problems: RemoteProblems) -> Step {
        rejected = Rejected(hash: nil, problems: problems)
        lastHash = nil
        return .tell
    }

    /// The broker has confirmed the one on trial, or the agent has come up with the one that holds.
    ///
    /// - Parameter isWhole: Whether nothing of it waits for a start.
    /// - Returns: whether the memory is to be written down.
    package mutating func confirmed(isWhole: Bool) -> Bool {
        guard memory.phase != .settled else { return false }
        memory.phase = .settled
        memory.former = nil
        if isWhole { memory.tested = memory.desired }
        return true
    }

    /// The one on trial cannot stay.
    package mutating func failed(_ reason: String) -> Step {
        guard isOnTrial else { return .nothing }
        // Nobody asks for nothing by mistake: that may be asked for again.
        memory.refused = RemoteMemory.Refused(hash: memory.desired?.hash ?? "", reason: reason)
        memory.desired = memory.former
        memory.former = nil
        memory.phase = .settled
        return .restore(memory.desired)
    }

    /// The one that waited for the end of a trial.
    package mutating func takeWaiting() -> DesiredConfiguration?? {
        guard !isOnTrial else { return nil }
        defer { waiting = nil }
        return waiting
    }

    /// The one that holds cannot be put on another file's values: the file's alone hold.
    package mutating func leave(_ problems: RemoteProblems) {
        rejected = Rejected(hash: memory.desired?.hash, problems: problems)
        (memory.desired, memory.former) = (nil, nil)
        memory.phase = .settled
    }
}
