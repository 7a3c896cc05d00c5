import BleCore
import EdgeAgent
import Testing

/// The discovery messages of a device and of the gateway.
@Suite(.timeLimit(.minutes(10)))
struct DeviceAnnouncementTests {
    private let topics: TopicTree
    private let address: DeviceAddress
    private let identities = HomeIdentities(discoveryPrefix: "homeassistant", node: "shop-3")

    init() throws {
        topics = TopicTree(gateway: try #require(GatewayID("shop-3")))
        address = try #require(DeviceAddress("a1b2c3d4e5f6"))
    }

    private func announcement(
        _ values: [DisplayedValue],
        alias: String? = "lamp",
        isShared: Bool = false
    ) -> DeviceAnnouncement {
        let device = DisplayedDevice(address: address, name: "Desk lamp", isShared: isShared, values: values)
        let name = alias.map { DeviceName.alias($0) } ?? .address(address)
        return DeviceAnnouncement(
            device,
            target: DeviceTarget(address: address, name: name),
            topics: topics,
            identities: identities
        )
    }

    private func object(_ announcement: DeviceAnnouncement) throws -> JSONObject {
        try #require(try JSONReader(maxBytes: 100_000).read(announcement.encode()).object)
    }

    @Test func `the gateway is sound and has what people look for`() throws {
        let gateway = DeviceAnnouncement(gateway: topics, identities: identities)
        #expect(gateway.topic == "homeassistant/device/shop-3/gateway/config")
        #expect(gateway.components.flatMap(\.problems) == [])
        #expect(
            gateway.components.map(\.key) == [
                "connection", "bluetooth", "queue", "links", "recoveries", "restart", "pairing",
            ]
        )
        // Whether it is there has to be seen just when it is not.
        #expect(gateway.components.filter { $0.availability == nil }.map(\.key) == ["connection"])
        let root = try object(gateway)
        #expect(root["o"]?.object?["name"]?.string == "edge-agent" && root["avty"] == nil)
    }

    @Test func `a device is known by its address, whatever its alias is`() throws {
        let value = DisplayedValue("temperature", .sensor)
        let (named, bare) = (announcement([value]), announcement([value], alias: nil))
        #expect(named.topic == bare.topic && named.identity == bare.identity)
        let root = try object(named)
        let device = try #require(root["dev"]?.object)
        #expect(device["ids"]?.array == [.string("edge-agent_shop-3_a1b2c3d4e5f6")])
        #expect(device["cns"]?.array == [.array([.string("bluetooth"), .string("A1:B2:C3:D4:E5:F6")])])
        #expect(device["via_device"]?.string == "edge-agent_shop-3")
        let component = try #require(root["cmps"]?.object?["sensor-temperature"]?.object)
        #expect(component["unique_id"]?.string == "edge-agent_shop-3_a1b2c3d4e5f6_temperature")
        #expect(component["stat_t"]?.string == "edge/v1/shop-3/dev/lamp/state")
    }

    @Test func `it is there when the gateway and the device are`() throws {
        let root = try object(announcement([]))
        let topics = root["avty"]?.array?.compactMap { $0.object?["t"]?.string }
        #expect(topics == ["edge/v1/shop-3/status", "edge/v1/shop-3/dev/lamp/avail"])
        #expect(root["avty_mode"]?.string == "all")
    }

    @Test func `a shared beacon is the same for each gateway`() {
        let shared = announcement([], isShared: true)
        #expect(shared.topic == "homeassistant/device/a1b2c3d4e5f6/config")
        #expect(shared.identity == "edge-agent_a1b2c3d4e5f6")
        #expect(HomeIdentities.isDiscoveryTopic(shared.topic))
        #expect(HomeIdentities.isDiscoveryTopic(announcement([]).topic))
    }

    private static let kinds: [(DisplayedValue.Kind, HomePlatform)] = [
        (.sensor, .sensor), (.choice(["a", "b"]), .sensor), (.binarySensor, .binarySensor), (.event(["press"]), .event),
        (.switch, .switch), (.number(0...10, step: 0.5), .number), (.select(["a"]), .select), (.button, .button),
        (.text(maximumLength: 20), .text), (.light(brightness: nil), .light),
        (.light(brightness: .init(value: "level", command: "level", scale: 100)), .light),
    ]

    @Test(arguments: kinds.indices)
    func `each kind of value becomes a sound component`(_ index: Int) throws {
        let (kind, platform) = Self.kinds[index]
        let component = try #require(announcement([DisplayedValue("value", kind)]).components.first)
        #expect(component.platform == platform && component.problems == [])
        #expect(component.commandTopic == (platform.isOperated ? "edge/v1/shop-3/dev/lamp/set/value" : nil))
    }

    @Test func `a name of people's with quotes and line ends is a value and nothing else`() throws {
        var device = announcement([DisplayedValue("temperature", .sensor, title: "\"\n}")])
        device.name = "\\\" , }\n"
        let root = try object(device)
        #expect(root["dev"]?.object?["name"]?.string == "\\\" , }\n")
        #expect(root["cmps"]?.object?["sensor-temperature"]?.object?["name"]?.string == "\"\n}")
    }
}
