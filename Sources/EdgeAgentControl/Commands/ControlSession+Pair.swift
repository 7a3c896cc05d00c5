package import EdgeAgent
internal import Glibc
internal import MQTT

extension ControlSession {
    /// Pairs with a device, and asks at the terminal what the device asks for.
    func pair(_ command: OutgoingCommand, _ topics: ControlTopics) async throws -> ControlOutcome {
        guard let device = command.device else { return .usage }
        try await subscribe([topics.pair])
        readLines()
        var open: Prompt?
        // A script may write its answer before the question comes; on a terminal that would be a slip.
        let keepsEarly = isatty(STDIN_FILENO) == 0
        var early: [String?] = []
        let result = try await perform(command, topics) { happening in
            switch happening {
            case .message(let message) where message.topic == topics.pair:
                guard let prompt = Payload.object(message.payload).flatMap({ Prompt($0) }), prompt.isOf(device) else {
                    return
                }
                if let question = prompt.question {
                    output.ask(question)
                    open = prompt.wantsAnswer ? prompt : nil
                } else if prompt.id == open?.id {
                    output.note("the question is over: \(Cell.plain(prompt.state))")
                    open = nil
                }
            case .line(let text): if open != nil || keepsEarly { early.append(text) }
            default: return
            }
            while let prompt = open, !early.isEmpty {
                guard let answer = prompt.answer(early.removeFirst()) else {
                    output.ask("not understood. \(prompt.question ?? "")")
                    continue
                }
                open = nil
                try await send(prompt, answer, device, topics)
            }
        }
        return show(result, of: command)
    }

    /// Sends an answer; what becomes of it is the result of the pairing.
    private func send(
        _ prompt: Prompt,
        _ answer: (name: String, value: JSONValue),
        _ device: String,
        _ topics: ControlTopics
    ) async throws {
        let fields: [(name: String, value: JSONValue)] = [("prompt", .string(prompt.id)), answer]
        let command = OutgoingCommand(verb: "pair.answer", device: device, fields: fields)
        let payload = command.payload(id: BootID.make(), client: topics.client, ttl: settings.wait)
        try await publish(payload, to: topics.command(device), expiry: settings.wait)
    }
}

/// What a device asks for while it is paired.
package struct Prompt {
    package let id: String
    package let state: String
    private let kind: String
    private let number: String?
    private let names: Set<String>
    private let service: String?

    /// Reads a message of the `pair` topic; nil when it is none.
    package init?(_ object: JSONObject) {
        guard let id = object["prompt"]?.string, let state = object["state"]?.string else { return nil }
        self.id = id
        self.state = state
        kind = object["kind"]?.string ?? ""
        number = object["passkey"]?.string ?? object["pin"]?.string
        names = Set([object["dev"]?.string, object["address"]?.string].compactMap(\.self))
        service = object["service"]?.string
    }

    /// Whether it is about this device.
    func isOf(_ device: String) -> Bool { names.contains(device) }

    /// Whether somebody has to say something.
    package var wantsAnswer: Bool { kind != "display" }

    /// What to ask; nil when the prompt is over.
    package var question: String? {
        guard state == "open" || state == "changed" else { return nil }
        let shown = number.map { Cell.plain($0) } ?? "?"
        return switch kind {
        case "confirm": "Does the device show \(shown)? [yes/no]"
        case "passkey": "The six digits that the device shows:"
        case "pin": "The device's code:"
        case "display": "Type \(shown) at the device.\n"
        case "authorize" where service != nil: "May the device use service \(Cell.plain(service ?? ""))? [yes/no]"
        case "authorize": "May the device pair? [yes/no]"
        default: nil
        }
    }

    /// The answer that a typed line gives; nil when it gives none.
    ///
    /// The end of the input refuses.
    package func answer(_ line: String?) -> (name: String, value: JSONValue)? {
        let refusal = (name: "accept", value: JSONValue.bool(false))
        guard let line else { return refusal }
        let text = String(line.drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "\r" }.reversed())
        switch kind {
        case "confirm", "authorize":
            switch text.lowercased() {
            case "y", "yes": return ("accept", .bool(true))
            case "n", "no", "": return refusal
            default: return nil
            }
        case "passkey":
            guard text.utf8.count == 6, Int64(text) != nil else { return text.isEmpty ? refusal : nil }
            return ("passkey", .string(text))
        case "pin": return text.isEmpty ? refusal : ("pin", .string(text))
        default: return nil
        }
    }
}
