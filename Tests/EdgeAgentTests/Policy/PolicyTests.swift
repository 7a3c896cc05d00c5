import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PolicyTests {
    /// A question of which only what matters is said.
    private func ask(
        _ verb: VerbName,
        as caller: String? = "a",
        on device: DeviceTarget? = nil,
        all: Bool = false,
        changing: Bool? = nil,
        _ attributes: AttributeSelector...
    ) -> PolicyQuestion {
        PolicyQuestion(
            identity: caller,
            verb: verb,
            isChanging: changing ?? verb.changesSomething,
            isOnAll: all,
            device: device,
            attributes: attributes
        )
    }

    @Test func `the first rule that meets decides`() throws {
        let rules = try policy("[{deny: write, callers: a}, {allow: write}, {deny: any}, {allow: read}]")
        #expect(!rules.decide(ask(.write, as: "a")).isAllowed)
        #expect(rules.decide(ask(.write, as: "b")).isAllowed)
        #expect(!rules.decide(ask(.read, as: "b")).isAllowed)
    }

    @Test(arguments: [VerbName.write, .read, .ping, .restart])
    func `what no rule meets is denied`(verb: VerbName) throws {
        let rules = try policy("[{allow: any, callers: b}]")
        #expect(!rules.decide(ask(verb)).isAllowed)
        #expect(!Policy(rules: []).decide(ask(verb)).isAllowed)
    }

    @Test func `any is every verb, read-only what changes nothing`() throws {
        let (any, readOnly) = (try policy("[{allow: any}]"), try policy("[{allow: read-only}]"))
        for verb in VerbName.allCases {
            #expect(any.decide(ask(verb)).isAllowed)
            #expect(readOnly.decide(ask(verb)).isAllowed == !verb.changesSomething, "\(verb)")
        }
        // A discover that forgets the device, a sequence of reads.
        #expect(!readOnly.decide(ask(.discover, changing: true)).isAllowed)
        #expect(readOnly.decide(ask(.sequence, changing: false)).isAllowed)
    }

    @Test(arguments: [
        ("nodered-1", ["nodered-1"], ["nodered-2", "Nodered-1", "x", nil]),
        ("\"shop-*\"", ["shop-1", "shop-"], ["shop", "nodered-1", nil]),
        ("\"*\"", ["a", "none"], [nil]),
        ("none", [nil], ["none", "a", "anonymous"]),
        ("[none, a]", [nil, "a"], ["b"]),
    ])
    func `callers are those of the topic's level`(callers: String, yes: [String?], no: [String?]) throws {
        let rules = try policy("[{allow: any, callers: \(callers)}]")
        for caller in yes { #expect(rules.decide(ask(.ping, as: caller)).isAllowed, "\(caller ?? "nobody")") }
        for caller in no { #expect(!rules.decide(ask(.ping, as: caller)).isAllowed, "\(caller ?? "nobody")") }
    }

    @Test func `a rule without callers is for everybody, without devices for all of them and the gateway`() throws {
        let rules = try policy("[{allow: any}]")
        for device in [nil, try .door(), try .stranger()] as [DeviceTarget?] {
            for caller in [nil, "a"] { #expect(rules.decide(ask(.read, as: caller, on: device)).isAllowed) }
        }
    }

    @Test(arguments: [
        ("door", [true, false, false, false]), ("a1b2c3d4e5f6", [true, false, false, false]),
        ("\"A1:B2:C3:D4:E5:F6\"", [true, false, false, false]), ("\"lamp-*\"", [false, true, false, false]),
        ("\"a1b2*\"", [true, true, false, false]), ("ffeeddccbbaa", [false, false, true, false]),
        ("\"*\"", [true, true, true, false]), ("gateway", [false, false, false, true]),
        ("[gateway, door]", [true, false, false, true]),
    ])
    func `devices are found by alias, address and mask`(devices: String, met: [Bool]) throws {
        let rules = try policy("[{allow: any, devices: \(devices)}]")
        let targets: [DeviceTarget?] = [try .door(), try .lamp(), try .stranger(), nil]
        #expect(targets.map { rules.decide(ask(.connect, on: $0)).isAllowed } == met)
    }

    @Test(arguments: [
        ("services: 180f", [AttributeSelector.battery], true),
        ("services: 0000180F-0000-1000-8000-00805F9B34FB", [.battery], true),
        ("services: [1809, 180f]", [.battery, .temperature], true),
        ("services: 180f", [.battery, .temperature], false),
        ("characteristics: 2a19", [.battery], true),
        ("characteristics: 2a19", [.temperature], false),
        ("services: 1809, characteristics: 2a19", [.battery], false),
        ("services: 180f, characteristics: 2a19", [.battery], true),
        // By handle alone nobody knows what it is; with its UUIDs beside it, it has to be that.
        ("services: 180f", [.unknown], false),
        ("characteristics: 2a19", [.unknown], false),
        ("characteristics: 2a19", [AttributeSelector(handle: 17, characteristic: 0x2A19)], true),
        ("services: 180f, characteristics: 2a19", [AttributeSelector(handle: 17, characteristic: 0x2A19)], false),
        ("services: 180f", [AttributeSelector(handle: 17, service: 0x180F)], true),
        ("characteristics: 2a19", [.battery, .unknown], false),
        (
            "characteristics: 2a19", [AttributeSelector(service: 0x180F, characteristic: 0x2A19, descriptor: 0x2902)],
            true
        ),
        // What touches nothing is not within anything.
        ("services: 180f", [], false),
    ])
    func `to allow, every attribute has to be known to be within the rule`(
        condition: String,
        attributes: [AttributeSelector],
        isMet: Bool
    ) throws {
        var question = ask(.write)
        question.attributes = attributes
        #expect(try policy("[{allow: write, \(condition)}]").decide(question).isAllowed == isMet)
    }

    @Test(arguments: [
        ("services: 180f", [AttributeSelector.battery], true),
        ("services: 180f", [.temperature, .battery], true),
        ("services: 180f", [.temperature], false),
        ("characteristics: 2a19", [.battery, .temperature], true),
        ("services: 1809, characteristics: 2a19", [.battery], false),
        ("services: 180f", [.unknown], true),
        ("characteristics: 2a19", [.temperature, .unknown], true),
        ("services: 180f, characteristics: 2a19", [AttributeSelector(handle: 17, characteristic: 0x2A19)], true),
        ("services: 180f, characteristics: 2a19", [AttributeSelector(handle: 17, characteristic: 0x2A1C)], false),
        ("services: 180f", [AttributeSelector(handle: 17, service: 0x1809)], false),
        ("services: 180f", [], false),
    ])
    func `to deny, it suffices that one attribute may be within the rule`(
        condition: String,
        attributes: [AttributeSelector],
        isMet: Bool
    ) throws {
        var question = ask(.write)
        question.attributes = attributes
        #expect(try policy("[{deny: write, \(condition)}, {allow: any}]").decide(question).isAllowed == !isMet)
    }

    @Test(arguments: [
        ("[{allow: any}]", false, false),
        ("[{allow: read-only, all: true}]", true, false),
        ("[{allow: any, all: true}]", true, true),
        ("[{allow: any, all: false}, {allow: ping, all: true}]", true, false),
        ("[{deny: adapter.power}, {allow: any, all: true}]", true, false),
        ("[{deny: any, callers: a}, {allow: any, all: true}]", false, false),
        ("[{allow: any, callers: b, all: true}]", false, false),
        ("[{allow: any, devices: gateway, all: true}]", true, true),
    ])
    func `on all a rule has to say so to allow, and never to deny`(rules: String, reads: Bool, changes: Bool) throws {
        let rules = try policy(rules)
        #expect(rules.decide(ask(.ping, all: true)).isAllowed == reads)
        #expect(rules.decide(ask(.adapterPower, all: true)).isAllowed == changes)
    }

    @Test(arguments: [
        ("[{allow: any}]", false), ("[{deny: any}]", false), ("[{allow: ping, all: true}]", true),
        ("[{deny: any, callers: x}, {allow: any, all: true}]", true),
    ])
    func `commands to all gateways are looked at when a rule is for them`(rules: String, reaches: Bool) throws {
        #expect(try policy(rules).reachesAll == reaches)
        let configuration = try policyConfiguration(rules)
        let gateway = try #require(GatewayID("shop-3"))
        let decoder = CommandDecoder(configuration, topics: TopicTree(gateway: gateway))
        #expect(decoder.limits.allMayChange == reaches)
    }

    @Test(arguments: [
        (
            "[{allow: read, callers: b}, {deny: write, devices: door}]", VerbName.write,
            "rule 2 (line 5) denies write for a on door"
        ),
        ("[{allow: [read, write]}]", .write, "rule 1 (line 5) allows write for a on door"),
        ("[{allow: read}]", .write, "no rule allows write for a on door"),
    ])
    func `a decision names its rule, the line and what was asked`(rules: String, verb: VerbName, text: String) throws {
        #expect(try policy(rules).decide(ask(verb, on: .door())).explanation == text)
    }

    @Test func `a decision says what was missing for a rule to allow`() throws {
        #expect(
            try policy("[{deny: restart}, {allow: ping}]").decide(ask(.ping, as: nil, all: true)).explanation
                == "no rule allows ping for a caller without a name in the topic on all gateways; "
                + "rule 2 (line 5) would, with all: true"
        )
        #expect(
            try policy("[{allow: read, services: 180f}]").decide(ask(.read, on: .door(), .unknown)).explanation
                == "no rule allows read for a on door; rule 1 (line 5) might, if the command named service and "
                + "characteristic instead of a handle"
        )
        #expect(
            try policy("[{allow: read, services: 180f}]").decide(ask(.read, .temperature)).explanation
                == "no rule allows read for a on the gateway"
        )
        #expect(Policy(rules: [PolicyRule(.deny, [.any])]).decide(ask(.ping)).explanation.hasPrefix("rule 1 denies"))
    }
}
