/// What became of a command.
package enum ResultStatus: String, CaseIterable, Sendable {
    case accepted, started, retrying
    case ok, failed
    /// Never started.
    case rejected
    case expired, timeout, cancelled
    /// A sequence or group of which some parts are not `ok`.
    case partial
    /// The agent or the bus went away in between, so nobody can say.
    case unknown

    /// Whether no other result of the same command follows.
    package var isFinal: Bool {
        switch self {
        case .accepted, .started, .retrying: false
        case .ok, .failed, .rejected, .expired, .timeout, .cancelled, .partial, .unknown: true
        }
    }
}

/// How the agent knows that a command succeeded.
package enum Confirmed: String, CaseIterable, Sendable {
    /// The device acknowledged.
    case response
    /// Handed to BlueZ; no acknowledgement exists.
    case sent
    /// The device's answer arrived.
    case notified
    /// The value was read.
    case read
    /// The agent or the gateway did it by itself.
    case local
}

/// Whether a changing command that is not `ok` may have acted.
package enum Applied: Sendable, Hashable {
    case no, maybe, yes
    /// The first bytes of a value that was sent in parts.
    case partly(bytes: Int)
    /// Steps of a sequence up to the one with this index, itself perhaps too.
    case steps(before: Int)
    /// Some members of a group.
    case members

    var text: StaticString {
        switch self {
        case .no: "no"
        case .maybe: "maybe"
        case .yes: "yes"
        case .partly, .steps, .members: "partly"
        }
    }

    /// Whether a part was certainly applied.
    var isPart: Bool {
        switch self {
        case .no, .maybe: false
        case .yes, .partly, .steps, .members: true
        }
    }

    /// Writes the member `applied` and what goes with it.
    func write(to writer: inout JSONWriter) {
        writer.field("applied", text)
        switch self {
        case .partly(let bytes): writer.field("bytes", bytes)
        case .steps(let step): writer.field("step", step)
        default: break
        }
    }
}
