import BleCore
import EdgeAgent
import Testing

/// The keys of adapters and of what is done so that Bluetooth works again.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationRecoveryTests {
    @Test func `a helper is a path, or a list of it and its arguments`() {
        let one = readConfiguration("recovery: {helper: /usr/bin/mend}")
        #expect(one.problems.isEmpty && one.configuration.recovery.helper == ["/usr/bin/mend"])
        let yaml = "recovery:\n  helper:\n    - /bin/sh\n    - -c\n    - 'echo \"[a], {b}\" # c'\n"
        let list = readConfiguration(yaml)
        #expect(list.problems.isEmpty)
        #expect(list.configuration.recovery.helper == ["/bin/sh", "-c", "echo \"[a], {b}\" # c"])
        // What check-config prints means the same.
        let again = readConfiguration(ConfigurationText.yaml(list.configuration))
        #expect(again.problems.isEmpty && again.configuration.recovery == list.configuration.recovery)
    }

    private static let form = "expected an absolute path, or a list of one and up to 31 arguments"

    @Test(arguments: [
        ("recovery: {helper: mend}", "f:1: recovery.helper: \(form)"),
        ("recovery: {helper: []}", "f:1: recovery.helper: \(form)"),
        ("recovery: {helper: [mend, now]}", "f:1: recovery.helper: \(form)"),
        ("recovery: {helper: [/bin/mend, \"a\\nb\"]}", "f:1: recovery.helper: \(form)"),
        ("recovery: {helper: [/bin/mend, [a]]}", "f:1: recovery.helper: \(form), found a list of other things"),
        ("recovery: {powerCycle: yes}", "f:1: recovery.powerCycle: expected true or false, found \"yes\""),
        ("links: {policy: [keep]}", "f:1: links.policy: expected one of onDemand, keep, never, found a list"),
    ])
    func `what is no command is refused`(yaml: String, problem: String) {
        #expect(readConfiguration(yaml).problems.map(\.description) == [problem])
    }

    @Test func `adapters are meant by name or address`() throws {
        let reader = readConfiguration("bluetooth: {adapter: \"hci1, 00:1A:7D:DA:71:13\"}")
        #expect(reader.problems.isEmpty)
        let expected = [try #require(AdapterID("hci1")), try #require(AdapterID("001a7dda7113"))]
        #expect(reader.configuration.bluetooth.adapterIDs == expected)
        #expect(readConfiguration("").configuration.bluetooth.adapterIDs.isEmpty)
    }
}
