import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct CommandTopicTests {
    let tree: TopicTree

    init() throws {
        tree = TopicTree(prefix: try #require(TopicPrefix("site/hall-2")), gateway: try #require(GatewayID("shop-3")))
    }

    @Test(
        arguments: [
            ("shop-3/cmd", .gateway(client: nil)), ("shop-3/cmd/nodered-1", .gateway(client: "nodered-1")),
            ("shop-3/cmd/", .gateway(client: "")),
            ("shop-3/dev/a1b2c3d4e5f6/cmd", .device("a1b2c3d4e5f6", client: nil)),
            ("shop-3/dev/door/cmd/ha", .device("door", client: "ha")), ("shop-3/dev//cmd", .device("", client: nil)),
            ("shop-3/dev/door/set/light", .set(device: "door", name: "light")),
            ("shop-3/group/lamps/cmd", .group("lamps", client: nil)),
            ("shop-3/group/lamps/cmd/ha", .group("lamps", client: "ha")),
            ("all/cmd", .all(client: nil)), ("all/cmd/ha", .all(client: "ha")), ("shop-3/status", .status),
            ("shop-3/dev/ü b/cmd", .device("ü b", client: nil)), ("shop-3/config/desired", .desired),
            ("shop-3/group//cmd/", .group("", client: "")), ("shop-3/dev/door/set/", .set(device: "door", name: "")),
        ] as [(String, CommandTopic)]
    ) func `each command topic is read`(rest: String, topic: CommandTopic) {
        #expect(tree.command("site/hall-2/v1/\(rest)") == topic)
    }

    @Test(arguments: [
        "", "/", "site/hall-2/v1", "site/hall-2/v1/shop-3", "site/hall-2/v2/shop-3/cmd", "site/v1/shop-3/cmd",
        "edge/v1/shop-3/cmd", "site/hall-2/v1/shop-4/cmd", "site/hall-2/v1/shop-3/cmd/a/b", "site/hall-2/v1/all/status",
        "site/hall-2/v1/all/dev/door/cmd", "site/hall-2/v1/shop-3/dev/door", "site/hall-2/v1/shop-3/dev/door/cmd/a/b",
        "site/hall-2/v1/shop-3/dev/../../x/cmd", "site/hall-2/v1/shop-3/dev/door/set", "site/hall-2/v1/shop-3/res/a/b",
        "site/hall-2/v1/shop-3/cmdx", "site/hall-2/v1/shop-3/dev/door/cmdx", "site/hall-2/v1/shop-3/statusx",
        "site/hall-2/v1/shop-3/status/x", "site/hall-2/v1/shop-3/config/desired/x", "site/hall-2/v1/shop-3x/cmd",
        "site/hall-2/v1/shop-3/dev/door/set/a/b", "site/hall-2/v1/all/config/desired", "site/hall-2/v1/all/group/g/cmd",
        "site/hall-2/v1/allx/cmd", "site/hall-2/v1/shop-3/dev/door/", "site/hall-2/v1/shop-3/", "site/hall-2/v1/all",
        "xsite/hall-2/v1/shop-3/cmd", "/site/hall-2/v1/shop-3/cmd", "site/hall-2/v1/SHOP-3/cmd",
    ]) func `every other topic is none`(topic: String) {
        #expect(tree.command(topic) == nil)
    }

    @Test func `a subscription brings in what is read, and nothing else`() {
        let filters = tree.subscriptions
        let base = "site/hall-2/v1/"
        for rest in [
            "shop-3/cmd", "shop-3/cmd/c", "shop-3/dev/d/cmd", "shop-3/dev/d/cmd/c", "shop-3/dev/d/set/n",
            "shop-3/group/g/cmd",
            "shop-3/group/g/cmd/c", "all/cmd", "all/cmd/c", "shop-3/status",
        ] {
            #expect(filters.count { $0.matches(base + rest) } == 1, "\(rest)")
            #expect(tree.command(base + rest) != nil)
        }
        for rest in ["shop-3/res/c/i", "shop-3/info", "shop-3/dev/d/job", "shop-4/cmd", "all/status"] {
            #expect(!filters.contains { $0.matches(base + rest) }, "\(rest)")
        }
        #expect(Set(filters).count == filters.count)
    }
}
