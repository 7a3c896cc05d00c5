import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct AdvertisementTests {
    let stamp: MessageStamp
    let session: SessionName
    let address: DeviceAddress

    init() throws {
        stamp = MessageStamp(gateway: try #require(GatewayID("shop-3")), boot: "9e", seq: 1, timeMs: 0)
        session = try #require(SessionName("hall"))
        address = try #require(DeviceAddress("a1b2c3d4e5f6"))
    }

    private func text(_ device: HeardDevice) -> String {
        String(decoding: ScanBatchMessage(session: session, devices: [device], dropped: 2).encode(stamp), as: UTF8.self)
    }

    @Test func `an advertisement has the contract's shape`() throws {
        var advertisement = Advertisement(address: address, adapter: "hci0", heard: 1000)
        advertisement.addressType = .random
        advertisement.name = "Thermo"
        advertisement.rssi = -61
        advertisement.txPower = 4
        advertisement.services = [0x180F, 0xFCD2]
        advertisement.manufacturerData = [0x0499: [5], 0x004C: [2, 0x15]]
        advertisement.serviceData = [0xFCD2: [0x40], 0x12345678: []]
        advertisement.lastHeard = 2000
        advertisement.signals = 3
        let via = try #require(DeviceAddress("010203040506"))
        #expect(
            text(HeardDevice(name: .alias("door"), advertisement: advertisement, via: via))
                == #"{"session":"hall","devices":[{"dev":"door","address":"a1b2c3d4e5f6","addressType":"random","via":"010203040506","#
                + #""name":"Thermo","rssi":-61,"txPower":4,"uuids":["180f","fcd2"],"manufacturer":{"004c":"0215","0499":"05"},"#
                + #""serviceData":{"fcd2":"40","12345678":""},"first":"1970-01-01T00:00:01.000Z","#
                + #""last":"1970-01-01T00:00:02.000Z","signals":3,"adapter":"hci0"}],"dropped":2,"gw":"shop-3","boot":"9e","seq":1,"ts":"1970-01-01T00:00:00.000Z"}"#
        )
    }

    @Test func `what is not known is null, or empty`() {
        let advertisement = Advertisement(address: address, adapter: "hci0", heard: 0)
        #expect(
            text(HeardDevice(name: .address(address), advertisement: advertisement)).contains(
                #""dev":"a1b2c3d4e5f6","address":"a1b2c3d4e5f6","addressType":"public","name":null,"rssi":null,"txPower":null,"#
                    + #""uuids":[],"manufacturer":{},"serviceData":{},"first""#
            )
        )
    }

    @Test(arguments: JSONWriterTests.hostileNames) func `B07: a hostile name is a value and nothing else`(name: String)
        throws
    {
        var advertisement = Advertisement(address: address, adapter: "hci0", heard: 0)
        advertisement.name = name
        let heard = HeardDevice(name: .address(address), advertisement: advertisement)
        let known = KnownDevice(
            device: DeviceTarget(address: address, name: .address(address)),
            addressType: .public,
            name: name
        )
        let fixture = try DecoderFixture()
        let command = try fixture.command(#"{"verb":"scan"}"#, on: DecoderFixture.onGateway)
        let messages = [
            ScanBatchMessage(session: session, devices: [heard]).encode(stamp),
            ResultEncoder().encode(
                .ok(command, confirmed: .local, payload: .scan([heard], isTruncated: false)),
                stamp: stamp
            ).payload,
            ResultEncoder().encode(
                .ok(command, confirmed: .local, payload: .devices([known], isTruncated: false)),
                stamp: stamp
            ).payload, EventMessage(device: known.device, event: .name(name)).encode(stamp),
        ]
        for message in messages {
            #expect(!message.contains { $0 < 0x20 })
            let body = try parsed(message)
            let devices = body["devices"] ?? body["result"]?.object?["devices"]
            #expect((devices?.array?.first?.object?["name"] ?? body["name"]) == .string(name))
        }
    }
}
