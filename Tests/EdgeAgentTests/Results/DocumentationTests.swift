import BleCore
import EdgeAgent
import Foundation
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct DocumentationTests {
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

    private var examples: PageExamples { PageExamples(fixture: fixture, page: page) }

    @Test func `every verb has its place in the page`() {
        for verb in VerbName.sorted { #expect(page.contains("\n### `\(verb.rawValue)`\n"), "\(verb)") }
    }

    @Test func `every command in the page is one`() throws {
        var verbs: Set<String> = []
        for (topic, payload) in examples.commands {
            let read = try #require(fixture.tree.command(topic), "\(topic)")
            let command = try fixture.command(payload, on: read)
            #expect(command.warnings.isEmpty, "\(payload)")
            verbs.insert(command.request.name.rawValue)
        }
        #expect(verbs == Set(VerbName.sorted.map(\.rawValue)))
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
        for answer in examples.answers {
            let example = try parsed(Array(answer.utf8))
            guard let verb = example["verb"]?.string.flatMap(VerbName.init(rawValue:)) else {
                let real = try examples.message(like: example)
                #expect(example.entries.map(\.key) == real.entries.map(\.key), "\(answer)")
                continue
            }
            let real = try examples.result(of: verb, like: example)
            #expect(example.entries.map(\.key) == real.entries.map(\.key), "\(answer)")
            if let shown = example["result"] {
                // What an answer has depends on the command; TransactPageTests carries the page's own out.
                if verb != .transact, verb != .run { try compare(shown, try #require(real["result"]), answer) }
                if example["status"] == .string("ok") { verbs.insert(verb.rawValue) }
            }
            for name in ["error", "lastError"] {
                guard let error = example[name]?.object else { continue }
                #expect(error.entries.map(\.key) == real[name]?.object?.entries.map(\.key), "\(answer)")
            }
        }
        #expect(verbs == Set(VerbName.sorted.map(\.rawValue)))
    }

    @Test func `what the page says of a sequence and of a group follows from their parts`() throws {
        var kinds: Set<String> = []
        for answer in examples.answers {
            let example = try parsed(Array(answer.utf8))
            guard let result = example["result"]?.object,
                example["group"] != nil || example["verb"] == .string("sequence")
            else { continue }
            let verb = try #require(example["verb"]?.string.flatMap(VerbName.init(rawValue:)))
            let real = try examples.result(of: verb, like: example)
            for name in ["status", "confirmed", "applied", "step"] { #expect(example[name] == real[name], "\(answer)") }
            for name in ["code", "stage", "retryable", "step", "dev"] {
                #expect(example["error"]?.object?[name] == real["error"]?.object?[name], "\(answer)")
            }
            kinds.formUnion(result.entries.map(\.key))
        }
        #expect(kinds == ["steps", "members"])
    }

    /// Objects need the same names; of lists the elements that both have are compared.
    private func compare(_ shown: JSONValue, _ real: JSONValue, _ answer: String) throws {
        switch (shown, real) {
        case (.object(let shown), .object(let real)):
            // Which UUIDs and companies there are differs from device to device.
            let isMap = real.entries.contains { $0.key.wholeMatch(of: /[0-9a-f]{4}/) != nil }
            guard !isMap, real.count > 0 else { return }
            #expect(shown.entries.map(\.key) == real.entries.map(\.key), "\(answer)")
            for (shown, real) in zip(shown.entries, real.entries) { try compare(shown.value, real.value, answer) }
        case (.array(let shown), .array(let real)):
            for (shown, real) in zip(shown, real) { try compare(shown, real, answer) }
        default: break
        }
    }

    @Test func `the schema of commands has every verb, and the fields that the agent reads`() throws {
        #expect(try texts(try at(commands, "properties", "verb", "enum")) == VerbName.sorted.map(\.rawValue))
        let common = try names(try at(commands, "properties"))
        var fields: [String: Set<String>] = [:]
        for entry in try #require(try at(commands, "oneOf").array) {
            let properties = try #require(entry.object?["properties"])
            let verb = try #require(properties.object?["verb"]?.object?["const"]?.string)
            fields[verb] = try names(properties).union(common)
        }
        #expect(Set(fields.keys) == Set(VerbName.sorted.map(\.rawValue)))
        let all = fields.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        for verb in VerbName.sorted {
            let known = try #require(fields[verb.rawValue])
            for name in all.subtracting(["verb", "id", "client", "jitterMs", "concurrency"]) {
                // A value that fits nowhere: what matters is whether the field is looked at.
                let text = "{\"verb\":\"\(verb.rawValue)\",\"\(name)\":[[]]}"
                let topic = verb.place == .device ? DecoderFixture.onDoor : DecoderFixture.onGateway
                let decoded = fixture.decode(text, on: topic)
                let warnings = decoded.command?.warnings ?? decoded.refusal?.warnings ?? []
                #expect(warnings.isEmpty == known.contains(name), "\(verb) \(name)")
            }
        }
    }

    @Test func `fields for many at once are looked at where many are addressed`() throws {
        for name in ["jitterMs", "concurrency"] {
            let text = "{\"verb\":\"rssi\",\"\(name)\":[[]]}"
            let refusal = try fixture.refusal(text, on: DecoderFixture.onLights)
            #expect(refusal.error.detail.hasPrefix("\(name): expected a whole number"))
            #expect(try fixture.command(text).warnings == ["ignored field \"\(name)\""])
        }
    }

    @Test func `the schema of commands has the verbs and fields of a step`() throws {
        let step = try #require(try at(commands, "$defs", "step").object)
        let verbs = VerbName.sorted.filter(\.mayBeStep).map(\.rawValue)
        #expect(try texts(try at(step, "properties", "verb", "enum")) == verbs)
        #expect(try #require(try at(step, "oneOf").array).map { $0.object?["$ref"]?.string } == verbs.map { "#\($0)" })
        let entries = try #require(try at(commands, "oneOf").array).compactMap(\.object)
        for entry in entries {
            #expect(entry["$anchor"] == (verbs.contains(entry["title"]?.string ?? "") ? entry["title"] : nil))
        }
        let common = try names(try at(step, "properties"))
        for name in ["timeoutMs", "retry", "priority", "ack", "ttlMs", "adapter"] {
            let text = "{\"verb\":\"sequence\",\"steps\":[{\"verb\":\"rssi\",\"\(name)\":[[]]}]}"
            let isKnown = fixture.decode(text).refusal?.error.detail.hasPrefix("steps[0].\(name): expected") ?? false
            #expect(isKnown == common.contains(name), "\(name)")
        }
        let sequence = try #require(entries.first { $0["title"] == .string("sequence") })
        #expect(try at(sequence, "properties", "steps", "maxItems") == .integer(Int64(SequenceRequest.maxSteps)))
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
        let sequence = try #require(entries.first { $0["title"] == .string("sequence") })
        #expect(
            try texts(try at(sequence, "properties", "onError", "enum"))
                == SequenceRequest.OnError.allCases.map(\.rawValue)
        )
        let pair = try #require(entries.first { $0["title"] == .string("pair") })
        #expect(
            try texts(try at(pair, "properties", "capability", "enum")) == CapabilityName.allCases.map(\.rawValue)
        )
        let window = try at(pair, "properties", "windowMs", "maximum")
        #expect(window == .integer(Int64(PairingWindowRequest.longestMs)))
        let priority = try at(commands, "properties", "priority", "enum")
        #expect(try texts(priority) == CommandPriority.allCases.map(\.rawValue))
    }

    @Test func `the schema of results has every code, status and stage`() throws {
        let error = try #require(try at(results, "$defs", "error", "properties").object)
        #expect(try texts(try at(error, "code", "enum")).sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
        #expect(try texts(try at(error, "stage", "enum")) == ErrorStage.allCases.map(\.rawValue))
        let properties = try #require(try at(results, "properties").object)
        #expect(try texts(try at(properties, "status", "enum")) == ResultStatus.allCases.map(\.rawValue))
        #expect(try texts(try at(properties, "confirmed", "enum")) == Confirmed.allCases.map(\.rawValue))
        #expect(try texts(try at(properties, "verb", "enum")) == VerbName.allCases.map(\.rawValue).sorted())
        let job = try #require(try at(results, "$defs", "job", "properties").object)
        #expect(try texts(try at(job, "state", "enum")) == JobSummary.State.allCases.map(\.rawValue))
        #expect(try texts(try at(job, "priority", "enum")) == CommandPriority.allCases.map(\.rawValue))
        let final = ResultStatus.allCases.filter(\.isFinal).map(\.rawValue)
        #expect(try texts(try at(results, "$defs", "part", "properties", "status", "enum")) == final)
    }

    @Test func `the schema of results has every field that the agent writes`() throws {
        let properties = try names(try at(results, "properties"))
        let branches = try #require(try at(results, "allOf").array).compactMap(\.object)
        for verb in VerbName.sorted {
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
                payload: try examples.payload(of: verb, isDevice: false),
                timing: .init(queuedMs: 1, connectMs: 1, discoverMs: 1, runMs: 1)
            )
            writer.warnings = ["x"]
            let real = try parsed(ResultEncoder().encode(writer, stamp: examples.stamp()).payload)
            #expect(Set(real.entries.map(\.key)).isSubset(of: properties))
            var written = try names(try #require(real["result"]))
            // The fields of a long connection's result, and of a command's without an answer.
            if verb == .transact { written.formUnion(["subscription", "bytes"]) }
            if verb == .run { written.insert("bytes") }
            // That of a device's.
            if verb == .pair { written.insert("bonded") }
            #expect(written == (try names(try at(shape, "properties"))), "\(verb)")
        }
    }

    @Test func `the schema of results has every field of an error, a part, a job and its steps`() throws {
        var error = OperationError(.attError, retryAfterMs: 1, att: 1, dbus: "x", missing: [1], detail: "x")
        (error.step, error.device) = (1, fixture.door.name)
        let write = try fixture.command(#"{"verb":"write","handle":1,"value":{"hex":""}}"#)
        var part = PartResult(.failed(write, error, applied: .partly(bytes: 1)), verb: .write)
        (part.confirmed, part.payload) = (.sent, .written(bytes: 1, packets: 1))
        var body = ResultBody.combined(try anyCommand(), [part], payload: .members([part]))
        body.lastError = error
        body.applied = .steps(before: 1)
        let encoded = ResultEncoder().encode(body, stamp: examples.stamp())
        let real = try parsed(encoded.replayedPayload)
        let known = try names(try at(results, "properties"))
        #expect(Set(real.entries.map(\.key)).isSubset(of: known))
        #expect(real["step"] != nil && real["replayed"] != nil && real["lastError"] != nil)
        #expect(try names(try #require(real["error"])) == (try names(try at(results, "$defs", "error", "properties"))))
        let member = try #require(real["result"]?.object?["members"]?.array?.first)
        let partNames = try names(try at(results, "$defs", "part", "properties"))
        // Of `bytes` and `step` a part has one.
        #expect(try names(member).union(["step"]) == partNames)

        let group = try fixture.command(#"{"verb":"rssi"}"#, on: DecoderFixture.onLights)
        let whole = JobSummary(number: 1, origin: group.origin, state: .running, acceptedMs: 0)
        let jobs = try [examples.job(.running), examples.job(.waiting), whole]
        let list = ResultBody.ok(try anyCommand(), confirmed: .local, payload: .jobs(jobs, isTruncated: true))
        let shown = try parsed(ResultEncoder().encode(list, stamp: examples.stamp()).payload)["result"]?.object?["jobs"]
        let jobNames = try #require(shown?.array).reduce(into: Set<String>()) { $0.formUnion(try names($1)) }
        #expect(jobNames == (try names(try at(results, "$defs", "job", "properties"))))
        let one = ResultBody.ok(
            try anyCommand(),
            confirmed: .local,
            payload: try examples.payload(of: .job, isDevice: false)
        )
        let steps = try parsed(ResultEncoder().encode(one, stamp: examples.stamp()).payload)["result"]?.object?["steps"]
        let stepNames = try #require(steps?.array).reduce(into: Set<String>()) { $0.formUnion(try names($1)) }
        #expect(stepNames == (try names(try at(results, "$defs", "jobStep", "properties"))))
    }

    @Test func `the schema of results has every field of what profiles read of an advertisement`() throws {
        var reading = AdvertisementReading()
        reading.profiles = ["x"]
        reading.values = [DecodedValue("temperature", .bool(true), unit: "°C")]
        reading.events = [DecodedEvent("button", type: "press")]
        reading.refusal = .noKey
        reading.warnings = ["x"]
        var device = HeardDevice(
            name: fixture.door.name,
            advertisement: Advertisement(address: fixture.door.address, adapter: "hci0", heard: 0),
            via: fixture.door.address
        )
        device.decoded = reading
        let body = ResultBody.ok(try anyCommand(), confirmed: .local, payload: .scan([device], isTruncated: false))
        let shown = try parsed(ResultEncoder().encode(body, stamp: examples.stamp()).payload)
        let written = try #require(shown["result"]?.object?["devices"]?.array?.first)
        #expect(try names(written) == (try names(try at(results, "$defs", "advertisement", "properties"))))
        let decoded = try #require(written.object?["decoded"])
        #expect(try names(decoded) == (try names(try at(results, "$defs", "decoded", "properties"))))
        let reasons = try texts(try at(results, "$defs", "decoded", "properties", "refused", "enum"))
        #expect(reasons == PacketRefusal.allCases.map(\.rawValue))
    }

    private func anyCommand() throws -> Command { try fixture.command(#"{"verb":"rssi"}"#) }
}
