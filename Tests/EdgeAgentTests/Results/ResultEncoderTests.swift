import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResultEncoderTests {
    let fixture: DecoderFixture
    let stamp: MessageStamp

    init() throws {
        fixture = try DecoderFixture()
        stamp = MessageStamp(gateway: fixture.tree.gateway, boot: "9e", seq: 418, timeMs: 1_790_848_800_123)
    }

    private func text(_ body: ResultBody) -> String {
        String(decoding: ResultEncoder().encode(body, stamp: stamp).payload, as: UTF8.self)
    }

    private func result(_ payload: ResultPayload) throws -> JSONObject {
        let body = ResultBody.ok(try fixture.command(#"{"verb":"rssi"}"#), confirmed: .local, payload: payload)
        let parsed = try parsed(ResultEncoder().encode(body, stamp: stamp).payload)
        return try #require(parsed["result"]?.object)
    }

    @Test func `a result is the contract's example`() throws {
        let command = try fixture.command(
            #"{"id":"7f3c","client":"nodered-1","verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"64"}}"#
        )
        let body = ResultBody.ok(
            command,
            confirmed: .response,
            payload: .written(bytes: 1, packets: 1),
            timing: .init(queuedMs: 12, connectMs: 840, runMs: 31)
        )
        #expect(
            text(body)
                == #"{"id":"7f3c","client":"nodered-1","dev":"door","address":"a1b2c3d4e5f6","verb":"write","status":"ok","#
                + #""final":true,"confirmed":"response","result":{"bytes":1,"packets":1},"#
                + #""timing":{"queuedMs":12,"connectMs":840,"runMs":31},"attempt":1,"#
                + #""gw":"shop-3","boot":"9e","seq":418,"ts":"2026-10-01T10:00:00.123Z"}"#
        )
    }

    @Test func `a failure says whether anything was applied, of what changes something alone`() throws {
        let write = try fixture.command(#"{"id":7,"verb":"write","handle":17,"value":{"hex":"64"}}"#)
        let failure = BleFailure(
            .att(0x05),
            at: .operate,
            applied: .partly(bytes: 20),
            dbus: .init(name: "org.bluez.Error.NotPermitted", message: "x")
        )
        let error = OperationError(failure)
        let encoded = ResultEncoder().encode(.failed(write, error, applied: Applied(failure.applied)), stamp: stamp)
        let body = try parsed(encoded.payload)
        #expect(body["id"] == .integer(7))
        #expect(
            body["status"] == .string("failed") && body["applied"] == .string("partly") && body["bytes"] == .integer(20)
        )
        let wire = try #require(body["error"]?.object)
        #expect(wire.entries.map(\.key) == ["code", "stage", "retryable", "att", "dbus", "detail"])
        #expect(wire["att"] == .string("0x05") && wire["dbus"] == .string("org.bluez.Error.NotPermitted"))
        #expect(encoded.userProperties.map(\.name) == ["status", "code"])
        #expect(encoded.userProperties.map(\.value) == ["failed", "att-error"])

        let read = try fixture.command(#"{"verb":"read","handle":17}"#)
        let readBody = try parsed(ResultEncoder().encode(.failed(read, error, applied: .maybe), stamp: stamp).payload)
        #expect(readBody["applied"] == nil)
    }

    @Test func `every optional part of an error is written when it is there`() throws {
        let command = try fixture.command(#"{"verb":"discover"}"#)
        let error = OperationError(
            .noService,
            at: .discover,
            retryAfterMs: 500,
            att: 0x0A,
            dbus: "org.bluez.Error.X",
            missing: [0x180A, 0x12345678],
            detail: "d"
        )
        let body = try parsed(ResultEncoder().encode(.failed(command, error, applied: .no), stamp: stamp).payload)
        let wire = try #require(body["error"]?.object)
        #expect(wire["retryAfterMs"] == .integer(500))
        #expect(wire["missing"] == .array([.string("180a"), .string("12345678")]))
        #expect(wire["att"] == .string("0x0a"))
    }

    @Test func `a refusal of what could not be read has a null id and no verb`() throws {
        let body = try parsed(ResultEncoder().encode(.refused(try fixture.refusal("{")), stamp: stamp).payload)
        #expect(
            body.entries.map(\.key) == [
                "id", "client", "status", "final", "error", "gw", "boot", "seq", "ts",
            ]
        )
        #expect(body["id"] == .null && body["client"] == .string("anonymous"))
    }

    @Test func `a command is refused after all with its own names`() throws {
        let command = try fixture.command(#"{"id":"a","verb":"write","handle":17,"value":{"hex":""},"x":1}"#)
        let refusal = command.refusal(.queueFull, detail: "64 jobs wait", retryAfterMs: 1000)
        let body = try parsed(ResultEncoder().encode(.refused(refusal), stamp: stamp).payload)
        #expect(body["status"] == .string("rejected") && body["applied"] == .string("no"))
        #expect(body["error"]?.object?["stage"] == .string("queue"))
        #expect(body["error"]?.object?["retryAfterMs"] == .integer(1000))
        #expect(body["warnings"] == .array([.string("ignored field \"x\"")]))
        #expect(body["attempt"] == nil)
    }

    @Test func `steps for observers are not final`() throws {
        let command = try fixture.command(#"{"id":"a","verb":"rssi"}"#)
        let accepted = try parsed(ResultEncoder().encode(.accepted(command, place: 3), stamp: stamp).payload)
        #expect(
            accepted["status"] == .string("accepted") && accepted["final"] == .bool(false)
                && accepted["place"] == .integer(3)
        )
        let started = try parsed(ResultEncoder().encode(.started(command), stamp: stamp).payload)
        #expect(started["status"] == .string("started") && started["attempt"] == .integer(1))
        let error = OperationError(.connectFailed, detail: "gone")
        let retrying = try parsed(
            ResultEncoder().encode(.retrying(command, attempt: 2, after: error), stamp: stamp).payload
        )
        #expect(
            retrying["status"] == .string("retrying") && retrying["attempt"] == .integer(2)
                && retrying["final"] == .bool(false)
        )
        #expect(retrying["error"]?.object?["code"] == .string("connect-failed"))
    }

    @Test func `a result that is too large is replaced, and one that just fits is not`() throws {
        let read = try fixture.command(#"{"id":"a","verb":"read","handle":17}"#)
        let body = ResultBody.ok(read, confirmed: .read, payload: .value(Array(repeating: 7, count: 500)))
        let whole = ResultEncoder().encode(body, stamp: stamp)
        #expect(ResultEncoder(maxResultBytes: whole.payload.count).encode(body, stamp: stamp) == whole)
        let cut = ResultEncoder(maxResultBytes: whole.payload.count - 1).encode(body, stamp: stamp)
        #expect(cut.code == .resultTooLarge && cut.status == .failed)
        let parsedBody = try parsed(cut.payload)
        #expect(parsedBody["result"] == nil && parsedBody["confirmed"] == nil && parsedBody["applied"] == nil)
        #expect(parsedBody["id"] == .string("a"))

        let connect = ResultBody.ok(
            try fixture.command(#"{"verb":"connect"}"#),
            confirmed: .local,
            payload: .already(true)
        )
        let small = try parsed(ResultEncoder(maxResultBytes: 10).encode(connect, stamp: stamp).payload)
        #expect(small["applied"] == .string("yes"))
    }

    @Test func `the result of each verb has its fields`() throws {
        #expect(try result(.pong(version: "1.0.0", uptimeMs: 5)).entries.map(\.key) == ["version", "uptimeMs"])
        #expect(try result(.value([0xAA, 1]))["value"]?.object?["hex"] == .string("aa01"))
        #expect(try result(.already(true)).entries.map(\.key) == ["already"])
        let rssi = try result(.rssi(-61, ageMs: 200))
        #expect(
            rssi["rssi"] == .integer(-61) && rssi["ageMs"] == .integer(200)
                && rssi["source"] == .string("advertisement")
        )
        let connected = try result(.connected(.init(mtu: 247, already: false, address: fixture.door.address)))
        #expect(connected.entries.map(\.key) == ["address", "mtu", "already"])
        let found = try result(
            .connected(.init(mtu: nil, already: true, address: fixture.door.address, name: .alias("door")))
        )
        #expect(found["dev"] == .string("door") && found["mtu"] == .null)
        let session = try result(.session(try #require(SessionName("hall")), already: false))
        #expect(session["session"] == .string("hall") && session["already"] == .bool(false))
    }

    @Test func `services are shown as a tree`() throws {
        let tree = ServiceTree(services: [
            .init(
                uuid: 0x180F,
                handle: 16,
                isPrimary: true,
                includes: [40],
                characteristics: [
                    .init(
                        uuid: 0x2A19,
                        handle: 17,
                        valueHandle: 18,
                        properties: ["read", "notify"],
                        descriptors: [.init(uuid: 0x2902, handle: 19)]
                    ), .init(uuid: 0x2A1A, handle: 20),
                ]
            )
        ])
        let command = try fixture.command(#"{"verb":"discover"}"#)
        let text = text(.ok(command, confirmed: .local, payload: .services(tree)))
        #expect(
            text.contains(
                #""result":{"services":[{"uuid":"180f","handle":16,"primary":true,"includes":[40],"characteristics":["#
                    + #"{"uuid":"2a19","handle":17,"valueHandle":18,"properties":["read","notify"],"descriptors":[{"uuid":"2902","handle":19}]},"#
                    + #"{"uuid":"2a1a","handle":20,"properties":[],"descriptors":[]}]}]}"#
            )
        )
    }

    @Test func `known devices are listed`() throws {
        let unknown = DeviceTarget(
            address: try #require(DeviceAddress("000000000001")),
            name: .address(try #require(DeviceAddress("000000000001")))
        )
        let list = try result(
            .devices(
                [
                    KnownDevice(
                        device: fixture.door,
                        addressType: .random,
                        name: "Door \"1\"",
                        link: .resolved,
                        isPaired: true,
                        isBonded: true,
                        isTrusted: true,
                        rssi: -60,
                        lastHeardMs: 0
                    ), KnownDevice(device: unknown, addressType: .public),
                ],
                isTruncated: true
            )
        )
        #expect(list["truncated"] == .bool(true))
        let devices = try #require(list["devices"]?.array).compactMap(\.object)
        #expect(devices[0]["alias"] == .string("door") && devices[0]["name"] == .string("Door \"1\""))
        #expect(devices[0]["link"] == .string("resolved") && devices[0]["last"] == .string("1970-01-01T00:00:00.000Z"))
        #expect(devices[1]["alias"] == .null && devices[1]["rssi"] == .null && devices[1]["last"] == .null)
        #expect(devices[0].entries.map(\.key) == devices[1].entries.map(\.key))
    }

    @Test func `the answer to a repetition is the first one's, byte by byte, and replayed`() throws {
        let command = try fixture.command(#"{"id":"7f3c","client":"me","verb":"rssi"}"#)
        for body in [
            ResultBody.ok(command, confirmed: .local, payload: .rssi(-60, ageMs: 1)),
            .failed(command, OperationError(.notInRange, detail: "}"), applied: .no),
            .refused(command.refusal(.queueFull, detail: "x")),
        ] {
            let first = ResultEncoder().encode(body, stamp: stamp)
            let again = String(decoding: first.replayedPayload, as: UTF8.self)
            #expect(again == String(decoding: first.payload.dropLast(), as: UTF8.self) + #","replayed":true}"#)
            #expect(try parsed(first.replayedPayload)["replayed"] == .bool(true))
            #expect(try parsed(first.payload)["replayed"] == nil)
        }
        let none = EncodedResult(reply: command.origin.reply, payload: [], status: .ok, code: nil)
        #expect(none.replayedPayload.isEmpty)
    }

    @Test func `an ok after more than one try has the last failure beside it`() throws {
        var body = ResultBody.ok(
            try fixture.command(#"{"verb":"rssi"}"#),
            confirmed: .local,
            payload: .rssi(-60, ageMs: 1),
            attempt: 3
        )
        body.lastError = OperationError(.connectFailed, dbus: "org.bluez.Error.Failed", detail: "x")
        let shown = try parsed(ResultEncoder().encode(body, stamp: stamp).payload)
        #expect(shown["status"] == .string("ok") && shown["attempt"] == .integer(3) && shown["error"] == nil)
        #expect(shown["lastError"]?.object?["code"] == .string("connect-failed"))
        #expect(shown["lastError"]?.object?["dbus"] == .string("org.bluez.Error.Failed"))
    }
}
