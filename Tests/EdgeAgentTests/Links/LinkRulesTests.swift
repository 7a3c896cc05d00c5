import BleCore
import EdgeAgent
import Testing

/// Which rules hold for a device's link, and who says so.
@Suite(.timeLimit(.minutes(10)))
struct LinkRulesTests {
    private let door: DeviceAddress
    private let lamp: DeviceAddress

    init() throws {
        door = try #require(DeviceAddress("a1b2c3d4e5f6"))
        lamp = try #require(DeviceAddress("a1b2c3d4e5f7"))
    }

    @Test func `the last command goes before the device's configuration, and that before the rest`() {
        var standard = LinkRules()
        standard.idle = .seconds(3)
        standard.maxAttempts = 9
        var book = LinkRulebook(standard, configured: [door: LinkSettings(policy: .keep, rssiMin: -80)])
        #expect(book[lamp] == standard && book.kept == [door])
        #expect(book[door].policy == .keep && book[door].idle == .seconds(3))
        book.set(LinkSettings(policy: .onDemand, idle: .zero), for: door)
        #expect(book[door].policy == .onDemand && book[door].idle == .zero)
        #expect(book[door].rssiMin == -80 && book[door].maxAttempts == 9 && book.kept == [])
        book.set(LinkSettings(), for: door)
        #expect(book[door].policy == .keep && book.commanded.isEmpty)
    }

    @Test func `with never no command makes a link but a connect that says otherwise`() {
        let book = LinkRulebook(LinkRules(), configured: [door: LinkSettings(policy: .never)])
        #expect(book.allowsLink(.connect(), to: lamp))
        #expect(!book.allowsLink(.connect(), to: door))
        #expect(!book.allowsLink(.connect(LinkSettings()), to: door))
        #expect(book.allowsLink(.connect(LinkSettings(policy: .onDemand)), to: door))
        #expect(!book.allowsLink(.discover(DiscoverRequest()), to: door))
    }

    @Test func `a device's section is read, and written as it was`() throws {
        let reader = readConfiguration(
            """
            links: {policy: never, idleMs: 5, maxAttempts: 7, rssiMin: -90, reconnectMinMs: 200, reconnectMaxMs: 300, heldMs: 0}
            devices:
              - address: a1b2c3d4e5f6
                alias: door
                link: {policy: keep, idleMs: 0, maxAttempts: 3, rssiMin: -127}
              - {address: a1b2c3d4e5f7, alias: lamp, link: }
            """
        )
        #expect(reader.problems == [])
        let links = reader.configuration.links
        #expect(links.rules.policy == .never && links.rules.idle == .milliseconds(5))
        #expect(links.rules.maxAttempts == 7 && links.rules.rssiMin == -90)
        #expect(links.reconnectMinimum == .milliseconds(200) && links.reconnectMaximum == .milliseconds(300))
        #expect(links.held == .zero)
        let settings = LinkSettings(policy: .keep, idle: .zero, maxAttempts: 3, rssiMin: -127)
        #expect(reader.configuration.devices.map(\.link) == [settings, LinkSettings()])
        let text = ConfigurationText.yaml(reader.configuration)
        #expect(readConfiguration(text).problems == [])
        #expect(readConfiguration(text).configuration.links == links)
        #expect(readConfiguration(text).configuration.devices == reader.configuration.devices)
    }

    @Test(arguments: [
        ("link: 1", "link", "expected a section of keys, found a single value"),
        ("link: [a]", "link", "expected a section of keys, found a list"),
        ("link: {policy: Keep}", "link.policy", #"expected onDemand, keep or never, found "Keep""#),
        ("link: {polizy: keep}", "link.polizy", "unknown key: did you mean policy?"),
        ("link: {policy: keep, policy: keep}", "link.policy", "stands twice"),
        ("link: {idleMs: -1}", "link.idleMs", #"expected a whole number from 0 to 86400000 (ms), found "-1""#),
        ("link: {maxAttempts: 0}", "link.maxAttempts", #"expected a whole number from 1 to 1000000, found "0""#),
        ("link: {rssiMin: \"-70\"}", "link.rssiMin", #"expected a whole number from -127 to 20 (dBm), found "-70""#),
        ("link: {rssiMin: }", "link.rssiMin", "expected a whole number from -127 to 20 (dBm), found"),
    ])
    func `what is wrong with a device's section is said`(_ line: String, _ key: String, _ message: String) throws {
        let text = "devices:\n  - address: a1b2c3d4e5f6\n    alias: door\n    \(line)\n"
        let problem = try #require(readConfiguration(text).problems.first)
        #expect(problem.key == "devices[0].\(key)" && problem.message.hasPrefix(message), "\(problem)")
    }

    @Test func `the longest gap is not less than the first`() {
        let problems = readConfiguration("links: {reconnectMinMs: 5000, reconnectMaxMs: 4000}").problems
        #expect(problems.map(\.key) == ["links.reconnectMaxMs"])
    }
}
