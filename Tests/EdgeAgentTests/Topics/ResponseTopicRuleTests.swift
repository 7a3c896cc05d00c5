import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResponseTopicRuleTests {
    let tree: TopicTree
    let rule: ResponseTopicRule

    init() throws {
        tree = TopicTree(gateway: try #require(GatewayID("shop-3")))
        rule = ResponseTopicRule(tree: tree)
    }

    @Test(arguments: [
        "edge/v1/shop-3/res/ha/x", "edge/v1/shop-3/res/ha/a/b", "edge/v1/shop-3/res/ha", "reply/x", "reply",
        "reply/ä/b",
    ]) func `a caller may use its own result topics and reply topics`(topic: String) {
        #expect(rule.allows(topic, for: "ha"))
    }

    @Test(arguments: [
        "", "edge/v1/shop-3/res/other/x", "edge/v1/shop-3/res/ha2/x", "edge/v1/shop-3/res", "edge/v1/shop-3/status",
        "edge/v1/shop-3/cmd", "edge/v1/shop-3/dev/door/cmd", "edge/v1/shop-3/info", "edge/v1/all/cmd",
        "edge/v1/shop-4/cmd",
        "edge/v1/shop-4/res/ha/x", "edge/v1", "reply/+", "reply/#", "reply/a+b", "reply/\u{0}", "reply/\u{7}",
        "reply/\u{FFFE}",
        "$SYS/x", "$share/g/reply/x", "other/x", "replying/x", "/reply/x", "homeassistant/status",
        "reply/" + String(repeating: "x", count: 1024),
    ]) func `every other place is denied`(topic: String) {
        #expect(!rule.allows(topic, for: "ha"))
    }

    @Test func `a wide allow-list opens neither the agents' own topics nor forbidden ones`() throws {
        let all = try #require(TopicFilter("#"))
        let home = try #require(TopicFilter("homeassistant/#"))
        let wide = ResponseTopicRule(tree: tree, allowed: [all], forbidden: [home])
        #expect(wide.allows("anything/at/all", for: "ha"))
        for topic in [
            "edge/v1/shop-3/status", "edge/v1/shop-3/cmd/ha", "edge/v1/all/cmd", "edge/v1/shop-4/status",
            "homeassistant/status",
            "$SYS/x",
        ] { #expect(!wide.allows(topic, for: "ha"), "\(topic)") }
    }

    @Test func `the longest topic is still allowed`() {
        let topic = "reply/" + String(repeating: "x", count: ResponseTopicRule.maxBytes - 6)
        #expect(rule.allows(topic, for: "ha"))
        #expect(!rule.allows(topic + "x", for: "ha"))
    }
}
