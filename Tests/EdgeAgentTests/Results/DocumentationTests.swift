import BleCore
import EdgeAgent
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct DocumentationTests {
    let fixture: DecoderFixture
    let page: String
    let commands: JSONObject
    let results: JSONObject

    init() throws {
        fixture = try DecoderFixture()
        let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs")
        page = try String(contentsOf: docs.appending(path: "mqtt.md"), encoding: .utf8)
        commands = try parsed(Array(Data(contentsOf: docs.appending(path: "commands.schema.json"))))
        results = try parsed(Array(Data(contentsOf: docs.appending(path: "results.schema.json"))))
    }

    private func at(_ object: JSONObject, _ path: String...) throws -> JSONValue {
        var value = JSONValue.object(object)
        for name in path { value = try #require(value.object?[name], "no \(name) in \(path)") }
        return value
    }

    private func texts(_ value: JSONValue) throws -> [String] { try #require(value.array).compactMap(\.string) }

    private func names(_ value: JSONValue) throws -> Set<String> {
        Set(try #require(value.object).entries.map(\.key))
    }

    /// Topic and payload of each command in the page.
    private var examples: [(topic: String, payload: String)] {
        page.matches(of: /mosquitto_(?:pub|rr).*-t '([^']+)'.* -m '([^']+)'/).map { (String($0.1), String($0.2)) }
    }

    /// Each JSON block of the page.
    private var answers: [String] { page.matches(of: /```json\n(.*)\n```/).map { String($0.1) } }

    @Test func `every verb has its place in the page`() {
        for verb in VerbName.offered { #expect(page.contains("\n### `\(verb.rawValue)`\n"), "\(verb)") }
        for verb in VerbName.allCases where !verb.isOffered {
            #expect(!page.contains("### `\(verb.rawValue)`"), "\(verb)")
        }
    }

    @Test func `every command in the page is one`() throws {
        var verbs: Set<String> = []
        for (topic, payload) in examples {
            let read = try #require(fixture.tree.command(topic), "\(topic)")
            let command = try fixture.command(payload, on: read)
            #expect(command.warnings.isEmpty, "\(payload)")
            verbs.insert(command.request.name.rawValue)
        }
        #expect(verbs == Set(VerbName.offered.map(\.rawValue)))
    }

    @Test func `every error code stands in the page with its status`() {
        let rows = page.matches(of: /\n\| `([a-z-]+)` \| ([a-z]+) \| [^|]+ \| [^|]+ \|/).map {
            (String($0.1), String($0.2))
        }
        let table = rows.filter { ErrorCode(rawValue: $0.0) != nil }
        #expect(table.map(\.0).sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
        for (code, status) in table { #expect(ErrorCode(rawValue: code)?.status.rawValue == status, "\(code)") }
    }

    @Test func `the page says of a code what the agent says`() {
        let text = page.replacing("`", with: "")
        for code in ErrorCode.allCases {
            #expect(text.contains("| \(code.rawValue) | \(code.status.rawValue) | \(code.summary)"), "\(code)")
        }
    }

    @Test func `every result in the page has the fields that the agent writes`() throws {
        var verbs: Set<String> = []
        for answer in answers {
            let example = try parsed(Array(answer.utf8))
            guard let verb = example["verb"]?.string.flatMap(VerbName.init(rawValue:)) else {
                #expect(example.entries.map(\.key) == (try other(like: example)).entries.map(\.key), "\(answer)")
                continue
            }
            let real = try result(of: verb, like: example)
            #expect(example.entries.map(\.key) == real.entries.map(\.key), "\(answer)")
            if let shown = example["result"] {
                // What an answer has depends on the command; TransactPageTests carries the page's own out.
                if verb != .transact { try compare(shown, try #require(real["result"]), answer) }
                verbs.insert(verb.rawValue)
            }
            if let error = example["error"]?.object {
                #expect(error.entries.map(\.key) == real["error"]?.object?.entries.map(\.key))
            }
        }
        #expect(verbs == Set(VerbName.offered.map(\.rawValue)))
    }

    /// Objects need the same names; of lists the first elements count.
    private func compare(_ shown: JSONValue, _ real: JSONValue, _ answer: String) throws {
        switch (shown, real) {
        case (.object(let shown), .object(let real)):
            // Which UUIDs and companies there are differs from device to device.
            let isMap = real.entries.contains { $0.key.wholeMatch(of: /[0-9a-f]{4}/) != nil }
            guard !isMap, real.count > 0 else { return }
            #expect(shown.entries.map(\.key) == real.entries.map(\.key), "\(answer)")
            for (shown, real) in zip(shown.entries, real.entries) { try compare(shown.value, real.value, answer) }
        case (.array(let shown), .array(let real)):
            if let shown = shown.first, let real = real.first { try compare(shown, real, answer) }
        default: break
        }
    }

    private func stamp() -> MessageStamp {
        MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
    }

    private func heard() throws -> HeardDevice {
        HeardDevice(
            name: fixture.door.name,
            advertisement: Advertisement(address: fixture.door.address, adapter: "hci0", heard: 0)
        )
    }

    /// A message of the same kind that is no result.
    private func other(like example: JSONObject) throws -> JSONObject {
        if example["value"] != nil {
            return try parsed(NotifyMessage(device: fixture.door, value: [1], count: 1, kind: .notify).encode(stamp()))
        }
        if example["values"] != nil {
            let content = NotifyMessage.Content.values([[1], [2]])
            let message = NotifyMessage(device: fixture.door, content: content, count: 2, kind: .notify)
            return try parsed(message.encode(stamp()))
        }
        if example["services"] != nil {
            return try parsed(GattMessage(device: fixture.door, tree: ServiceTree()).encode(stamp()))
        }
        let session = try #require(example["session"]?.string.flatMap(SessionName.init))
        return try parsed(ScanBatchMessage(session: session, devices: [try heard()]).encode(stamp()))
    }

    /// What the agent writes for a command of the same verb with the same outcome.
    private func result(of verb: VerbName, like example: JSONObject) throws -> JSONObject {
        let isDevice = example["dev"] != nil
        let topic = isDevice ? DecoderFixture.onDoor : DecoderFixture.onGateway
        let command = try #require(
            examples.lazy.map { fixture.decode($0.payload, on: topic).command }.first { $0?.request.name == verb }
                ?? nil
        )
        let timing = try example["timing"].map { shown in
            let names = try names(shown)
            return ResultBody.Timing(
                queuedMs: names.contains("queuedMs") ? 1 : nil,
                connectMs: names.contains("connectMs") ? 1 : nil,
                discoverMs: names.contains("discoverMs") ? 1 : nil,
                runMs: names.contains("runMs") ? 1 : nil
            )
        }
        var body = ResultBody.ok(
            command,
            confirmed: .local,
            payload: try payload(of: verb, isDevice: isDevice),
            timing: timing
        )
        if let code = example["error"]?.object?["code"]?.string.flatMap(ErrorCode.init(rawValue:)) {
            switch code.status {
            case .rejected: body = .refused(command.refusal(code, detail: "x"))
            default:
                let isATT = code == .attError
                let dbus = isATT ? "org.bluez.Error.Failed" : nil
                let error = OperationError(code, att: isATT ? 0x85 : nil, dbus: dbus, detail: "x")
                body = .failed(command, error, applied: .no, timing: timing)
            }
        }
        return try parsed(ResultEncoder().encode(body, stamp: stamp()).payload)
    }

    private func payload(of verb: VerbName, isDevice: Bool) throws -> ResultPayload {
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
        case .transact:
            let parsed = TransactAnswer.Value(name: "x", value: .null, unit: "y")
            return .transact(TransactAnswer(packets: 1, value: [1], surplus: [2], parsed: [parsed]))
        default: return .already(false)
        }
    }

    @Test func `the schema of commands has every verb, and the fields that the agent reads`() throws {
        #expect(try texts(try at(commands, "properties", "verb", "enum")) == VerbName.offered.map(\.rawValue))
        let common = try names(try at(commands, "properties"))
        var fields: [String: Set<String>] = [:]
        for entry in try #require(try at(commands, "oneOf").array) {
            let properties = try #require(entry.object?["properties"])
            let verb = try #require(properties.object?["verb"]?.object?["const"]?.string)
            fields[verb] = try names(properties).union(common)
        }
        #expect(Set(fields.keys) == Set(VerbName.offered.map(\.rawValue)))
        let all = fields.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        for verb in VerbName.offered {
            let known = try #require(fields[verb.rawValue])
            for name in all.subtracting(["verb", "id", "client", "jitterMs"]) {
                // A value that fits nowhere: what matters is whether the field is looked at.
                let text = "{\"verb\":\"\(verb.rawValue)\",\"\(name)\":[[]]}"
                let topic = verb.place == .device ? DecoderFixture.onDoor : DecoderFixture.onGateway
                let decoded = fixture.decode(text, on: topic)
                let warnings = decoded.command?.warnings ?? decoded.refusal?.warnings ?? []
                #expect(warnings.isEmpty == known.contains(name), "\(verb) \(name)")
            }
        }
    }

    @Test func `the schema of commands has every value of an enumeration`() throws {
        let modes = try at(commands, "$defs", "filter", "properties", "mode", "enum")
        #expect(try texts(modes) == ScanRequest.Mode.allCases.map(\.rawValue))
        let entries = try #require(try at(commands, "oneOf").array).compactMap(\.object)
        let write = try #require(entries.first { $0["title"] == .string("write") })
        #expect(try texts(try at(write, "properties", "mode", "enum")) == WriteMode.allCases.map(\.rawValue))
        let connect = try #require(entries.first { $0["title"] == .string("connect") })
        #expect(
            try texts(try at(connect, "properties", "pick", "enum"))
                == ConnectMatchingRequest.Pick.allCases.map(\.rawValue)
        )
    }

    @Test func `the schema of results has every code, status and stage`() throws {
        let error = try #require(try at(results, "$defs", "error", "properties").object)
        #expect(try texts(try at(error, "code", "enum")).sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
        #expect(try texts(try at(error, "stage", "enum")) == ErrorStage.allCases.map(\.rawValue))
        let properties = try #require(try at(results, "properties").object)
        #expect(try texts(try at(properties, "status", "enum")) == ResultStatus.allCases.map(\.rawValue))
        #expect(try texts(try at(properties, "confirmed", "enum")) == Confirmed.allCases.map(\.rawValue))
        #expect(try texts(try at(properties, "verb", "enum")) == VerbName.allCases.map(\.rawValue).sorted())
    }

    @Test func `the schema of results has every field that the agent writes`() throws {
        let properties = try names(try at(results, "properties"))
        let branches = try #require(try at(results, "allOf").array).compactMap(\.object)
        for verb in VerbName.offered {
            let branch = try #require(
                branches.first { branch in
                    let wanted = branch["if"]?.object?["properties"]?.object?["verb"]?.object?["const"]
                    return wanted == .string(verb.rawValue)
                },
                "\(verb)"
            )
            let shape = try #require(branch["then"]?.object?["properties"]?.object?["result"]?.object)
            var writer = ResultBody.ok(
                try anyCommand(),
                confirmed: .local,
                payload: try payload(of: verb, isDevice: false),
                timing: .init(queuedMs: 1, connectMs: 1, discoverMs: 1, runMs: 1)
            )
            writer.warnings = ["x"]
            let real = try parsed(ResultEncoder().encode(writer, stamp: stamp()).payload)
            #expect(Set(real.entries.map(\.key)).isSubset(of: properties))
            var written = try names(try #require(real["result"]))
            // The fields of a long connection's result, and of a command's without an answer.
            if verb == .transact { written.formUnion(["subscription", "bytes"]) }
            #expect(written == (try names(try at(shape, "properties"))), "\(verb)")
        }
    }

    private func anyCommand() throws -> Command { try fixture.command(#"{"verb":"rssi"}"#) }
}
