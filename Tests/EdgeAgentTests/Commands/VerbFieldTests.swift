import BleCore
import EdgeAgent
import Frames
import Testing

@Suite(.timeLimit(.minutes(1))) struct VerbFieldTests {
    let fixture: DecoderFixture

    init() throws { fixture = try DecoderFixture() }

    private static let battery = AttributeSelector(service: 0x180F, characteristic: 0x2A19)
    private static let place = #""service":"180f","characteristic":"2a19""#

    @Test(
        arguments: [
            (#""verb":"connect""#, .connect()), (#""verb":"rssi""#, .rssi),
            (#""verb":"disconnect""#, .disconnect(DisconnectRequest())),
            (#""verb":"disconnect","now":true"#, .disconnect(DisconnectRequest(now: true))),
            (#""verb":"discover""#, .discover(DiscoverRequest())),
            (
                #""verb":"discover","services":["180F"],"characteristics":["00002a19-0000-1000-8000-00805f9b34fb"],"refresh":true"#,
                .discover(DiscoverRequest(services: [0x180F], characteristics: [0x2A19], refresh: true))
            ), ("\"verb\":\"read\",\(place)", .read(ReadRequest(attribute: battery))),
            (
                "\"verb\":\"read\",\(place),\"descriptor\":\"2901\",\"offset\":22",
                .read(
                    ReadRequest(
                        attribute: AttributeSelector(service: 0x180F, characteristic: 0x2A19, descriptor: 0x2901),
                        offset: 22
                    )
                )
            ), (#""verb":"read","handle":17"#, .read(ReadRequest(attribute: AttributeSelector(handle: 17)))),
            (
                "\"verb\":\"read\",\"handle\":17,\(place)",
                .read(ReadRequest(attribute: AttributeSelector(handle: 17, service: 0x180F, characteristic: 0x2A19)))
            ),
            (
                "\"verb\":\"write\",\(place),\"value\":{\"hex\":\"64\"}",
                .write(WriteRequest(attribute: battery, value: [0x64]))
            ),
            (
                "\"verb\":\"write\",\(place),\"value\":{\"hex\":\"\"},\"mode\":\"reliable\",\"offset\":0,\"chunk\":\"mtu\"",
                .write(WriteRequest(attribute: battery, value: [], mode: .reliable, chunk: Chunk()))
            ),
            (
                "\"verb\":\"write\",\(place),\"value\":{\"utf8\":\"on\"},\"mode\":\"command\",\"chunk\":{\"size\":20,\"gapMs\":0}",
                .write(
                    WriteRequest(
                        attribute: battery,
                        value: [0x6F, 0x6E],
                        mode: .command,
                        chunk: Chunk(size: .fixed(first: 20, then: 20), gap: .zero)
                    )
                )
            ),
            (
                "\"verb\":\"write\",\(place),\"value\":{\"base64\":\"qgE=\"},\"mode\":\"request\",\"chunk\":{\"first\":20,\"then\":512}",
                .write(
                    WriteRequest(
                        attribute: battery,
                        value: [0xAA, 1],
                        mode: .request,
                        chunk: Chunk(size: .fixed(first: 20, then: 512))
                    )
                )
            ),
            (
                "\"verb\":\"write\",\(place),\"value\":{\"hex\":\"00\"},\"mode\":\"auto\",\"chunk\":{\"gapMs\":5}",
                .write(WriteRequest(attribute: battery, value: [0], chunk: Chunk(size: .mtu, gap: .milliseconds(5))))
            ), ("\"verb\":\"subscribe\",\(place)", .subscribe(SubscribeRequest(attribute: battery))),
            (
                "\"verb\":\"subscribe\",\(place),\"leaseMs\":60000,\"retainLast\":true",
                .subscribe(SubscribeRequest(attribute: battery, lease: .seconds(60), retainLast: true))
            ), ("\"verb\":\"unsubscribe\",\(place)", .unsubscribe(UnsubscribeRequest(attribute: battery))),
        ] as [(String, VerbRequest)]
    ) func `a command for a device is read`(fields: String, request: VerbRequest) throws {
        let command = try fixture.command("{\(fields)}")
        #expect(command.request == request)
        #expect(command.warnings.isEmpty)
        #expect(command.timeout == request.defaultTimeout)
        #expect(command.origin.verb == request.name)
        #expect(command.jitter == .zero)
    }

    private static func filter(_ change: (inout ScanRequest) -> Void) -> ScanRequest {
        var filter = ScanRequest()
        change(&filter)
        return filter
    }

    @Test func `a command for the gateway is read`() throws {
        let door = fixture.door.address
        let hall = try #require(SessionName("hall"))
        let full = Self.filter {
            $0.services = [0xFCD2]
            $0.name = "Thermo"
            $0.namePrefix = "Th"
            $0.addresses = [door, door]
            $0.manufacturers = [0x004C, 0x0499]
            $0.rssiMin = -80
            $0.mode = .passive
        }
        let filter =
            #""services":["fcd2"],"name":"Thermo","namePrefix":"Th","addresses":["A1:B2:C3:D4:E5:F6","door"],"#
            + #""manufacturer":["004c","0499"],"rssiMin":-80,"mode":"passive""#
        let cases: [(String, VerbRequest)] = [
            (#""verb":"ping""#, .ping), (#""verb":"info""#, .info), (#""verb":"devices""#, .devices(DevicesRequest())),
            (
                #""verb":"devices","connected":true,"bonded":false"#,
                .devices(DevicesRequest(connected: true, bonded: false))
            ), (#""verb":"scan""#, .scan(ScanCommand())),
            (
                "\"verb\":\"scan\",\"durationMs\":1000,\(filter)",
                .scan(ScanCommand(filter: full, duration: .seconds(1)))
            ),
            (
                #""verb":"scan","manufacturer":"004C""#,
                .scan(ScanCommand(filter: Self.filter { $0.manufacturers = [0x4C] }))
            ), (#""verb":"scan.start""#, .scanStart(ScanStartCommand())),
            (
                "\"verb\":\"scan.start\",\"session\":\"hall\",\"emit\":{\"everyMs\":1000},\"durationMs\":90000,"
                    + "\"batch\":{\"maxDevices\":10,\"maxMs\":500},\(filter)",
                .scanStart(
                    ScanStartCommand(
                        filter: full,
                        session: hall,
                        emit: .every(.seconds(1)),
                        batch: ScanBatch(maxDevices: 10, maxDelay: .milliseconds(500)),
                        duration: .seconds(90)
                    )
                )
            ), (#""verb":"scan.start","emit":"first""#, .scanStart(ScanStartCommand(emit: .first))),
            (#""verb":"scan.start","emit":"all""#, .scanStart(ScanStartCommand(emit: .all))),
            (#""verb":"scan.stop","session":"hall""#, .scanStop(ScanStopCommand(session: hall))),
            (#""verb":"adapter.power","on":false"#, .adapterPower(AdapterPowerRequest(on: false))),
            (
                #""verb":"connect","match":{"namePrefix":"Th"},"pick":"strongest""#,
                .connectMatching(
                    ConnectMatchingRequest(match: Self.filter { $0.namePrefix = "Th" }, pick: .strongest)
                )
            ),
        ]
        for (fields, request) in cases {
            let command = try fixture.command("{\(fields)}", on: DecoderFixture.onGateway)
            #expect(command.request == request, "\(fields)")
            #expect(command.warnings.isEmpty, "\(fields)")
            #expect(command.origin.target == .gateway(all: false))
        }
        #expect(Set(cases.map(\.1.name.rawValue)).count == 8)
    }

    @Test(arguments: [
        (#""verb":"read","service":"not-a-uuid","characteristic":"2a19""#, "service: expected a UUID"),
        (#""verb":"read","service":"180f""#, "characteristic: needed beside service"),
        (#""verb":"read","characteristic":"2a19""#, "service: needed beside characteristic"),
        (#""verb":"read""#, "give service and characteristic, or handle"),
        (#""verb":"read","handle":0"#, "handle: expected a whole number from 1 to 65535, found 0"),
        (#""verb":"read","handle":65536"#, "handle"),
        (#""verb":"read","handle":17.0"#, "handle: expected a whole number from 1 to 65535, found 17.0"),
        (#""verb":"read","handle":true"#, "found true"), (#""verb":"read","handle":"17""#, "found the text \"17\""),
        (#""verb":"read","handle":17,"offset":-1"#, "offset"), (#""verb":"read","handle":17,"offset":65536"#, "offset"),
        (#""verb":"read","handle":17,"descriptor":7"#, "descriptor: expected a UUID"),
        (#""verb":"write","handle":17"#, "value: expected an object with one of hex, base64 and utf8, found nothing"),
        (#""verb":"write","handle":17,"value":"64""#, "value: expected an object"),
        (#""verb":"write","handle":17,"value":{}"#, "value.hex: needed"),
        (#""verb":"write","handle":17,"value":{"hex":"64","utf8":"d"}"#, "give only one"),
        (#""verb":"write","handle":17,"value":{"hex":64}"#, "value.hex: expected a text, found 64"),
        (#""verb":"write","handle":17,"value":{"hex":"6"}"#, "value.hex: an odd number"),
        (#""verb":"write","handle":17,"value":{"base64":"qgE"}"#, "value.base64"),
        (
            #""verb":"write","handle":17,"value":{"hex":"64"},"mode":"fast""#,
            "mode: expected one of auto, request, command, reliable, found the text \"fast\""
        ),
        (#""verb":"write","handle":17,"value":{"hex":"64"},"chunk":20"#, "chunk"),
        (#""verb":"write","handle":17,"value":{"hex":"64"},"chunk":{"size":20,"first":1,"then":2}"#, "chunk.size"),
        (#""verb":"write","handle":17,"value":{"hex":"64"},"chunk":{"first":1}"#, "chunk.size"),
        (#""verb":"write","handle":17,"value":{"hex":"64"},"chunk":{"size":0}"#, "chunk.size"),
        (#""verb":"write","handle":17,"value":{"hex":"64"},"chunk":{"size":20,"gapMs":-1}"#, "chunk.gapMs"),
        (#""verb":"subscribe","handle":17,"leaseMs":999"#, "leaseMs"),
        (#""verb":"subscribe","handle":17,"retainLast":1"#, "retainLast: expected true or false, found 1"),
        (#""verb":"unsubscribe""#, "handle"), (#""verb":"disconnect","now":"yes""#, "now"),
        (#""verb":"discover","services":"180f""#, "services: expected a list"),
        (#""verb":"discover","services":[]"#, "services"),
        (#""verb":"discover","services":["180f","x"]"#, "services[1]: expected a UUID"),
        (#""verb":"rssi","timeoutMs":0"#, "timeoutMs: expected a whole number from 1 to 600000, found 0"),
        (#""verb":"rssi","timeoutMs":600001"#, "timeoutMs"), (#""verb":"rssi","timeoutMs":1.5"#, "timeoutMs"),
        (#""verb":"rssi","ttlMs":0"#, "ttlMs"), (#""verb":"rssi","expires":"tomorrow""#, "expires: expected a time"),
        (#""verb":"rssi","sentAt":5"#, "sentAt"), (#""verb":"rssi","adapter":"hci0;rm""#, "adapter"),
        (#""verb":"rssi","adapter":"hci 0""#, "adapter"), (#""verb":7"#, "verb: expected the name of a verb, found 7"),
        (#""verb":null"#, "verb: expected the name of a verb, found nothing"),
        (#""verb":"ping""#, "ping is for the gateway, send it to edge/v1/shop-3/cmd"),
    ]) func `B87: a field that does not fit is named with what was found`(fields: String, part: String) throws {
        let refusal = try fixture.refusal("{\"id\":\"a\",\(fields)}")
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.contains(part), "\(refusal.error.detail)")
        #expect(refusal.origin.id.echo == .text("a"))
    }

    @Test(arguments: [
        (#""verb":"scan","addresses":["../../x"]"#, "addresses[0]"),
        (#""verb":"scan","addresses":["AA:BB:CC:DD:EE:F\u00e9"]"#, "addresses[0]"),
        (#""verb":"scan","addresses":["AA:BB:CC:DD:EE:FF/char"]"#, "addresses[0]"),
        (#""verb":"scan","addresses":[""]"#, "addresses[0]"),
        (#""verb":"scan","addresses":["window"]"#, "addresses[0]"),
        (#""verb":"scan","services":["not-a-uuid"]"#, "services[0]"),
        (#""verb":"scan","name":"""#, "name"), (#""verb":"scan","namePrefix":7"#, "namePrefix"),
        (#""verb":"scan","manufacturer":76"#, "manufacturer"), (#""verb":"scan","manufacturer":"4c""#, "manufacturer"),
        (#""verb":"scan","manufacturer":["+04c"]"#, "manufacturer[0]"), (#""verb":"scan","rssiMin":-128"#, "rssiMin"),
        (#""verb":"scan","mode":"loud""#, "mode"), (#""verb":"scan","durationMs":60001"#, "durationMs"),
        (#""verb":"scan","durationMs":0"#, "durationMs"),
        (#""verb":"scan","durationMs":5000,"timeoutMs":4999"#, "timeoutMs: shorter"),
        (#""verb":"scan.start","session":"a/b""#, "session"), (#""verb":"scan.start","session":"Hall""#, "session"),
        (#""verb":"scan.start","emit":"some""#, "emit: expected first, change, all"),
        (#""verb":"scan.start","emit":{}"#, "emit.everyMs"),
        (#""verb":"scan.start","batch":5"#, "batch"),
        (#""verb":"scan.start","batch":{"maxDevices":0}"#, "batch.maxDevices"),
        (#""verb":"scan.stop""#, "session: expected the name of a session, found nothing"),
        (#""verb":"adapter.power""#, "on: expected true or false, found nothing"),
        (#""verb":"adapter.power","on":1"#, "found 1"),
        (#""verb":"connect""#, "match: expected an object"),
        (#""verb":"connect","match":{}"#, "match: needs a condition"),
        (#""verb":"connect","match":{"name":7}"#, "match.name"),
        (#""verb":"connect","match":{"name":"x"},"pick":"best""#, "pick"),
        (#""verb":"read","handle":17"#, "read is for a device, send it to edge/v1/shop-3/dev/{dev}/cmd"),
    ]) func `B87: a field of a command for the gateway that does not fit is named`(fields: String, part: String) throws
    {
        let refusal = try fixture.refusal("{\"id\":\"a\",\(fields)}", on: DecoderFixture.onGateway)
        #expect(refusal.error.code == .badRequest)
        #expect(refusal.error.detail.contains(part), "\(refusal.error.detail)")
    }

    @Test func `all problems of a command are told together`() throws {
        let refusal = try fixture.refusal(
            #"{"id":"a b","client":7,"verb":"read","service":"x","offset":-1,"timeoutMs":true,"adapter":""}"#
        )
        for name in ["id:", "client:", "service:", "offset:", "timeoutMs:", "adapter:"] {
            #expect(refusal.error.detail.contains(name), "\(refusal.error.detail)")
        }
        #expect(refusal.origin.verb == .read)
    }

    @Test func `a value never stands in a detail`() throws {
        let refusal = try fixture.refusal(#"{"verb":"write","handle":17,"value":{"hex":"5ec2e7x"}}"#)
        #expect(!refusal.error.detail.contains("5ec2e7"))
    }

    @Test func `unknown names inside objects are warned of with their path`() throws {
        let command = try fixture.command(
            #"{"verb":"write","handle":17,"value":{"hex":"64","x":1},"chunk":{"size":20,"y":2}}"#
        )
        #expect(command.warnings == [#"ignored field "value.x""#, #"ignored field "chunk.y""#])
    }

    @Test(arguments: VerbName.allCases)
    func `every verb of the contract is known, and told apart where it is not offered`(verb: VerbName) throws {
        for topic in [DecoderFixture.onDoor, DecoderFixture.onGateway] {
            let decoded = fixture.decode(
                "{\"verb\":\"\(verb.rawValue)\",\"handle\":1,\"session\":\"s\",\"on\":true}",
                on: topic
            )
            #expect((decoded.refusal?.error.code == .unknownVerb) == !verb.isOffered)
            if let refusal = decoded.refusal { #expect(refusal.origin.verb == verb) }
        }
    }

    @Test func `the verbs of this version are these`() {
        let expected =
            "adapter.power cancel connect devices diag disconnect discover forget info job jobs pair pair.answer ping read restart rssi "
            + "run scan scan.start scan.stop sequence subscribe transact trust unpair unsubscribe write"
        #expect(VerbName.offered.map(\.rawValue).joined(separator: " ") == expected)
        #expect(VerbName.allCases.count == 30)
    }

    @Test func `what a command changes is known`() throws {
        let readOnly: [VerbName] = [
            .ping, .info, .scan, .devices, .jobs, .job, .configGet, .diag, .read, .rssi, .discover,
        ]
        #expect(
            VerbName.allCases.filter { !$0.changesSomething }.map(\.rawValue).sorted()
                == readOnly.map(\.rawValue).sorted()
        )
        #expect(try fixture.command(#"{"verb":"discover","refresh":true}"#).request.changesSomething)
        #expect(try !fixture.command(#"{"verb":"discover"}"#).request.changesSomething)
        #expect(try fixture.refusal(#"{"verb":"write"}"#).changesSomething)
        #expect(try !fixture.refusal(#"{"verb":"read"}"#).changesSomething)
    }

    @Test func `a command to all gateways reads, unless the policy allows more`() throws {
        let all = CommandTopic.all(client: "ha")
        let ping = try fixture.command(#"{"verb":"ping"}"#, on: all)
        #expect(ping.origin.target == .gateway(all: true) && ping.jitter == .seconds(2) && ping.origin.identity == "ha")
        #expect(try fixture.command(#"{"verb":"ping","jitterMs":0}"#, on: all).jitter == .zero)
        #expect(try fixture.command(#"{"verb":"ping","jitterMs":0}"#, on: DecoderFixture.onGateway).warnings.count == 1)
        #expect(try fixture.refusal(#"{"verb":"ping","jitterMs":60001}"#, on: all).error.code == .badRequest)
        #expect(try fixture.refusal(#"{"verb":"read","handle":1}"#, on: all).error.code == .badRequest)
        #expect(try fixture.refusal(#"{"verb":"adapter.power","on":true}"#, on: all).error.code == .denied)
        #expect(try fixture.refusal(#"{"verb":"connect","match":{"name":"x"}}"#, on: all).error.code == .denied)
        let open = try DecoderFixture(limits: .init(allMayChange: true))
        #expect(try open.command(#"{"verb":"adapter.power","on":true}"#, on: all).request.name == .adapterPower)
    }

    @Test func `a timeout is taken, and each verb has one of its own`() throws {
        #expect(try fixture.command(#"{"verb":"rssi","timeoutMs":600000}"#).timeout == .seconds(600))
        #expect(try fixture.command(#"{"verb":"rssi","timeoutMs":1}"#).timeout == .milliseconds(1))
        let defaults: [(String, Int)] = [
            (#""verb":"connect""#, 20), (#""verb":"disconnect""#, 5), (#""verb":"discover""#, 30),
            (#""verb":"read","handle":1"#, 20), (#""verb":"write","handle":1,"value":{"hex":""}"#, 20),
            (#""verb":"subscribe","handle":1"#, 20), (#""verb":"unsubscribe","handle":1"#, 5), (#""verb":"rssi""#, 1),
        ]
        for (fields, seconds) in defaults {
            #expect(try fixture.command("{\(fields)}").timeout == .seconds(seconds), "\(fields)")
        }
        let scan = try fixture.command(#"{"verb":"scan","durationMs":60000}"#, on: DecoderFixture.onGateway)
        #expect(scan.timeout > .seconds(60))
        #expect(try fixture.command(#"{"verb":"rssi","adapter":"hci1"}"#).adapter?.text == "hci1")
    }
}
