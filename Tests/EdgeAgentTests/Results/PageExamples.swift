import BleCore
import EdgeAgent
import Frames
import Profiles
import Testing

/// The commands and answers that `docs/mqtt.md` shows, and what the agent writes in their place.
struct PageExamples {
    let fixture: DecoderFixture
    let page: String

    /// Topic and payload of each command in the page.
    var commands: [(topic: String, payload: String)] {
        page.matches(of: /mosquitto_(?:pub|rr).*-t '([^']+)'.* -m '([^']+)'/).map { (String($0.1), String($0.2)) }
    }

    /// Each JSON block of the page.
    var answers: [String] { page.matches(of: /```json\n(.*)\n```/).map { String($0.1) } }

    func stamp() -> MessageStamp {
        MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
    }

    /// What the agent writes for a command of the same verb with the same outcome.
    func result(of verb: VerbName, like example: JSONObject) throws -> JSONObject {
        let encoded = ResultEncoder().encode(try body(of: verb, like: example), stamp: stamp())
        return try parsed(example["replayed"] == nil ? encoded.payload : encoded.replayedPayload)
    }

    /// A message of the same kind that is no result.
    func message(like example: JSONObject) throws -> JSONObject {
        if example["inForce"] != nil {
            let reported = ReportedConfiguration(state: .rejected, configuration: "", reason: "x")
            return try parsed(reported.encode(stamp()))
        }
        if example["event"] == .string("value") {
            let event = EventMessage.Event.value(DecodedEvent("button", type: "press"))
            return try parsed(EventMessage(device: fixture.door, event: event).encode(stamp()))
        }
        if example["value"] != nil {
            return try parsed(NotifyMessage(device: fixture.door, value: [1], count: 1, kind: .notify).encode(stamp()))
        }
        if example["values"] != nil {
            let content = NotifyMessage.Content.values([[1], [2]])
            let message = NotifyMessage(device: fixture.door, content: content, count: 2, kind: .notify)
            return try parsed(message.encode(stamp()))
        }
        if example["prompt"] != nil {
            let message = PairingMessage(
                device: fixture.door,
                prompt: "9e",
                kind: .confirm(passkey: 1),
                state: .open,
                expiresMs: 0
            )
            return try parsed(message.encode(stamp()))
        }
        if example["services"] != nil {
            return try parsed(GattMessage(device: fixture.door, tree: ServiceTree()).encode(stamp()))
        }
        if example["event"] == .string("recovery") {
            let event = EventMessage.Event.recovery(.cancelConnect, .connectInProgress, adapter: AdapterName("hci0"))
            return try parsed(EventMessage(device: fixture.door, event: event).encode(stamp()))
        }
        if example["nextTryMs"] != nil {
            let state = LinkMessage(
                device: fixture.door,
                state: .disconnected,
                reason: "link-lost",
                sinceMs: 0,
                attempt: 3,
                nextTryMs: 1
            )
            return try parsed(state.encode(stamp()))
        }
        if example["temperature"] != nil {
            let values = ["temperature", "humidity", "battery"].map { DecodedValue($0, .null) }
            return try parsed(StateMessage(values).encode())
        }
        let session = try #require(example["session"]?.string.flatMap(SessionName.init))
        return try parsed(ScanBatchMessage(session: session, devices: [try heard()]).encode(stamp()))
    }

    private func heard() throws -> HeardDevice {
        HeardDevice(
            name: fixture.door.name,
            advertisement: Advertisement(address: fixture.door.address, adapter: "hci0", heard: 0)
        )
    }

    private func command(_ verb: VerbName, on topic: CommandTopic) throws -> Command {
        try #require(
            commands.lazy.compactMap { fixture.decode($0.payload, on: topic).command }
                .first { $0.request.name == verb && $0.warnings.isEmpty }
        )
    }

    private func body(of verb: VerbName, like example: JSONObject) throws -> ResultBody {
        let isDevice = example["dev"] != nil
        let isGroup = example["group"] != nil
        let topic = isDevice ? DecoderFixture.onDoor : DecoderFixture.onGateway
        let command = try command(verb, on: isGroup ? DecoderFixture.onLights : topic)
        let timing = try timing(like: example)
        let status = try #require(example["status"]?.string.flatMap(ResultStatus.init(rawValue:)))
        switch status {
        case .accepted: return .accepted(command, place: 0)
        case .started: return .started(command)
        case .retrying:
            return .retrying(command, attempt: 2, after: try error(like: try #require(example["error"]?.object)))
        default: break
        }
        if isGroup || verb == .sequence, status != .rejected {
            let entries = example["result"]?.object?[isGroup ? "members" : "steps"]?.array
            let parts = try #require(entries).compactMap(\.object).map { try part(like: $0) }
            return .combined(command, parts, payload: isGroup ? .members(parts) : .steps(parts), timing: timing)
        }
        if let shown = example["error"]?.object {
            let error = try error(like: shown)
            guard status != .rejected else { return .refused(command.refusal(error.code, detail: "x")) }
            return .failed(command, error, applied: .no, timing: timing)
        }
        var body = ResultBody.ok(
            command,
            confirmed: .local,
            payload: try payload(of: verb, isDevice: isDevice),
            timing: timing
        )
        body.lastError = try example["lastError"]?.object.map { try error(like: $0) }
        return body
    }

    private func timing(like example: JSONObject) throws -> ResultBody.Timing? {
        try example["timing"].map { shown in
            let shown = try #require(shown.object)
            return ResultBody.Timing(
                queuedMs: shown["queuedMs"] == nil ? nil : 1,
                connectMs: shown["connectMs"] == nil ? nil : 1,
                discoverMs: shown["discoverMs"] == nil ? nil : 1,
                runMs: shown["runMs"] == nil ? nil : 1
            )
        }
    }

    private func error(like shown: JSONObject) throws -> OperationError {
        OperationError(
            try #require(shown["code"]?.string.flatMap(ErrorCode.init(rawValue:))),
            at: try #require(shown["stage"]?.string.flatMap(ErrorStage.init(rawValue:))),
            retryAfterMs: shown["retryAfterMs"] == nil ? nil : 1,
            att: shown["att"] == nil ? nil : 0x85,
            dbus: shown["dbus"] == nil ? nil : "org.bluez.Error.Failed",
            missing: shown["missing"] == nil ? [] : [1],
            detail: "x"
        )
    }

    /// A step or member with the same outcome.
    private func part(like entry: JSONObject) throws -> PartResult {
        let verb = try #require(entry["verb"]?.string.flatMap(VerbName.init(rawValue:)))
        var command = try command(verb, on: DecoderFixture.onDoor)
        let error = try entry["error"]?.object.map { try self.error(like: $0) }
        let applied = entry["applied"] == .string("maybe") ? Applied.maybe : .no
        let confirmed = entry["confirmed"]?.string.flatMap(Confirmed.init(rawValue:)) ?? .local
        let outcome = VerbOutcome(confirmed: confirmed, payload: try payload(of: verb, isDevice: true))
        guard let name = entry["dev"]?.string else {
            return error.map { .failed(command.request, $0, applied: applied) } ?? .ok(command.request, outcome)
        }
        command.origin.target = .device(try #require(fixture.lights.first { $0.name.description == name }))
        let body =
            error.map { ResultBody.failed(command, $0, applied: applied) }
            ?? .ok(command, outcome, timing: nil, attempt: 1)
        return PartResult(body, verb: verb)
    }

    /// What a verb may answer, with every field that it may have; that of a job as far as it is.
    func payload(of verb: VerbName, isDevice: Bool) throws -> ResultPayload {
        let limits = InfoContent.Limits(
            maxPayloadBytes: 1,
            maxResultBytes: 1,
            maxQueuedPerDevice: 1,
            maxQueuedTotal: 1,
            maxSteps: 1,
            replayWindow: .init()
        )
        switch verb {
        case .ping: return .pong(version: "1", uptimeMs: 1)
        case .info: return .info(InfoContent(version: "1", mqttVersion: "5", limits: limits))
        case .devices: return .devices([KnownDevice(device: fixture.door, addressType: .random)], isTruncated: false)
        case .scan: return .scan([try heard()], isTruncated: false)
        case .scanStart, .scanStop: return .session(try #require(SessionName("hall")), already: false)
        case .connect:
            return .connected(
                .init(mtu: 247, already: false, address: fixture.door.address, name: isDevice ? nil : fixture.door.name)
            )
        case .discover:
            let characteristic = ServiceTree.Characteristic(
                uuid: 1,
                handle: 1,
                descriptors: [.init(uuid: 1, handle: 1)]
            )
            return .services(ServiceTree(services: [.init(uuid: 1, handle: 1, characteristics: [characteristic])]))
        case .read: return .value([1])
        case .write: return .written(bytes: 1, packets: 1)
        case .rssi: return .rssi(-60, ageMs: 1)
        case .transact, .run:
            let parsed = TransactAnswer.Value(name: "x", value: .null, unit: "y")
            return .transact(TransactAnswer(packets: 1, value: [1], surplus: [2], parsed: [parsed]))
        case .sequence: return .steps([.notBegun(.rssi, detail: "x")])
        case .jobs: return .jobs([try job(.running), try job(.waiting)], isTruncated: false)
        case .job: return .job(try job(.ended), steps: try steps())
        case .cancel: return .cancelled(1)
        case .pair where isDevice: return .paired(already: false, bonded: true)
        case .pair: return .pairingWindow(already: false, endsMs: 0)
        case .logLevel: return .logLevel(.debug, former: .info, endsMs: 0)
        case .configGet:
            let configuration = Configuration(gateway: fixture.tree.gateway.text)
            return .configuration(ConfigurationContent(configuration, section: "values", hash: "x"))
        case .pairAnswer, .restart: return .nothing
        case .diag:
            return .checks([
                CheckResult(.power, .failed("hci0 is off", mend: "bluetoothctl power on")),
                CheckResult(.discovery, .skipped("needs adapter.power")),
            ])
        default: return .already(false)
        }
    }

    /// A job of the door.
    func job(_ state: JobSummary.State) throws -> JobSummary {
        JobSummary(
            number: 1,
            origin: try command(.read, on: DecoderFixture.onDoor).origin,
            state: state,
            place: state == .waiting ? 1 : nil,
            acceptedMs: 0,
            runMs: state == .running ? 1 : nil,
            attempt: state == .waiting ? nil : 1,
            stage: state == .running ? .connect : nil
        )
    }

    private func steps() throws -> [JobStep] {
        let command = try command(.read, on: DecoderFixture.onDoor)
        return [
            ResultBody.accepted(command, place: 0), .started(command),
            .retrying(command, attempt: 2, after: OperationError(.connectFailed, detail: "x")),
            .ok(command, confirmed: .read, payload: .value([1]), attempt: 2),
        ].map { JobStep($0, timeMs: 0) }
    }
}
