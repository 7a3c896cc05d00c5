import EdgeAgent
import Testing

/// The groups of the configuration: names with lists of devices.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationGroupTests {
    private static let devices = """
        devices:
          - {address: a1b2c3d4e5f6, alias: door}
          - {address: a1b2c3d4e5f7, alias: lamp}

        """

    @Test func `groups are read in the order of the file, before or behind the devices`() {
        let groups = """
            groups:
              lights: [lamp, "AA:BB:CC:DD:EE:FF"]
              0_all-:
                - door
                - lamp
                - 112233445566
            """
        for yaml in [Self.devices + groups, groups + "\n" + Self.devices] {
            let reader = readConfiguration(yaml)
            #expect(reader.problems.isEmpty)
            #expect(
                reader.configuration.groups == [
                    GroupConfiguration(name: "lights", members: ["lamp", "aabbccddeeff"]),
                    GroupConfiguration(name: "0_all-", members: ["door", "lamp", "112233445566"]),
                ]
            )
        }
    }

    @Test(arguments: ["groups:", "groups: ~", "groups: {}"])
    func `a section without groups is none`(yaml: String) {
        let reader = readConfiguration(yaml)
        #expect(reader.problems.isEmpty && reader.configuration.groups.isEmpty)
    }

    private static let name = "a group's name has 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or digit"

    @Test(arguments: [
        ("groups: [door]", "f:4: groups: expected names with lists of devices, found a list"),
        ("groups: lights", "f:4: groups: expected names with lists of devices, found a single value"),
        ("groups: !x {a: [door]}", "f:4: groups: has a tag (!…): write the plain value"),
        ("groups:\n  lights: [window]", "f:5: groups.lights[0]: no device in devices has the alias \"window\""),
        (
            "groups:\n  lights:\n    - lamp\n    - door\n    - lamp",
            "f:8: groups.lights[2]: \"lamp\" is in the group already"
        ),
        (
            "groups:\n  lights: [lamp, door,\n    A1:B2:C3:D4:E5:F6]",
            "f:6: groups.lights[2]: \"a1b2c3d4e5f6\" is in the group already"
        ), ("groups: {lights: [a1b2c3d4e5f7, lamp]}", "f:4: groups.lights[1]: \"lamp\" is in the group already"),
        ("groups: {Lights: [lamp]}", "f:4: groups: \(name)"), ("groups: {a/b: [lamp]}", "f:4: groups: \(name)"),
        ("groups: {-a: [lamp]}", "f:4: groups: \(name)"), ("groups: {\"\": [lamp]}", "f:4: groups: \(name)"),
        ("groups: {[a]: [lamp]}", "f:4: groups: \(name)"),
        (
            "groups: {lights: []}",
            "f:4: groups.lights: expected a list of 1 to 256 aliases or addresses, found an empty list"
        ),
        (
            "groups: {lights: lamp}",
            "f:4: groups.lights: expected a list of 1 to 256 aliases or addresses, found a single value"
        ),
        ("groups:\n  lights:", "f:5: groups.lights: expected a list of 1 to 256 aliases or addresses, found nothing"),
        (
            "groups:\n  lights: [lamp]\n  doors: [door]\n  lights: [door]",
            "f:7: groups.lights: stands twice, first in line 5"
        ), ("groups: {lights: [[lamp]]}", "f:4: groups.lights[0]: expected an alias or a Bluetooth address"),
        ("groups: {lights: [lamp, Door]}", "f:4: groups.lights[1]: expected an alias or a Bluetooth address"),
        ("groups: {lights: [a1b2c3d4e5]}", "f:4: groups.lights[0]: no device in devices has the alias \"a1b2c3d4e5\""),
        ("groups: {lights: [\"a1:b2:c3:d4:e5\"]}", "f:4: groups.lights[0]: expected an alias or a Bluetooth address"),
        ("group: {lights: [lamp]}", "f:4: group: unknown key: did you mean groups?"),
        ("limits: {groups: 5}", "f:4: limits.groups: unknown key"),
    ])
    func `what is wrong with a group is said with line, key and expectation`(yaml: String, problem: String) {
        #expect(readConfiguration(Self.devices + yaml).problems.map(\.description) == [problem])
    }

    @Test func `all that is wrong comes out together, line by line`() {
        let yaml = Self.devices + "groups:\n  a: [window, lamp, lamp]\n  B: [door]\n  c: [x, Y]"
        let problems = readConfiguration(yaml).problems
        let keys = ["groups.a[0]", "groups.a[2]", "groups", "groups.c[0]", "groups.c[1]"]
        #expect(problems.compactMap(\.key).sorted() == keys.sorted())
        #expect(problems.map { $0.description.prefix(4) } == ["f:5:", "f:5:", "f:6:", "f:7:", "f:7:"])
    }

    @Test func `an alias is not called missing when its device was refused`() {
        let yaml = "devices:\n  - {address: nonsense, alias: lamp}\ngroups: {lights: [lamp]}"
        #expect(readConfiguration(yaml).problems.map(\.key) == ["devices[0].address"])
    }

    @Test func `bounds hold whatever the file says`() {
        let many = (0..<257).map { "  g\($0): [door]\n" }.joined()
        let problems = readConfiguration(Self.devices + "groups:\n" + many).problems
        #expect(problems.map(\.message) == ["expected at most 256 groups, found 257"])
        let members = Array(repeating: "door", count: 257).joined(separator: ", ")
        let long = readConfiguration(Self.devices + "groups: {a: [\(members)]}").problems
        #expect(
            long.map(\.message) == ["expected a list of 1 to 256 aliases or addresses, found a list of 257"]
        )
        let unknown = (0..<200).map { "x\($0)" }.joined(separator: ", ")
        let nonsense = "groups:\n" + (0..<200).map { "  g\($0): [\(unknown)]\n" }.joined()
        #expect(readConfiguration(nonsense).problems.count == ConfigurationReader.maximumProblems)
    }

    @Test func `names of groups and members cannot break a line of the log`() {
        let problems = readConfiguration("groups: {\"a\\nb\": [lamp], c: [\"x\\ny\"]}").problems
        #expect(problems.count == 2)
        #expect(problems.allSatisfy { !$0.description.contains("\n") })
    }

    @Test func `groups are part of the effective configuration, which means the same when it is read again`() {
        let yaml = Self.devices + "groups: {\"on\": [lamp, 112233445566], a-1: [door]}\nlinks: {max: 3}"
        let reader = readConfiguration(yaml)
        #expect(reader.problems.isEmpty)
        let text = ConfigurationText.yaml(reader.configuration)
        let again = readConfiguration(text)
        #expect(again.problems.isEmpty)
        #expect(again.configuration.groups == reader.configuration.groups && again.configuration.groups.count == 2)
        #expect(again.configuration.links.maximum == 3)
        #expect(ConfigurationText.yaml(again.configuration) == text)
        var other = reader.configuration
        other.groups[0].members.removeLast()
        #expect(ConfigurationText.hash(other) != ConfigurationText.hash(reader.configuration))
    }

    @Test func `the most links of an adapter are unknown unless they are set`() {
        let unset = readConfiguration("links: {idleMs: 5}")
        #expect(unset.problems.isEmpty && unset.configuration.links.maximum == nil)
        let text = ConfigurationText.yaml(unset.configuration)
        #expect(readConfiguration(text).configuration.links == unset.configuration.links)
        #expect(readConfiguration("links: {max: 64}").configuration.links.maximum == 64)
        for value in ["0", "65", "-1", "many", "\"3\"", "1.5"] {
            let problems = readConfiguration("links: {max: \(value)}").problems
            #expect(problems.count == 1 && problems[0].key == "links.max", "\(value)")
            #expect(problems[0].message.hasPrefix("expected a whole number from 1 to 64"), "\(value)")
        }
        #expect(readConfiguration("links:\n  max:").problems.map(\.key) == ["links.max"])
    }
}
