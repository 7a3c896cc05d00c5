internal import EdgeAgent
internal import MQTT

extension ControlSession {
    /// Shows or sets what is asked of a gateway's configuration, by its retained topics.
    func configuration(_ topics: ControlTopics) async throws -> ControlOutcome {
        switch invocation.operands.first {
        case "desired": return try await showKept(topics.configDesired, "nothing is asked for")
        case "reported": return try await showKept(topics.configReported, "the gateway reports nothing")
        case "clear": return try await ask(for: nil, topics)
        default: return try await ask(for: try invocation.desiredConfiguration(), topics)
        }
    }

    private func showKept(_ topic: String, _ missing: String) async throws -> ControlOutcome {
        guard let payload = try await kept(topic) else {
            output.note(missing)
            return .ok
        }
        if output.isJSON || topic.hasSuffix("desired") {
            output.line(Cell.plain(String(decoding: payload, as: UTF8.self), limit: DesiredConfiguration.maxBytes))
        } else {
            show(Reported(payload))
        }
        return .ok
    }

    /// What the broker keeps on a topic; nil: nothing.
    private func kept(_ topic: String) async throws -> [UInt8]? {
        try await subscribe([topic])
        var quietTicks = 0
        while quietTicks < 3 {
            switch await next() {
            case .message(let message) where message.topic == topic:
                return message.payload.isEmpty ? nil : message.payload
            case .tick: quietTicks += 1
            case .interrupt: throw ControlFailure(.interrupted, [])
            default: continue
            }
        }
        return nil
    }

    /// Asks for a configuration, or for none, and waits for what becomes of it.
    private func ask(for desired: DesiredConfiguration?, _ topics: ControlTopics) async throws -> ControlOutcome {
        if let payload = try await kept(topics.configReported), Reported(payload).state == "off" {
            throw ControlFailure(.rejected, "the gateway takes none: remote.configuration in its file")
        }
        let limit = invocation.value("--timeout").flatMap { TimeText.duration($0) } ?? .seconds(90)
        let end = ContinuousClock.now + limit
        try await retain(desired?.payload ?? [], on: topics.configDesired)
        while ContinuousClock.now < end {
            switch await next() {
            case .message(let message) where message.topic == topics.configReported:
                let reported = Reported(message.payload)
                guard reported.desired == desired?.hash, reported.state != "trial" else {
                    output.progress("config: \(reported.state)")
                    continue
                }
                if output.isJSON { output.json(message.payload) } else { show(reported) }
                return reported.outcome
            case .outcome(.refused(_, let text)):
                throw ControlFailure(.rejected, "the broker does not let \(settings.client) ask for it: \(text)")
            case .tick: output.progress("config: sent")
            case .interrupt: throw ControlFailure(.interrupted, "what was asked for stays with the broker")
            default: continue
            }
        }
        throw ControlFailure(
            .unknown,
            ["the gateway has not told what became of it", "see: edge-agent ctl config reported"]
        )
    }

    private func show(_ reported: Reported) {
        output.line("state: \(Cell.plain(reported.state))")
        output.line("configuration: \(Cell.of(reported.object["configuration"]))")
        for name in ["changed", "pending"] {
            let keys = (reported.object[name]?.array ?? []).compactMap(\.string)
            if !keys.isEmpty { output.line("\(name): \(Cell.plain(keys.joined(separator: " "), limit: 2048))") }
        }
        for error in (reported.object["errors"]?.array ?? []).compactMap(\.object) {
            let key = error["key"]?.string.map { Cell.plain($0) + ": " } ?? ""
            output.line("error: \(key)\(Cell.of(error["text"], limit: 512))")
        }
        if let reason = reported.object["reason"]?.string { output.line("reason: \(Cell.plain(reason))") }
        if let problem = reported.object["problem"]?.string { output.line("not kept: \(Cell.plain(problem))") }
    }
}

/// What a gateway has reported.
private struct Reported {
    let object: JSONObject

    init(_ payload: [UInt8]) { object = Payload.object(payload) ?? JSONObject([]) }

    var state: String { object["state"]?.string ?? "unknown" }
    var desired: String? { object["desired"]?.string }
    var outcome: ControlOutcome {
        switch state {
        case "applied", "none": .ok
        case "rejected", "off": .rejected
        case "rolled-back": .failed
        default: .unknown
        }
    }
}

extension ControlInvocation {
    /// The content of the file that `config set` names.
    ///
    /// - Throws: ``ControlFailure`` when it cannot be read, or is no configuration.
    func desiredConfiguration() throws(ControlFailure) -> DesiredConfiguration {
        guard operands.count == 2 else { throw ControlFailure(.usage, "config set takes a FILE") }
        let path = operands[1]
        let bytes: [UInt8]
        do throws(BoundedFile.Failure) {
            bytes = try BoundedFile.read(path, limit: DesiredConfiguration.maxBytes).bytes
        } catch {
            throw ControlFailure(.noInput, "\(LogText.quoted(path)) \(error.explanation)")
        }
        do throws(RemoteProblems) {
            return try DesiredConfiguration(file: bytes)
        } catch {
            throw ControlFailure(.usage, error.list.map { "\(LogText.quoted(path)): \($0.text)" })
        }
    }

    /// Checks the operands of `config`.
    ///
    /// - Throws: ``ControlFailure`` for what is none of them.
    func checkConfiguration() throws(ControlFailure) {
        switch (operands.first, operands.count) {
        case (nil, _), ("desired", 1), ("reported", 1), ("clear", 1): break
        case ("set", _): _ = try desiredConfiguration()
        default: throw ControlFailure(.usage, "config takes nothing, desired, reported, set FILE or clear")
        }
    }
}
