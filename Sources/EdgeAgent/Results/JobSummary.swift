import BleCore

/// What `jobs` and `job` tell of one job.
package struct JobSummary: Sendable, Equatable {
    /// How far a job is.
    package enum State: String, CaseIterable, Sendable {
        /// Behind other jobs of its device.
        case waiting
        /// For a free link slot of the adapter.
        case slot
        case running
        /// It has its result; a call for it is still out, and its device stays taken.
        case settling
        case ended
    }

    /// Counts the jobs of this start of the agent; pages go by it.
    package var number: Int
    package var origin: CommandOrigin
    package var state: State
    package var priority: CommandPriority
    /// How many jobs of the device come first; nil when it has begun.
    package var place: Int?
    /// When it was accepted, in milliseconds since 1970-01-01 UTC.
    package var acceptedMs: Int64
    /// How long it runs, in milliseconds; nil before.
    package var runMs: Int?
    /// Which try is under way; nil before the first.
    package var attempt: Int?
    /// How far the try is.
    package var stage: ErrorStage?

    /// About how many bytes one has.
    static let estimatedBytes = 384

    package init(
        number: Int,
        origin: CommandOrigin,
        state: State,
        priority: CommandPriority = .normal,
        place: Int? = nil,
        acceptedMs: Int64,
        runMs: Int? = nil,
        attempt: Int? = nil,
        stage: ErrorStage? = nil
    ) {
        self.number = number
        self.origin = origin
        self.state = state
        self.priority = priority
        self.place = place
        self.acceptedMs = acceptedMs
        self.runMs = runMs
        self.attempt = attempt
        self.stage = stage
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("job", number)
        writer.field("id", origin.id)
        writer.field("client", origin.client)
        if let device = origin.device {
            writer.field("dev", device.name.description)
            writer.field("address", device.address.hex)
        }
        if let group = origin.group { writer.field("group", group.text) }
        if let verb = origin.verb { writer.field("verb", verb.rawValue) }
        writer.field("state", state.rawValue)
        writer.field("priority", priority.rawValue)
        writer.field(ifPresent: "place", place)
        writer.field("accepted", time: acceptedMs)
        writer.field(ifPresent: "runMs", runMs)
        writer.field(ifPresent: "attempt", attempt)
        writer.field(ifPresent: "stage", stage?.rawValue)
        writer.endObject()
    }
}

/// One step of a job, as `job` tells it: what a caller that asked with `ack` was told at the time.
package struct JobStep: Sendable, Equatable {
    package var status: ResultStatus
    /// Milliseconds since 1970-01-01 UTC.
    package var timeMs: Int64
    package var place: Int?
    package var attempt: Int?
    package var code: ErrorCode?

    package init(_ body: ResultBody, timeMs: Int64) {
        status = body.status
        self.timeMs = timeMs
        place = body.queuePlace
        attempt = body.attempt
        code = body.error?.code
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("status", status.rawValue)
        writer.field("final", status.isFinal)
        writer.field(ifPresent: "place", place)
        writer.field(ifPresent: "attempt", attempt)
        writer.field(ifPresent: "code", code?.rawValue)
        writer.field("ts", time: timeMs)
        writer.endObject()
    }
}
