import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PolicyConfigurationTests {
    @Test func `rules are read in their order with their lines`() {
        let reader = readConfiguration(
            """
            policy:
              - allow: [read, read-only]
                callers: [nodered-1, "shop-*", none]
                devices: [a1:b2:c3:d4:e5:f6, "lamp-*", gateway]
                services: 180F
                characteristics:
                  - 2a19
                  - 0000ffe1-0000-1000-8000-00805f9b34fb
                all: true

              # The rest.
              - deny: any
            """
        )
        #expect(reader.problems.isEmpty && reader.warnings.isEmpty)
        let rules = reader.configuration.policy?.rules ?? []
        let first = PolicyRule(
            .allow,
            [.verb(.read), .readOnly],
            callers: ["nodered-1", "shop-*", "none"].compactMap { PolicyCallers($0) },
            devices: ["a1b2c3d4e5f6", "lamp-*", "gateway"].compactMap { PolicyDevices($0) },
            services: [0x180F],
            characteristics: [0x2A19, 0xFFE1],
            isForAll: true
        )
        #expect(rules == [first, PolicyRule(.deny, [.any])])
        #expect(rules.map(\.line.number) == [2, 12])
    }

    @Test(arguments: ["", "policy:", "policy: ~", "policy:\n  # - deny: any\n"])
    func `without rules there is no policy`(yaml: String) {
        let reader = readConfiguration(yaml)
        #expect(reader.problems.isEmpty)
        #expect(reader.configuration.policy == nil)
    }

    @Test(arguments: [
        ("policy: 5", "f:1: policy: expected a list of rules, found a single value"),
        ("policy: {allow: any}", "f:1: policy: expected a list of rules, found a section"),
        (
            "policy: []",
            "f:1: policy: expected 1 to 1024 rules, found 0: leave the key out to allow everything, or write deny: any"
        ),
        ("policy: [any]", "f:1: policy[0]: expected allow or deny with its verbs, found a single value"),
        ("policy: [{}]", "f:1: policy[0]: needs allow or deny with its verbs"),
        ("policy:\n  - callers: a", "f:2: policy[0]: needs allow or deny with its verbs"),
        ("policy: [{allow: any, deny: any}]", "f:1: policy[0]: has allow and deny: make two rules of it"),
        ("policy:\n  - allow: any\n    caller: a", "f:3: policy[0].caller: unknown key: did you mean callers?"),
        ("policy:\n  - allow: any\n    allow: read", "f:3: policy[0].allow: stands twice"),
        ("policy: [{allow: any, [a]: b}]", "f:1: policy[0]: a key must be a single word"),
        (
            "policy:\n  - allow:\n      - read\n      - wriet",
            "f:4: policy[0].allow[1]: expected a verb, read-only or any, found \"wriet\": did you mean write?"
        ),
        (
            "policy: [{deny: readonly}]",
            "f:1: policy[0].deny: expected a verb, read-only or any, found \"readonly\": did you mean read-only?"
        ),
        ("policy: [{allow: }]", "f:1: policy[0].allow: has no value: expected a verb, read-only or any"),
        ("policy: [{allow: []}]", "f:1: policy[0].allow: expected 1 to 256 values, found 0"),
        ("policy: [{allow: [[read]]}]", "f:1: policy[0].allow[0]: expected a verb, read-only or any, found a list"),
        ("policy: [{allow: !x read}]", "f:1: policy[0].allow: has a tag (!…): write the plain value"),
        (
            "policy: [{allow: any, callers: a b}]",
            "f:1: policy[0].callers: expected none, or A-Z, a-z, 0-9, _ and -, with * for any, found \"a b\""
        ),
        (
            "policy: [{allow: any, callers: [a, ~]}]",
            "f:1: policy[0].callers[1]: has no value: expected none, or A-Z, a-z, 0-9, _ and -, with * for any"
        ),
        (
            "policy: [{allow: any, devices: Door}]",
            "f:1: policy[0].devices: expected an address, an alias, a part of one with *, or gateway, found \"Door\""
        ),
        (
            "policy: [{allow: read, services: [180f, xyz]}]",
            "f:1: policy[0].services[1]: expected a UUID of 4, 8 or 32 hexadecimal digits, found \"xyz\""
        ),
        (
            "policy: [{allow: read, characteristics: 2a1}]",
            "f:1: policy[0].characteristics: expected a UUID of 4, 8 or 32 hexadecimal digits, found \"2a1\""
        ),
        ("policy: [{allow: any, all: yes}]", "f:1: policy[0].all: expected true or false, found \"yes\""),
        ("policy: [{allow: any, all: \"true\"}]", "f:1: policy[0].all: expected true or false, found \"true\""),
        (
            "policy: [{deny: any, all: true}]",
            "f:1: policy[0]: all has no place beside deny, which holds on all/cmd anyway"
        ),
        (
            "policy: [{allow: [read, connect], services: 180f}]",
            "f:1: policy[0]: connect touches no characteristic: the rule would never meet it"
        ),
        (
            "policy: [{allow: [rssi, scan], devices: \"*\"}]",
            "f:1: policy[0]: scan is for the gateway, which is not among devices"
        ),
        (
            "policy: [{allow: [connect, read], devices: gateway}]",
            "f:1: policy[0]: read is for a device, and there is only the gateway among devices"
        ),
        (
            "policy:\n  - deny: any\n    devices: [\"*\", dor]\ndevices: [{address: a1b2c3d4e5f6, alias: door}]",
            "f:3: policy[0].devices[1]: no device has the alias \"dor\": did you mean door?"
        ),
        ("policy: [{deny: any, devices: door}]", "f:1: policy[0].devices: no device has the alias \"door\""),
        ("polcy: [{deny: any}]", "f:1: polcy: unknown key: did you mean policy?"),
        ("audit: {file: log}", "f:1: audit.file: expected an absolute path"),
        ("audit: {values: 1}", "f:1: audit.values: expected true or false, found \"1\""),
        ("audit: {valus: true}", "f:1: audit.valus: unknown key: did you mean values?"),
    ])
    func `what is wrong with a rule is said with its line and place`(yaml: String, problem: String) {
        #expect(readConfiguration(yaml).problems.map(\.description) == [problem])
    }

    @Test func `all that is wrong comes out together, in bounds`() {
        let two = readConfiguration("policy:\n  - allow: fly\n  - deny: any\n    callers: \"\"\n")
        #expect(two.problems.map(\.key) == ["policy[0].allow", "policy[1].callers"])
        let many = "policy:\n" + String(repeating: "  - allow: fly\n", count: 1024)
        #expect(readConfiguration(many).problems.count == ConfigurationReader.maximumProblems)
        let tooMany = "policy:\n" + String(repeating: "  - deny: any\n", count: 1025)
        #expect(readConfiguration(tooMany).problems.map(\.message) == ["expected 1 to 1024 rules, found 1025"])
        let wide = "policy: [{allow: [\(String(repeating: "read,", count: 257))]}]"
        #expect(readConfiguration(wide).problems.map(\.message) == ["expected 1 to 256 values, found 257"])
    }

    @Test func `a wrong device is not told again by the rule that names it`() {
        let yaml = "policy: [{deny: any, devices: door}]\ndevices: [{address: x, alias: door}]"
        #expect(readConfiguration(yaml).problems.map(\.key) == ["devices[0].address"])
    }

    @Test func `a rule that is never asked, and a word with two meanings, are warned of`() {
        let reader = readConfiguration(
            """
            policy:
              - allow: any
                devices: [gateway]
              - deny: any
              - allow: read
            devices: [{address: a1b2c3d4e5f6, alias: gateway}]
            """
        )
        #expect(reader.problems.isEmpty)
        #expect(
            reader.warnings.map(\.description) == [
                "f:5: policy[2]: is never asked: the rule before it meets every command",
                "policy: gateway means the gateway itself: name the device with this alias by its address",
            ]
        )
        for rule in ["{allow: any}", "{deny: any, callers: a}", "{deny: read-only}", "{deny: any, devices: \"*\"}"] {
            #expect(readConfiguration("policy: [\(rule), {allow: read}]").warnings.isEmpty, "\(rule)")
        }
    }

    @Test func `the effective configuration has the rules, and changes its hash with them`() throws {
        let reader = readConfiguration(
            """
            policy:
              - {allow: any, callers: ["*", "none", "on", "1"], devices: ["lamp-*", gateway, a1b2c3d4e5f6], all: true}
              - {deny: [write, read-only], services: [1800, 12345678], characteristics: 2a19}
            audit: {file: /var/log/a.log, values: true}
            """
        )
        #expect(reader.problems.isEmpty)
        let text = ConfigurationText.yaml(reader.configuration)
        let again = readConfiguration(text)
        #expect(again.problems.isEmpty)
        #expect(again.configuration.policy == reader.configuration.policy)
        #expect(again.configuration.audit == reader.configuration.audit)
        #expect(ConfigurationText.yaml(again.configuration) == text)
        #expect(text.hasSuffix("    characteristics: [\"2a19\"]\n"))
        var other = reader.configuration
        other.policy?.rules[1].effect = .allow
        #expect(ConfigurationText.hash(other) != ConfigurationText.hash(reader.configuration))
        other.policy = nil
        #expect(!ConfigurationText.yaml(other).contains("\npolicy:"))
    }
}
