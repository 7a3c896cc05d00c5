import Frames

/// The checks of a message whose envelope is in order.
extension CommandDecoder {
    static let maxTimeoutMs = 600_000
    /// The longest time to live: what the message expiry of MQTT can say.
    static let maxTTLMs = 4_294_967_295_000

    func decode(
        _ message: IncomingCommand,
        _ fields: inout FieldReader,
        _ draft: inout CommandDraft,
        clockIsWrong: Bool
    ) -> DecodedCommand {
        switch message.topic {
        case .device(let level, _):
            guard let target = resolve(level) else { return draft.refused(.unknownDevice, Self.unknownDevice(level)) }
            draft.origin.target = .device(target)
        case .group(let level, _):
            guard let group = GroupName(level), let members = groups.members(of: group) else {
                return draft.refused(.unknownGroup, "there is no group \(quoted(level))")
            }
            draft.origin.target = .group(group, members)
        case .gateway, .all, .set, .status, .desired: break
        }
        let verb: VerbName
        do {
            verb = try readVerb(&fields, &draft)
        } catch {
            return error.answer
        }
        let isDevice = draft.origin.device != nil || draft.origin.group != nil
        let request = fields.request(verb, onDevice: isDevice, devices: devices)
        let timeout = fields.milliseconds("timeoutMs", 1...Self.maxTimeoutMs)
        let adapter = fields.adapter()
        let jitter = message.topic.isAll ? fields.milliseconds("jitterMs", 0...60_000) ?? .seconds(2) : .zero
        let priority = fields.choice("priority", CommandPriority.self) ?? .normal
        let retry = fields.retry()
        let wantsSteps = fields.flag("ack") ?? false
        let spread = draft.origin.group == nil ? GroupSpread() : fields.spread()
        let times = Times(&fields)
        if case .scan(let scan)? = request, let timeout, timeout < scan.duration {
            fields.problem("timeoutMs", "shorter than durationMs")
        }
        draft.problems += fields.problems
        draft.warn(ignored: fields.unused)
        guard draft.problems.isEmpty, let request else { return draft.refusedForProblems() }
        draft.changesSomething = request.changesSomething

        if message.topic.isAll, request.changesSomething, !limits.allMayChange {
            return draft.refused(.denied, "\(verb.rawValue) changes something: not for all gateways at once")
        }
        if clockIsWrong, times.expires != nil || times.sentAt != nil {
            let detail = "the gateway's clock is wrong: use ttlMs without sentAt, or try again later"
            return draft.refused(.clockUnsynchronised, detail)
        }
        let expiry = times.expiry(of: message, defaultTTL: limits.defaultTTL)
        guard expiry.wallMs > message.arrivedMs else {
            return draft.refused(.expired, "the command had expired when it arrived")
        }
        return .command(
            Command(
                origin: draft.origin,
                request: request,
                timeout: timeout ?? request.defaultTimeout,
                expiry: expiry,
                adapter: adapter,
                jitter: jitter,
                priority: priority,
                retry: retry,
                wantsSteps: wantsSteps,
                spread: spread,
                warnings: draft.warnings
            )
        )
    }

    /// Reads the verb and sees that it may stand on this topic.
    private func readVerb(_ fields: inout FieldReader, _ draft: inout CommandDraft) throws(RefusedVerb) -> VerbName {
        let value = fields.take("verb")
        guard let text = value?.string else {
            draft.problems.append("verb: expected the name of a verb, found \(value?.description ?? "nothing")")
            throw RefusedVerb(answer: draft.refusedForProblems())
        }
        guard let verb = VerbName(rawValue: text) else {
            throw RefusedVerb(answer: draft.refused(.unknownVerb, "there is no verb \(quoted(text))"))
        }
        draft.origin.verb = verb
        draft.changesSomething = verb.changesSomething
        let base = "\(rule.tree.prefix)/v1/\(rule.tree.gateway)"
        switch (verb.place, draft.origin.target) {
        case (.gateway, .device), (.gateway, .group):
            draft.problems.append("verb: \(text) is for the gateway, send it to \(base)/cmd")
        case (.device, .gateway):
            draft.problems.append("verb: \(text) is for a device, send it to \(base)/dev/{dev}/cmd")
        case (_, .group) where verb == .pairAnswer:
            // A prompt is of one device.
            draft.problems.append("verb: \(text) is for one device, send it to \(base)/dev/{dev}/cmd")
        default: return verb
        }
        throw RefusedVerb(answer: draft.refusedForProblems())
    }
}

/// The answer to a verb that is not carried out.
private struct RefusedVerb: Error {
    let answer: DecodedCommand
}

/// The times that a command may carry.
private struct Times {
    var ttlMs: Int?
    /// Milliseconds since 1970-01-01 UTC.
    var expires: Int64?
    var sentAt: Int64?

    init(_ fields: inout FieldReader) {
        let form = "a time such as 2026-10-01T10:00:00.000Z"
        ttlMs = fields.whole("ttlMs", 1...CommandDecoder.maxTTLMs)
        expires = fields.form("expires", expected: form) { timestamp($0) }
        sentAt = fields.form("sentAt", expected: form) { timestamp($0) }
    }

    /// The earliest of all bounds that are given, or the default from the arrival.
    func expiry(of message: IncomingCommand, defaultTTL: Duration) -> Expiry {
        let arrived = message.arrivedMs
        var bounds: [Int64] = []
        if let ttlMs {
            // A caller whose clock is ahead does not gain time.
            let start = min(sentAt ?? arrived, arrived)
            bounds.append(saturatingSum(start, Int64(ttlMs)))
        }
        if let expires { bounds.append(expires) }
        if let seconds = message.properties.messageExpirySeconds {
            bounds.append(saturatingSum(arrived, Int64(seconds) * 1000))
        }
        let earliest = bounds.min() ?? saturatingSum(arrived, defaultTTL.wholeMilliseconds)
        let (left, overflow) = earliest.subtractingReportingOverflow(arrived)
        let span = overflow ? (earliest < arrived ? Int64.min : Int64.max) : left
        return Expiry(wallMs: earliest, monotonic: message.arrivedMonotonic + .milliseconds(span))
    }
}

func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right < 0 ? .min : .max) : sum
}

extension Duration {
    /// The milliseconds of the span, without the rest; held to what fits.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return saturatingSum(whole, attoseconds / 1_000_000_000_000_000)
    }
}
