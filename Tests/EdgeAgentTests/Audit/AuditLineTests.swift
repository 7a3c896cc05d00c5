import BleCore
import Cryptography
import EdgeAgent
import Frames
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AuditLineTests {
    private let fixture: DecoderFixture
    private let gateway: GatewayID

    init() throws {
        fixture = try DecoderFixture(limits: CommandDecoder.Limits(allMayChange: true))
        gateway = fixture.tree.gateway
    }

    private func line(key: String = "key", showsValues: Bool = false) -> AuditLine {
        AuditLine(gateway: gateway, key: Array(key.utf8), showsValues: showsValues)
    }

    private func text(_ fields: [LogEvent.Field]) -> String {
        fields.map { "\($0.key.name)=\($0.value)" }.joined(separator: " ")
    }

    private func text(_ body: ResultBody, showsValues: Bool = false) -> String {
        line(showsValues: showsValues).fields(of: body).map(text).joined(separator: "\n")
    }

    private static let onDoor = CommandTopic.device("door", client: "nodered-1")

    private func ok(_ json: String, on topic: CommandTopic = Self.onDoor) throws -> ResultBody {
        ResultBody.ok(try fixture.command(json, on: topic), confirmed: .response, payload: nil)
    }

    private let write = #"{"id":"7","verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"aa01"}}"#
    /// HMAC-SHA256 with the key `key` of `a1b2c3d4e5f6`, a zero byte, and aa 01.
    private let hash = "7f16dba2"

    @Test func `a write tells who wrote how much where, and not what`() throws {
        #expect(
            text(try ok(write))
                == "caller=nodered-1 device=door address=a1b2c3d4e5f6 verb=write service=180f characteristic=2a19 "
                + "bytes=2 hash=\(hash) status=ok id=7"
        )
    }

    @Test func `the bytes are told when they are asked for`() throws {
        #expect(text(try ok(write), showsValues: true).contains(" bytes=2 value=aa01 status=ok "))
    }

    @Test func `a failure tells its code and whether anything happened`() throws {
        let command = try fixture.command(write, on: Self.onDoor)
        let error = OperationError(.linkLost, detail: "x")
        for (applied, word) in [(Applied.maybe, "maybe"), (.no, "no"), (.partly(bytes: 20), "partly (20 bytes)")] {
            let body = ResultBody.failed(command, error, applied: applied)
            #expect(text(body).hasSuffix(" status=failed code=link-lost applied=\(word) id=7"))
        }
    }

    @Test func `a name in the body alone is told as unverified`() throws {
        let labelled = try ok(#"{"client":"nodered-1","verb":"rssi"}"#, on: DecoderFixture.onDoor)
        #expect(text(labelled).hasPrefix("unverified=nodered-1 device=door "))
        #expect(text(try ok(#"{"verb":"rssi"}"#, on: DecoderFixture.onDoor)).hasPrefix("unverified=anonymous "))
    }

    @Test func `a command for the gateway tells its name, and whether it went to all`() throws {
        let json = #"{"id":"p","verb":"adapter.power","on":true}"#
        #expect(
            text(try ok(json, on: .gateway(client: "a"))) == "caller=a gateway=shop-3 verb=adapter.power status=ok id=p"
        )
        #expect(text(try ok(json, on: .all(client: "a"))).hasPrefix("caller=a gateway=shop-3 all=true verb="))
    }

    @Test func `transact tells both characteristics and what goes out, handles as they are given`() throws {
        let json =
            #"{"id":"t","verb":"transact","service":"ffe0","write":"ffe1","notify":18,"data":{"hex":"7e0200"},"#
            + #""checksum":{"kind":"sum8","send":true}}"#
        #expect(
            text(try ok(json), showsValues: true).contains(
                " service=ffe0 characteristic=ffe1 notify=18 bytes=4 value=7e020080 "
            )
        )
        let byHandle = #"{"verb":"write","handle":17,"descriptor":"2902","value":{"hex":""}}"#
        #expect(text(try ok(byHandle)).contains(" verb=write handle=17 descriptor=2902 bytes=0 hash="))
    }

    @Test func `a denial tells the rule`() throws {
        var refusal = try fixture.command(#"{"id":"r","verb":"read","handle":3}"#, on: Self.onDoor)
            .refusal(.denied, detail: "x")
        refusal.subject?.reason = "rule 1 (line 2) denies read for nodered-1 on door"
        #expect(
            text(.refused(refusal))
                == "caller=nodered-1 device=door address=a1b2c3d4e5f6 verb=read handle=3 status=rejected code=denied "
                + "reason=rule 1 (line 2) denies read for nodered-1 on door id=r"
        )
    }

    @Test func `parts of a command that has some get a line each`() throws {
        var body = try ok(write)
        body.subject = AuditSubject(
            .sequence,
            steps: [
                AuditSubject(.read, attributes: [.battery]),
                AuditSubject(.write, attributes: [.battery], value: [0xAA, 0x01]),
            ]
        )
        #expect(
            text(body) == """
                caller=nodered-1 device=door address=a1b2c3d4e5f6 verb=sequence status=ok id=7
                caller=nodered-1 device=door address=a1b2c3d4e5f6 step=1 verb=write service=180f characteristic=2a19 \
                bytes=2 hash=\(hash) id=7
                """
        )
    }

    @Test func `a sequence tells each of its steps that changes something, numbered from 0`() throws {
        let read = #"{"verb":"read","service":"180f","characteristic":"2a19"}"#
        let write = #"{"verb":"write","service":"180f","characteristic":"2a19","value":{"hex":"aa01"}}"#
        let json = #"{"id":"s","verb":"sequence","steps":[\#(read),{"verb":"connect"},\#(write),{"verb":"rssi"}]}"#
        #expect(
            text(try ok(json)) == """
                caller=nodered-1 device=door address=a1b2c3d4e5f6 verb=sequence status=ok id=s
                caller=nodered-1 device=door address=a1b2c3d4e5f6 step=2 verb=write service=180f characteristic=2a19 \
                bytes=2 hash=\(hash) id=s
                """
        )
        let reading = try fixture.command(#"{"verb":"sequence","steps":[\#(read),{"verb":"rssi"}]}"#)
        #expect(reading.refusal(.busy, detail: "").subject?.isAudited == false)
    }

    @Test func `a group's command is one line that names the group`() throws {
        let text = text(try ok(write, on: .group("lights", client: "nodered-1")), showsValues: true)
        #expect(
            text == "caller=nodered-1 group=lights verb=write service=180f characteristic=2a19 bytes=2 value=aa01 "
                + "status=ok id=7"
        )
    }

    @Test func `the hash is equal for equal values to one device and for nothing else`() throws {
        func hash(_ value: String, on device: String = "door", key: String = "key") throws -> String? {
            let json = #"{"verb":"write","handle":3,"value":{"hex":"\#(value)"}}"#
            let body = try ok(json, on: .device(device, client: "a"))
            return line(key: key).fields(of: body)[0].first { $0.key == .hash }?.value
        }
        let first = try #require(try hash("aa01"))
        #expect(first.wholeMatch(of: /[0-9a-f]{8}/) != nil)
        #expect(try hash("aa01") == first)
        #expect(try hash("aa02") != first)
        #expect(try hash("aa01", on: "c05a00000001") != first)
        #expect(try hash("aa01", key: "kez") != first)
        // Without the key whoever has the log would find the value among all short ones.
        #expect(Hex.text(Digest.sha256([0xAA, 0x01]).prefix(4)) != first)
    }

    @Test func `what changes a device, a bond, the gateway or others' commands is audited`() throws {
        let audited = Set(VerbName.allCases.filter(\.isAudited))
        #expect(
            audited == [
                .write, .transact, .sequence, .run, .pair, .pairAnswer, .unpair, .trust, .forget, .cancel,
                .adapterPower,
                .logLevel, .restart,
            ]
        )
        #expect(audited.allSatisfy { $0.changesSomething })
        #expect(
            try fixture.command(#"{"verb":"discover","refresh":true}"#).refusal(.busy, detail: "").subject?.isAudited
                == true
        )
        #expect(try fixture.command(#"{"verb":"discover"}"#).refusal(.busy, detail: "").subject?.isAudited == false)
    }
}
