import Frames

/// Reads commands as they come in from the broker: values in, values out.
package struct CommandDecoder: Sendable {
    /// The bounds of what is taken.
    package struct Limits: Sendable, Equatable {
        package var maxPayloadBytes: Int
        /// How long a command without a time of its own may wait.
        package var defaultTTL: Duration
        /// Whether commands to all gateways may change something.
        package var allMayChange: Bool

        package init(
            maxPayloadBytes: Int = 65_536,
            defaultTTL: Duration = .milliseconds(600_000),
            allMayChange: Bool = false
        ) {
            self.maxPayloadBytes = maxPayloadBytes
            self.defaultTTL = defaultTTL
            self.allMayChange = allMayChange
        }
    }

    package let limits: Limits
    package let rule: ResponseTopicRule
    package let devices: DeviceDirectory
    package let groups: GroupDirectory

    package init(
        limits: Limits = Limits(),
        rule: ResponseTopicRule,
        devices: DeviceDirectory = DeviceDirectory(),
        groups: GroupDirectory = GroupDirectory()
    ) {
        self.limits = limits
        self.rule = rule
        self.devices = devices
        self.groups = groups
    }

    /// Reads one message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - clockIsWrong: Whether the wall clock is known to be wrong.
    ///   - isKnown: Whether a command of that caller with that id has been answered or is under way; asked for retained
    ///     messages only.
    ///   - makeID: Makes an id that nobody else uses: `[A-Za-z0-9_-]{1,64}`.
    /// - Returns: The command, the refusal that answers it, or why it gets no answer.
    package func decode(
        _ message: IncomingCommand,
        clockIsWrong: Bool = false,
        isKnown: (_ client: String, _ id: CommandID) -> Bool = { _, _ in false },
        makeID: () -> String
    ) -> DecodedCommand {
        guard message.topic != .status, message.topic != .desired else { return .ignored(.notACommand) }
        guard !message.payload.isEmpty else { return .ignored(.emptyPayload) }
        if case .set(let device, let name) = message.topic {
            return decodeSet(device: device, name: name, message, makeID: makeID)
        }

        var fields: FieldReader?
        var unreadable: OperationError?
        do {
            fields = FieldReader(try object(message.payload))
        } catch {
            unreadable = OperationError(error.isTooLarge ? .payloadTooLarge : .badRequest, detail: error.description)
        }
        let envelope = CommandEnvelope(message, fields: &fields, makeID: makeID)
        if message.isRetained {
            guard envelope.hasOwnID else { return .ignored(.retainedWithoutID) }
            guard !isKnown(envelope.client, envelope.id) else { return .ignored(.retainedCopy) }
        }
        let (reply, isDenied) = replyAddress(message, envelope)
        let origin = CommandOrigin(
            id: envelope.id,
            client: envelope.client,
            isAnonymous: envelope.isAnonymous,
            hasOwnID: envelope.hasOwnID,
            identity: envelope.identity,
            target: .gateway(all: message.topic.isAll),
            verb: nil,
            reply: reply
        )
        guard unreadable == nil, var fields else {
            return .refused(Refusal(origin: origin, error: unreadable ?? OperationError(.badRequest, detail: "")))
        }
        var draft = CommandDraft(origin: origin, problems: envelope.problems)
        if let verb = fields.object["verb"]?.string.flatMap(VerbName.init(rawValue:)) {
            draft.origin.verb = verb
            draft.changesSomething = verb.changesSomething
        }
        if message.isRetained {
            let detail = "a retained message is never carried out: publish the command without the retain flag"
            return draft.refused(.retainedCommand, detail)
        }
        if let conflict = envelope.conflict { return draft.refused(.conflictingEnvelope, conflict) }
        if isDenied {
            let detail = "the response topic is none that this caller may use; the answer came here instead"
            return draft.refused(.responseTopicDenied, detail)
        }
        return decode(message, &fields, &draft, clockIsWrong: clockIsWrong)
    }

    /// Reads a bare value for what a profile names: a `run` by the caller `set`.
    private func decodeSet(
        device: String,
        name: String,
        _ message: IncomingCommand,
        makeID: () -> String
    ) -> DecodedCommand {
        guard !message.isRetained else { return .ignored(.retainedWithoutID) }
        var none: FieldReader?
        var envelope = CommandEnvelope(message, fields: &none, makeID: makeID)
        envelope.client = "set"
        let (reply, isDenied) = replyAddress(message, envelope)
        let id = CommandID(made: envelope.id.text, echo: .text(envelope.id.text))
        var origin = CommandOrigin(
            id: id,
            client: envelope.client,
            hasOwnID: false,
            identity: "set",
            target: .gateway(all: false),
            verb: .run,
            reply: reply
        )
        let target = resolve(device)
        if let target { origin.target = .device(target) }
        let draft = CommandDraft(origin: origin, problems: [], changesSomething: true)
        if isDenied { return draft.refused(.responseTopicDenied, "the response topic is none that may be used") }
        guard message.payload.count <= limits.maxPayloadBytes else {
            let failure = JSONFailure.tooLarge(bytes: message.payload.count, limit: limits.maxPayloadBytes)
            return draft.refused(.payloadTooLarge, failure.description)
        }
        guard target != nil else { return draft.refused(.unknownDevice, Self.unknownDevice(device)) }
        guard NamePattern.isItemName(name) else {
            return draft.refused(.unknownCommand, "the device has no value or command \(quoted(name))")
        }
        guard message.payload.count <= RunRequest.maxTextBytes,
            let text = String(validating: message.payload, as: UTF8.self)
        else {
            return draft.refused(.badRequest, "expected a text in UTF-8 of at most \(RunRequest.maxTextBytes) bytes")
        }
        let request = VerbRequest.run(RunRequest(name: name, arguments: .bare(text)))
        let ttl = message.properties.messageExpirySeconds.map { min(.seconds(Int64($0)), limits.defaultTTL) }
        let left = (ttl ?? limits.defaultTTL).wholeMilliseconds
        return .command(
            Command(
                origin: origin,
                request: request,
                timeout: request.defaultTimeout,
                expiry: Expiry(
                    wallMs: saturatingSum(message.arrivedMs, left),
                    monotonic: message.arrivedMonotonic + .milliseconds(left)
                )
            )
        )
    }

    private func object(_ payload: [UInt8]) throws(JSONFailure) -> JSONObject {
        let value = try JSONReader(maxBytes: limits.maxPayloadBytes).read(payload)
        guard let object = value.object else { throw .syntax(at: 0) }
        return object
    }

    /// Where the answer goes, and whether the place that the caller named was denied.
    private func replyAddress(
        _ message: IncomingCommand,
        _ envelope: CommandEnvelope
    ) -> (address: ReplyAddress, isDenied: Bool) {
        let data = message.properties.correlationData
        if let topic = message.properties.responseTopic, rule.allows(topic, for: envelope.client) {
            return (ReplyAddress(topic: topic, correlationData: data), false)
        }
        let topic = rule.tree.result(client: envelope.client, id: envelope.id.text)
        return (ReplyAddress(topic: topic, correlationData: data), message.properties.responseTopic != nil)
    }

    /// The device that a level of a topic means.
    func resolve(_ level: String) -> DeviceTarget? {
        guard let name = DeviceName(level), let address = devices.address(of: name) else { return nil }
        return DeviceTarget(address: address, name: devices.name(of: address))
    }

    static func unknownDevice(_ level: String) -> String {
        DeviceName(level) == nil
            ? "\(quoted(level)) is neither an address of 12 lower-case hexadecimal digits nor an alias"
            : "no device has the alias \(quoted(level))"
    }
}

extension JSONFailure {
    var isTooLarge: Bool {
        if case .tooLarge = self { true } else { false }
    }
}

extension CommandTopic {
    /// Whether the topic speaks to every gateway.
    var isAll: Bool {
        if case .all = self { true } else { false }
    }
}
