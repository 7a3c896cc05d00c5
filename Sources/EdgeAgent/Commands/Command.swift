package import BleCore

/// One command that was read and found in order.
package struct Command: Sendable, Equatable {
    @Boxed package var origin: CommandOrigin
    package var request: VerbRequest
    /// From the start of the job, with connecting and discovery.
    package var timeout: Duration
    /// After this moment it does not start any more.
    package var expiry: Expiry
    /// The adapter that the caller wants.
    package var adapter: AdapterName?
    /// A command to all gateways is answered after a random delay of up to this; else zero.
    package var jitter: Duration
    package var priority: CommandPriority
    package var retry: RetryRequest
    /// Whether the steps before the result go to the caller too.
    package var wantsSteps: Bool
    /// How the command is spread over the members of a group.
    package var spread: GroupSpread
    /// Whether an earlier start of the agent has begun to carry it out: the device may have acted already.
    package var mayHaveRun = false
    /// What was ignored, for the result.
    package var warnings: [String]

    package init(
        origin: CommandOrigin,
        request: VerbRequest,
        timeout: Duration,
        expiry: Expiry,
        adapter: AdapterName? = nil,
        jitter: Duration = .zero,
        priority: CommandPriority = .normal,
        retry: RetryRequest = RetryRequest(),
        wantsSteps: Bool = false,
        spread: GroupSpread = GroupSpread(),
        warnings: [String] = []
    ) {
        self.origin = origin
        self.request = request
        self.timeout = timeout
        self.expiry = expiry
        self.adapter = adapter
        self.jitter = jitter
        self.priority = priority
        self.retry = retry
        self.wantsSteps = wantsSteps
        self.spread = spread
        self.warnings = warnings
    }

    /// Refuses the command after all: policy, a full queue, a stop.
    package func refusal(
        _ code: ErrorCode,
        at stage: ErrorStage? = nil,
        detail: String,
        retryAfterMs: Int? = nil
    ) -> Refusal {
        Refusal(
            origin: $origin,
            error: OperationError(code, at: stage, retryAfterMs: retryAfterMs, detail: detail),
            changesSomething: request.changesSomething,
            warnings: warnings,
            subject: AuditSubject(request)
        )
    }
}

/// The last moment at which a command may start, on both clocks.
package struct Expiry: Sendable, Hashable {
    /// Milliseconds since 1970-01-01 UTC.
    package var wallMs: Int64
    /// On the caller's monotonic clock, as a span since an epoch of its own.
    package var monotonic: Duration

    package init(wallMs: Int64, monotonic: Duration) {
        self.wallMs = wallMs
        self.monotonic = monotonic
    }
}

/// A command that is not carried out, and the answer that it gets.
package struct Refusal: Sendable, Equatable {
    @Boxed package var origin: CommandOrigin
    package var error: OperationError
    /// Whether the command would have changed something; its result then says that nothing was applied.
    package var changesSomething: Bool
    package var warnings: [String]
    /// What the command was about, for the audit log; nil when it could not be read.
    package var subject: AuditSubject?

    /// The refusal of a command whose id stands for another one.
    static func conflict(of origin: CommandOrigin) -> Refusal {
        Refusal(
            origin: origin,
            error: OperationError(.duplicateConflict, detail: "the id stands for another command of this caller"),
            changesSomething: origin.verb?.changesSomething ?? false
        )
    }

    package init(
        origin: CommandOrigin,
        error: OperationError,
        changesSomething: Bool = false,
        warnings: [String] = [],
        subject: AuditSubject? = nil
    ) {
        self.init(
            origin: Boxed(wrappedValue: origin),
            error: error,
            changesSomething: changesSomething,
            warnings: warnings,
            subject: subject
        )
    }

    fileprivate init(
        origin: Boxed<CommandOrigin>,
        error: OperationError,
        changesSomething: Bool,
        warnings: [String],
        subject: AuditSubject?
    ) {
        _origin = origin
        self.error = error
        self.changesSomething = changesSomething
        self.warnings = warnings
        self.subject = subject
    }
}

/// Why a message on a command topic gets no answer.
package enum IgnoredReason: String, Sendable, CaseIterable {
    case emptyPayload = "empty-payload"
    /// A retained command without an id of its own.
    case retainedWithoutID = "retained-without-id"
    /// A retained command that is known.
    case retainedCopy = "retained-copy"
    /// The agent's own status topic; not a command.
    case notACommand = "not-a-command"
}

/// What a message on a command topic turned out to be.
package enum DecodedCommand: Sendable, Equatable {
    case command(Command)
    case refused(Refusal)
    case ignored(IgnoredReason)
}
