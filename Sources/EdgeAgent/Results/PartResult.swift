import BleCore

/// What became of one part of a command: a step of a sequence, or a member of a group.
package struct PartResult: Sendable, Equatable {
    package var verb: VerbName
    /// The member that it is of; nil for a step.
    package var device: DeviceTarget?
    package var status: ResultStatus
    package var confirmed: Confirmed?
    package var applied: Applied?
    package var payload: ResultPayload?
    package var error: OperationError?
    /// Whether it changes something; not written.
    package var changesSomething: Bool

    private init(_ verb: VerbName, _ device: DeviceTarget?, _ status: ResultStatus, changesSomething: Bool) {
        self.verb = verb
        self.device = device
        self.status = status
        self.changesSomething = changesSomething
    }

    /// A step that succeeded.
    package static func ok(_ request: VerbRequest, _ outcome: VerbOutcome) -> Self {
        var part = Self(request.name, nil, .ok, changesSomething: request.changesSomething)
        part.confirmed = outcome.confirmed
        part.payload = outcome.payload
        return part
    }

    /// A step that did not.
    package static func failed(_ request: VerbRequest, _ error: OperationError, applied: Applied) -> Self {
        var part = Self(request.name, nil, error.code.status, changesSomething: request.changesSomething)
        part.error = error
        part.applied = request.changesSomething ? applied : nil
        return part
    }

    /// A part that was not begun.
    package static func notBegun(_ request: VerbRequest, of device: DeviceTarget? = nil, detail: String) -> Self {
        var part = failed(request, OperationError(.cancelled, at: .queue, detail: detail), applied: .no)
        part.device = device
        return part
    }

    /// The final result of a member's own job, as a part of the group's.
    package init(_ body: ResultBody, verb: VerbName) {
        self.init(verb, body.origin.device, body.status, changesSomething: body.changesSomething)
        confirmed = body.confirmed
        applied = body.applied
        payload = body.payload
        error = body.error
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let device {
            writer.field("dev", device.name.description)
            writer.field("address", device.address.hex)
        }
        writer.field("verb", verb.rawValue)
        writer.field("status", status.rawValue)
        if let confirmed { writer.field("confirmed", confirmed.rawValue) }
        applied?.write(to: &writer)
        if let payload {
            writer.key("result")
            payload.write(to: &writer)
        }
        if let error { error.write(to: &writer) }
        writer.endObject()
    }
}

extension ResultBody {
    /// The result of a command that has parts: all `ok`, some, or none; the error is the first failed part's.
    package static func combined(
        _ command: Command,
        _ parts: [PartResult],
        payload: ResultPayload,
        timing: Timing? = nil,
        attempt: Int = 1
    ) -> Self {
        guard let place = parts.firstIndex(where: { $0.status != .ok }), var error = parts[place].error else {
            let confirmed = Confirmed.weakest(of: parts.compactMap(\.confirmed))
            return ok(command, confirmed: confirmed, payload: payload, timing: timing, attempt: attempt)
        }
        if let device = parts[place].device { error.device = device.name } else { error.step = place }
        let changing = parts.filter(\.changesSomething)
        var applied = Applied.no
        if changing.contains(where: { $0.status == .ok || $0.applied?.isPart == true }) {
            applied = parts[place].device == nil ? .steps(before: place) : .members
        } else if changing.contains(where: { $0.applied == .maybe }) {
            applied = .maybe
        }
        var body = failed(command, error, applied: applied, timing: timing, attempt: attempt)
        body.status = parts.contains { $0.status == .ok } ? .partial : .failed
        body.payload = payload
        return body
    }
}

extension Confirmed {
    /// What can be said of several things that were confirmed each in its way.
    static func weakest(of all: [Confirmed]) -> Confirmed {
        let order: [Confirmed] = [.sent, .response, .notified, .read, .local]
        return order.first { all.contains($0) } ?? .local
    }
}
