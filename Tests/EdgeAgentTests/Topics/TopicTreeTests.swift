import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct TopicTreeTests {
    let tree: TopicTree

    init() throws { tree = TopicTree(gateway: try #require(GatewayID("shop-3"))) }

    @Test func `every topic of the gateway stands in its tree`() throws {
        #expect(tree.status == "edge/v1/shop-3/status")
        #expect(tree.info == "edge/v1/shop-3/info")
        #expect(tree.health == "edge/v1/shop-3/health")
        #expect(tree.bluetooth == "edge/v1/shop-3/bluetooth")
        #expect(tree.adapter(try #require(AdapterName("hci0"))) == "edge/v1/shop-3/adapter/hci0")
        #expect(tree.result(client: "nodered-1", id: "7f3c") == "edge/v1/shop-3/res/nodered-1/7f3c")
        let session = try #require(SessionName("hall"))
        #expect(tree.scan(session) == "edge/v1/shop-3/scan/hall")
        #expect(tree.scanState(session) == "edge/v1/shop-3/scan/hall/state")
    }

    @Test func `every topic of a device stands below its published name`() {
        let door = tree.device(.alias("door"))
        #expect(door.job == "edge/v1/shop-3/dev/door/job")
        #expect(door.link == "edge/v1/shop-3/dev/door/link")
        #expect(door.event == "edge/v1/shop-3/dev/door/event")
        #expect(door.state == "edge/v1/shop-3/dev/door/state")
        #expect(door.avail == "edge/v1/shop-3/dev/door/avail")
        #expect(door.gatt == "edge/v1/shop-3/dev/door/gatt")
        #expect(door.notify(0x180F, 0x2A19) == "edge/v1/shop-3/dev/door/notify/180f/2a19")
        #expect(door.notify(0x180F, 0x2A19, handle: 17) == "edge/v1/shop-3/dev/door/notify/180f/2a19@17")
    }

    @Test func `no topic that the agent publishes is one that it takes commands from`() throws {
        let door = tree.device(.alias("cmd"))
        let session = try #require(SessionName("cmd"))
        let published = [
            tree.info, tree.health, tree.bluetooth, tree.result(client: "cmd", id: "cmd"), tree.scan(session),
            tree.scanState(session), door.job, door.link, door.event, door.state, door.avail, door.gatt,
            door.notify(0x180F, 0x2A19),
        ]
        for topic in published { #expect(tree.command(topic) == nil, "\(topic)") }
    }

    @Test(arguments: [
        ("a/b", "a/b", true), ("a/b", "a/c", false), ("a/b", "a/b/c", false), ("a/b/c", "a/b", false),
        ("a/+", "a/b", true),
        ("a/+", "a", false), ("a/+", "a/", true), ("+/b", "a/b", true), ("a/#", "a/b/c", true), ("a/#", "a", true),
        ("a/#", "ab", false), ("#", "a/b", true), ("#", "$SYS/x", false), ("+/x", "$SYS/x", false),
        ("$SYS/#", "$SYS/x", true),
        ("+", "", true), ("a/+/c/#", "a/b/c", true),
    ]) func `a filter takes in what a broker would`(filter: String, topic: String, isMatch: Bool) throws {
        #expect(try #require(TopicFilter(filter)).matches(topic) == isMatch)
    }

    @Test(arguments: ["", "a#", "#/a", "a/b+", "a\u{0}"]) func `what is no filter is refused`(text: String) {
        #expect(TopicFilter(text) == nil)
    }
}
