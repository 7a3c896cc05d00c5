/// One result of a command, final or not, before it is put into bytes.
package struct ResultBody: Sendable, Equatable {
    @Boxed package var origin: CommandOrigin
    package var status: ResultStatus
    package var confirmed: Confirmed?
    /// Only of a final result that is not `ok`, of a command that changes something.
    package var applied: Applied?
    package var payload: ResultPayload?
    package var error: OperationError?
    /// The error that the last try but the successful one ended with.
    package var lastError: OperationError?
    package var timing: Timing?
    /// Counts from 1; absent for what never started.
    package var attempt: Int?
    /// How many jobs of the device come first, for `accepted`.
    package var queuePlace: Int?
    /// Whether the command changes something: what a replacement of the result needs to know.
    package var changesSomething: Bool
    package var warnings: [String]
    /// What the command was about, for the audit log.
    package var subject: AuditSubject?

    /// How long the parts of a job took; parts that did not happen are absent.
    package struct Timing: Sendable, Equatable {
        package var queuedMs: Int?
        package var connectMs: Int?
        package var discoverMs: Int?
        package var runMs: Int?

        package init(queuedMs: Int? = nil, connectMs: Int? = nil, discoverMs: Int? = nil, runMs: Int? = nil) {
            self.queuedMs = queuedMs
            self.connectMs = connectMs
            self.discoverMs = discoverMs
            self.runMs = runMs
        }
    }

    private init(
        _ origin: Boxed<CommandOrigin>,
        _ status: ResultStatus,
        changesSomething: Bool,
        warnings: [String],
        attempt: Int? = nil
    ) {
        _origin = origin
        self.status = status
        self.changesSomething = changesSomething
        self.warnings = warnings
        self.attempt = attempt
    }

    /// The result of a command that succeeded.
    package static func ok(
        _ command: Command,
        confirmed: Confirmed,
        payload: ResultPayload?,
        timing: Timing? = nil,
        attempt: Int = 1
    ) -> Self {
        var body = Self(
            command.$origin,
            .ok,
            changesSomething: command.request.changesSomething,
            warnings: command.warnings,
            attempt: attempt
        )
        body.subject = AuditSubject(command.request)
        body.confirmed = confirmed
        body.payload = payload
        body.timing = timing
        return body
    }

    /// The result of a command whose verb has come to an outcome.
    package static func ok(_ command: Command, _ outcome: VerbOutcome, timing: Timing?, attempt: Int) -> Self {
        ok(command, confirmed: outcome.confirmed, payload: outcome.payload, timing: timing, attempt: attempt)
    }

    /// The result of a command that started and did not succeed; its status follows from the error.
    package static func failed(
        _ command: Command,
        _ error: OperationError,
        applied: Applied,
        timing: Timing? = nil,
        attempt: Int = 1
    ) -> Self {
        var body = Self(
            command.$origin,
            error.code.status,
            changesSomething: command.request.changesSomething,
            warnings: command.warnings,
            attempt: attempt
        )
        body.subject = AuditSubject(command.request)
        body.error = error
        if body.changesSomething { body.applied = applied }
        body.timing = timing
        return body
    }

    /// The result of a command that was under way when an earlier start of the agent ended.
    package static func unknown(_ command: Command) -> Self {
        let detail = "the agent ended while the command was carried out"
        return failed(command, OperationError(.outcomeUnknown, at: .operate, detail: detail), applied: .maybe)
    }

    /// The result of a command that never started.
    package static func refused(_ refusal: Refusal) -> Self {
        var body = Self(
            refusal.$origin,
            refusal.error.code.status,
            changesSomething: refusal.changesSomething,
            warnings: refusal.warnings
        )
        body.subject = refusal.subject
        body.error = refusal.error
        if body.changesSomething { body.applied = .no }
        return body
    }

    /// The step that says that a command has its place in the queue.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - place: How many jobs of its device come first.
    /// - Returns: The step.
    package static func accepted(_ command: Command, place: Int) -> Self {
        var body = step(command, .accepted, attempt: nil)
        body.queuePlace = place
        return body
    }

    /// The step that says that a job runs.
    package static func started(_ command: Command, attempt: Int = 1) -> Self {
        step(command, .started, attempt: attempt)
    }

    /// The step that says that a job is tried again, and why.
    package static func retrying(_ command: Command, attempt: Int, after error: OperationError) -> Self {
        var body = step(command, .retrying, attempt: attempt)
        body.error = error
        return body
    }

    private static func step(_ command: Command, _ status: ResultStatus, attempt: Int?) -> Self {
        Self(
            command.$origin,
            status,
            changesSomething: command.request.changesSomething,
            warnings: [],
            attempt: attempt
        )
    }
}
