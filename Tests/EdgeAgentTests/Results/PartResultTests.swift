import BleCore
import EdgeAgent
import Testing

/// What the result of a sequence or of a group's command says of its parts.
@Suite(.timeLimit(.minutes(10))) struct PartResultTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    /// What became of one part.
    enum Part: Sendable {
        /// A `write`.
        case written, unwritten(Applied), skipped
        /// A `read`.
        case read, unread
        /// A `discover`.
        case shown
    }

    /// What the whole says.
    struct Whole: Sendable {
        var status = ResultStatus.ok
        var confirmed: String?
        var applied: String?
        var step: Int64?
        /// The part whose error it has.
        var failed: Int?
    }

    static let write = VerbRequest.write(WriteRequest(attribute: AttributeSelector(handle: 17), value: [1]))
    static let read = VerbRequest.read(ReadRequest(attribute: AttributeSelector(handle: 17)))

    private func step(_ part: Part, _ index: Int) -> PartResult {
        let error = OperationError(.linkLost, at: .operate, detail: "part \(index)")
        return switch part {
        case .written: .ok(Self.write, VerbOutcome(confirmed: .response, payload: .written(bytes: 1, packets: 1)))
        case .unwritten(let applied): .failed(Self.write, error, applied: applied)
        case .skipped: .notBegun(Self.write, detail: "part \(index)")
        case .read: .ok(Self.read, VerbOutcome(confirmed: .read, payload: .value([1])))
        case .unread: .failed(Self.read, error, applied: .maybe)
        case .shown: .ok(.rssi, VerbOutcome(confirmed: .local, payload: .rssi(-60, ageMs: 1)))
        }
    }

    private func member(_ part: Part, _ index: Int) throws -> PartResult {
        var command = try fixture.command(#"{"verb":"write","handle":17,"value":{"hex":"01"}}"#)
        command.request =
            if case .read = part { Self.read } else if case .unread = part { Self.read } else { Self.write }
        let address = try #require(DeviceAddress("00000000000\(index)"))
        command.origin.target = .device(DeviceTarget(address: address, name: .address(address)))
        let step = step(part, index)
        let body: ResultBody =
            if let error = step.error {
                .failed(command, error, applied: step.applied ?? .no)
            } else {
                .ok(command, confirmed: try #require(step.confirmed), payload: step.payload)
            }
        return PartResult(body, verb: step.verb)
    }

    private func encoded(_ command: Command, _ parts: [PartResult], _ payload: ResultPayload) throws -> JSONObject {
        let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
        let body = ResultBody.combined(command, parts, payload: payload, timing: .init(runMs: 1), attempt: 2)
        return try parsed(ResultEncoder().encode(body, stamp: stamp).payload)
    }

    @Test(
        arguments: [
            ([.written, .read], Whole(confirmed: "response")), ([.read, .shown], Whole(confirmed: "read")),
            ([.shown], Whole(confirmed: "local")),
            ([.written, .unread], Whole(status: .partial, applied: "partly", step: 1, failed: 1)),
            ([.written, .unwritten(.no)], Whole(status: .partial, applied: "partly", step: 1, failed: 1)),
            ([.read, .unwritten(.no)], Whole(status: .partial, applied: "no", failed: 1)),
            ([.read, .unwritten(.maybe)], Whole(status: .partial, applied: "maybe", failed: 1)),
            ([.unwritten(.maybe), .skipped], Whole(status: .failed, applied: "maybe", failed: 0)),
            ([.unwritten(.no), .skipped], Whole(status: .failed, applied: "no", failed: 0)),
            ([.unwritten(.yes)], Whole(status: .failed, applied: "partly", step: 0, failed: 0)),
            (
                [.unwritten(.partly(bytes: 20)), .skipped],
                Whole(status: .failed, applied: "partly", step: 0, failed: 0)
            ),
            ([.unread, .skipped], Whole(status: .failed, applied: "no", failed: 0)),
            ([.unread, .written], Whole(status: .partial, applied: "partly", step: 0, failed: 0)),
            ([.unwritten(.maybe), .written], Whole(status: .partial, applied: "partly", step: 0, failed: 0)),
            ([.read, .unread], Whole(status: .partial, failed: 1)), ([.unread], Whole(status: .failed, failed: 0)),
        ] as [([Part], Whole)]
    )
    func `a sequence says how far it came`(parts: [Part], whole: Whole) throws {
        let steps = parts.enumerated().map { step($1, $0) }
        var command = try fixture.command(#"{"verb":"sequence","steps":[{"verb":"rssi"}]}"#)
        let isReading = steps.allSatisfy { !$0.changesSomething }
        command.request = .sequence(SequenceRequest(steps: [.init(isReading ? Self.read : Self.write)]))
        let body = try encoded(command, steps, .steps(steps))
        #expect(body["status"] == .string(whole.status.rawValue))
        #expect(body["confirmed"]?.string == whole.confirmed)
        #expect(body["applied"]?.string == whole.applied)
        #expect(body["step"]?.integer == whole.step)
        let error = body["error"]?.object
        #expect(error?["detail"]?.string == whole.failed.map { "part \($0)" })
        #expect(error?["step"]?.integer == whole.failed.map { Int64($0) })
        #expect(error?["dev"] == nil)
        #expect(body["result"]?.object?["steps"]?.array?.count == parts.count)
        #expect(body["attempt"] == .integer(2) && body["final"] == .bool(true))
    }

    @Test(
        arguments: [
            ([.written, .written], Whole(confirmed: "response")),
            ([.written, .unwritten(.no)], Whole(status: .partial, applied: "partly", failed: 1)),
            ([.unwritten(.no), .written], Whole(status: .partial, applied: "partly", failed: 0)),
            ([.unwritten(.no), .unwritten(.maybe)], Whole(status: .failed, applied: "maybe", failed: 0)),
            ([.unwritten(.no), .skipped], Whole(status: .failed, applied: "no", failed: 0)),
            ([.unwritten(.yes), .unwritten(.no)], Whole(status: .failed, applied: "partly", failed: 0)),
            ([.read, .unread], Whole(status: .partial, failed: 1)),
            ([.unread, .unread], Whole(status: .failed, failed: 0)),
        ] as [([Part], Whole)]
    )
    func `a group says at whom it failed first`(parts: [Part], whole: Whole) throws {
        let members = try parts.enumerated().map { try member($1, $0) }
        var command = try fixture.command(#"{"verb":"rssi"}"#, on: DecoderFixture.onLights)
        command.request = members.contains(where: \.changesSomething) ? Self.write : Self.read
        let body = try encoded(command, members, .members(members))
        #expect(body["status"] == .string(whole.status.rawValue))
        #expect(body["confirmed"]?.string == whole.confirmed)
        #expect(body["applied"]?.string == whole.applied)
        #expect(body["step"] == nil && body["bytes"] == nil)
        let error = body["error"]?.object
        #expect(error?["detail"]?.string == whole.failed.map { "part \($0)" })
        #expect(error?["dev"]?.string == whole.failed.map { "00000000000\($0)" })
        #expect(error?["step"] == nil)
        #expect(body["group"] == .string("lights") && body["dev"] == nil)
        let shown = try #require(body["result"]?.object?["members"]?.array).compactMap(\.object)
        #expect(shown.map { $0["address"]?.string } == (0..<parts.count).map { "00000000000\($0)" })
    }

    @Test func `a part has the fields of a result of its own`() throws {
        let steps = [Part.written, .unwritten(.partly(bytes: 20)), .unread, .skipped].enumerated().map { step($1, $0) }
        let command = try fixture.command(#"{"verb":"sequence","steps":[{"verb":"connect"}]}"#)
        let shown = try #require(
            try encoded(command, steps, .steps(steps))["result"]?.object?["steps"]?.array
        ).compactMap(\.object)
        let names = shown.map { $0.entries.map(\.key).joined(separator: " ") }
        #expect(
            names == [
                "verb status confirmed result", "verb status applied bytes error", "verb status error",
                "verb status applied error",
            ]
        )
        #expect(shown[1]["bytes"] == .integer(20) && shown[1]["applied"] == .string("partly"))
        #expect(shown[2]["status"] == .string("failed"))
        #expect(shown[3]["status"] == .string("cancelled") && shown[3]["applied"] == .string("no"))
        #expect(shown[3]["error"]?.object?["code"] == .string("cancelled"))
        #expect(shown[3]["error"]?.object?["stage"] == .string("queue"))
    }

    @Test func `a part that was not begun says nothing of changes where it would only have read`() throws {
        let part = PartResult.notBegun(.rssi, of: fixture.door, detail: "x")
        #expect(part.status == .cancelled && part.applied == nil && part.device == fixture.door)
        #expect(PartResult.notBegun(Self.write, detail: "x").applied == .no)
    }

    @Test func `parts that find no room in the result are left out, and the result says so`() throws {
        let large = VerbOutcome(confirmed: .read, payload: .value(Array(repeating: 7, count: 5000)))
        let steps = [PartResult.ok(Self.read, large), step(.unwritten(.no), 1)]
        let command = try fixture.command(#"{"verb":"sequence","steps":[{"verb":"connect"}]}"#)
        let body = ResultBody.combined(command, steps, payload: .steps(steps))
        let stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 1, timeMs: 0)
        let encoded = ResultEncoder(maxResultBytes: 2000).encode(body, stamp: stamp)
        let small = try parsed(encoded.payload)
        #expect(encoded.payload.count <= 2000)
        #expect(small["status"] == .string("partial") && small["result"] == nil)
        #expect(small["error"]?.object?["code"] == .string("link-lost"))
        let warning = try #require(small["warnings"]?.array?.first?.string)
        #expect(warning.hasPrefix("left out result: ") && warning.hasSuffix(", at most 2000 are sent"))
    }
}
