internal import EdgeAgent
internal import MQTT

extension ControlSession {
    /// Subscribes to a characteristic, prints its values, and ends the subscription at the end.
    func listen(_ command: OutgoingCommand, _ topics: ControlTopics) async throws -> ControlOutcome {
        guard let device = command.device else { return .usage }
        var bounds = Bounds(invocation)
        // The values come under the device's published name, which may be another one than was written.
        var name = device
        try await subscribe([topics.values(device)])
        var early: [MQTTMessage] = []
        let result = try await perform(command, topics) { happening in
            if case .message(let message) = happening { early.append(message) }
        }
        guard result.outcome == .ok else { return show(result, of: command) }
        warn(result)
        let published = result.object["dev"]?.string ?? device
        if published != device {
            name = published
            try await subscribe([topics.values(published)])
        }
        let prefix = "\(topics.base)dev/\(name)/notify/"
        let wanted = Characteristic(command)
        if isInterrupted { bounds.end() }
        for message in early where !bounds.isOver { take(message, prefix, wanted, &bounds) }
        while !bounds.isOver, !output.isReaderGone {
            switch await next() {
            case .message(let message): take(message, prefix, wanted, &bounds)
            case .interrupt: bounds.end()
            default: break
            }
        }
        var last = command
        last.verb = "unsubscribe"
        last.fields = command.fields.filter { ["service", "characteristic", "handle"].contains($0.name) }
        let ended = try await perform(last, topics)
        if ended.outcome != .ok { output.note(failure(ended, last)) }
        if dropped > 0 { output.note("\(dropped) values came faster than they could be printed") }
        return .ok
    }

    private func take(
        _ message: MQTTMessage,
        _ prefix: String,
        _ wanted: Characteristic,
        _ bounds: inout Bounds
    ) {
        guard !message.retain, message.topic.hasPrefix(prefix) else { return }
        guard wanted.isMeant(by: String(message.topic.dropFirst(prefix.count))) else { return }
        guard let object = Payload.object(message.payload) else { return }
        bounds.count()
        if output.isJSON {
            output.json(message.payload)
            return
        }
        let values = object["values"]?.array ?? object["value"].map { [$0] } ?? []
        for value in values {
            output.line("\(Cell.time(object["ts"])) \(Cell.of(value.object?["hex"], limit: 2048))")
        }
    }

    /// Prints what a gateway, or one of its devices, tells until Ctrl-C.
    func watch() async throws -> ControlOutcome {
        let topics = try await chooseGateway()
        // Command topics are left out: what others send may hold codes.
        let device = invocation.operands.first ?? "+"
        let ofDevice = ["job", "link", "event", "avail", "state", "gatt", "notify/#"].map { "dev/\(device)/\($0)" }
        let ofGateway = ["status", "bluetooth", "health", "adapter/+", "pair", "scan/+/state"]
        let levels = ofDevice + (invocation.operands.isEmpty ? ofGateway : [])
        try await subscribe(levels.map { topics.base + $0 })
        var bounds = Bounds(invocation)
        while !bounds.isOver, !output.isReaderGone {
            switch await next() {
            case .message(let message):
                guard message.topic.hasPrefix(topics.base) else { continue }
                bounds.count()
                show(message, String(message.topic.dropFirst(topics.base.count)))
            case .interrupt: bounds.end()
            default: break
            }
        }
        if dropped > 0 { output.note("\(dropped) messages came faster than they could be printed") }
        return .ok
    }

    private func show(_ message: MQTTMessage, _ level: String) {
        let object = Payload.object(message.payload)
        let text = String(decoding: message.payload, as: UTF8.self)
        if output.isJSON {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("topic", message.topic)
            writer.field("retained", message.retain)
            writer.key("payload")
            writer.json(object.map { .object($0) } ?? .string(text))
            writer.endObject()
            output.json(writer.bytes)
            return
        }
        let hidden: Set<String> = ["gw", "boot", "seq", "ts", "address", "dev"]
        let members = object?.entries.filter { !hidden.contains($0.key) }
            .map { "\(Cell.plain($0.key))=\(Cell.of($0.value, limit: 160))" }
        let time =
            object?["ts"] == nil ? String(UTCTime.now.description.dropFirst(11).prefix(8)) : Cell.time(object?["ts"])
        let mark = message.retain ? " (kept)" : ""
        output.line("\(time) \(Cell.plain(level))\(mark) \(members?.joined(separator: " ") ?? Cell.plain(text))")
    }
}

/// Which characteristic's values are meant.
private struct Characteristic {
    private let uuids: String?
    private let handle: String?

    init(_ command: OutgoingCommand) {
        func field(_ name: String) -> JSONValue? { command.fields.last { $0.name == name }?.value }
        handle = field("handle")?.integer.map { "@\($0)" }
        uuids = field("service")?.string.flatMap { service in
            field("characteristic")?.string.map { Self.short(service) + "/" + Self.short($0) }
        }
    }

    /// Whether the end of a topic, `{service}/{characteristic}`, names it; by a handle alone any may be meant.
    func isMeant(by levels: String) -> Bool {
        if let uuids { return levels == uuids || levels.hasPrefix(uuids + "@") }
        guard let handle, levels.contains("@") else { return true }
        return levels.hasSuffix(handle)
    }

    /// A UUID as topics write it: the shortest form, lower case.
    private static func short(_ uuid: String) -> String {
        let digits = uuid.lowercased().filter { $0 != "-" }
        if digits.count == 32, digits.hasSuffix("00001000800000805f9b34fb") {
            let head = String(digits.prefix(8))
            return head.hasPrefix("0000") ? String(head.dropFirst(4)) : head
        }
        if digits.count == 8, digits.hasPrefix("0000") { return String(digits.dropFirst(4)) }
        guard digits.count == 32 else { return digits }
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        return text
    }
}

/// When a command that goes on by itself ends: after so many messages, or after a time.
private struct Bounds {
    private var left: Int64?
    private var deadline: ContinuousClock.Instant?

    init(_ invocation: ControlInvocation) {
        left = invocation.value("--count").flatMap { Int64($0) }
        deadline = invocation.value("--duration").flatMap { TimeText.duration($0) }.map { .now + $0 }
    }

    var isOver: Bool { left.map { $0 <= 0 } ?? false || deadline.map { .now >= $0 } ?? false }
    mutating func count() { left = left.map { $0 - 1 } }
    mutating func end() { left = 0 }
}
