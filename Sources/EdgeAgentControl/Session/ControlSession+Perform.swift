internal import EdgeAgent
internal import MQTT

/// A command as it is sent, without its id.
struct OutgoingCommand {
    var verb: String
    var device: String?
    var fields: [(name: String, value: JSONValue)] = []
    /// How long the gateway takes at the most once it has begun, where the command does not say.
    var usual = Duration.seconds(20)

    /// The bytes; the same for each repetition.
    func payload(id: String, client: String, ttl: Duration) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", id)
        writer.field("client", client)
        writer.field("verb", verb)
        for field in fields {
            writer.key(field.name)
            writer.json(field.value)
        }
        // The steps show that the gateway is there; a command that is late is not wanted any more.
        if !fields.contains(where: { $0.name == "ack" }) { writer.field("ack", true) }
        if !fields.contains(where: { $0.name == "ttlMs" || $0.name == "expires" }) {
            writer.field("ttlMs", TimeText.milliseconds(ttl))
        }
        writer.endObject()
        return writer.bytes
    }
}

/// A final result, as it came and as it reads.
struct FinalResult {
    let payload: [UInt8]
    let object: JSONObject

    var outcome: ControlOutcome { ControlOutcome(status: object["status"]?.string ?? "") }
    var result: JSONObject { object["result"]?.object ?? JSONObject([]) }
}

extension ControlSession {
    /// Sends a command and waits for its one result, and sends the same again when nothing is heard.
    ///
    /// Repeating is safe: the gateway knows the id and answers as before. Ctrl-C cancels the command, a second one ends
    /// the wait.
    ///
    /// - Parameters:
    ///   - command: what is sent.
    ///   - topics: the gateway's.
    ///   - other: takes what happens besides.
    /// - Returns: the final result.
    /// - Throws: ``ControlFailure`` when there is none.
    func perform(
        _ command: OutgoingCommand,
        _ topics: ControlTopics,
        other: (Happening) async throws -> Void = { _ in }
    ) async throws -> FinalResult {
        let id = invocation.value("--id") ?? BootID.make()
        let topic = topics.result(id)
        try await subscribe([topic])
        let payload = command.payload(id: id, client: topics.client, ttl: settings.wait)
        var exchange = Exchange(command, wait: settings.wait)
        try await publish(payload, to: topics.command(command.device), expiry: settings.wait)
        defer { output.clearProgress() }
        while true {
            let happening = await next()
            switch happening {
            case .message(let message) where message.topic == topic:
                guard let object = Payload.object(message.payload), object["id"]?.string == id else { continue }
                if object["final"]?.bool == true { return FinalResult(payload: message.payload, object: object) }
                exchange.step(object, wait: settings.wait)
            case .connected:
                // What was answered meanwhile is lost: it is answered again.
                exchange.isRepeatDue = true
            case .interrupt:
                guard !exchange.isCancelled else { throw ControlFailure(.interrupted, hint(id)) }
                exchange.isCancelled = true
                isInterrupted = true
                exchange.limit(to: .seconds(5))
                try await cancel(id, topics)
            case .tick:
                output.progress(exchange.line(command))
            default:
                try await other(happening)
            }
            if exchange.isOver {
                let heard = exchange.hasSteps ? "the gateway has begun, but no result came" : "no answer came"
                throw ControlFailure(.unknown, ["\(heard) within \(exchange.elapsed)"] + hint(id))
            }
            if exchange.takeRepeat() {
                try await publish(payload, to: topics.command(command.device), expiry: settings.wait)
            }
        }
    }

    private func hint(_ id: String) -> [String] { ["to ask again without doing it twice: --id \(id)"] }

    private func cancel(_ id: String, _ topics: ControlTopics) async throws {
        let reference = JSONObject([
            JSONObject.Entry(key: "client", value: .string(topics.client)),
            JSONObject.Entry(key: "id", value: .string(id)),
        ])
        let command = OutgoingCommand(verb: "cancel", fields: [("of", .object(reference))])
        let payload = command.payload(id: BootID.make(), client: topics.client, ttl: settings.wait)
        try await publish(payload, to: topics.command(nil), expiry: settings.wait)
    }
}

/// How far one command is.
private struct Exchange {
    private let start = ContinuousClock.now
    private var end: ContinuousClock.Instant
    private let work: Duration
    private var nextRepeat: ContinuousClock.Instant
    private var gap = Duration.seconds(3)
    private var last = "sent"
    var hasSteps = false
    var isRepeatDue = false
    var isCancelled = false

    init(_ command: OutgoingCommand, wait: Duration) {
        let asked = command.fields.last { $0.name == "timeoutMs" }?.value.integer.map { Duration.milliseconds($0) }
        work = asked ?? command.usual
        // A device's command tells at once that it has come; a gateway's only when it is done.
        end = start + wait + (command.device == nil ? work : .zero)
        nextRepeat = start + gap
    }

    var elapsed: Duration { .seconds((ContinuousClock.now - start).components.seconds) }
    var isOver: Bool { .now >= end }

    /// A step came: the command waits and runs as long as it may.
    mutating func step(_ object: JSONObject, wait: Duration) {
        hasSteps = true
        let status = object["status"]?.string ?? ""
        if !isCancelled {
            // 15 s more than the agent's own bound, which answers by itself.
            end = .now + work + (status == "accepted" ? wait : .zero) + .seconds(15)
        }
        switch status {
        case "accepted":
            let place = object["place"]?.integer ?? 0
            last = place == 0 ? "accepted" : "waits behind \(place)"
        case "retrying":
            let code = object["error"]?.object?["code"]?.string ?? ""
            last = "try \(object["attempt"]?.integer ?? 0) after \(code)"
        default: last = status
        }
    }

    mutating func limit(to span: Duration) {
        end = min(end, .now + span)
        last = "is being cancelled"
    }

    mutating func takeRepeat() -> Bool {
        guard isRepeatDue || (!hasSteps && .now >= nextRepeat) else { return false }
        isRepeatDue = false
        gap = min(gap * 2, .seconds(30))
        nextRepeat = .now + gap
        return true
    }

    func line(_ command: OutgoingCommand) -> String {
        "\(command.device.map { "\($0): " } ?? "")\(command.verb): \(last), \(elapsed)"
    }
}
