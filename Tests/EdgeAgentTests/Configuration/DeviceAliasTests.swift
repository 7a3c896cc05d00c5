import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeviceAliasTests {
    /// YAML's double quotes, with escapes for what is not printable.
    private func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0.value < 0x20 ? "\\x0\($0.value)" : String($0) }.joined() + "\""
    }

    @Test(arguments: [
        "bulb #1", "a+b", "room/lamp", "x y", "", "$x", "ü", "a\u{7}", String(repeating: "a", count: 70_000), "#",
        "Lamp",
        "1lamp", "-lamp", "abcdefabcdef", "lamp ", "../x",
    ])
    func `B59 an alias that could break a topic is refused before anything starts`(alias: String) {
        let yaml = "devices:\n  - address: a1b2c3d4e5f6\n    alias: \(quoted(alias))\n"
        let problems = readConfiguration(yaml).problems
        #expect(problems.count == 1)
        #expect(problems.first?.key == "devices[0].alias")
        #expect(problems.first?.origin == .file("f", line: 3))
        #expect((problems.first?.description.utf8.count ?? .max) < 400)
        #expect(readConfiguration(yaml).configuration.devices.isEmpty)
    }

    @Test(arguments: [
        "lamp", "a", "room-2_lamp", "abcdefabcdeg", "abcdefabcde", String(repeating: "a", count: 64),
        // Words of the topic tree: a device's level stands below `dev`, where none of them has a meaning.
        "status", "all", "cmd", "dev", "group", "scan", "info",
    ])
    func `B59 a plain alias is taken as it is`(alias: String) {
        let reader = readConfiguration("devices: [{address: a1b2c3d4e5f6, alias: \(quoted(alias))}]")
        #expect(reader.problems.isEmpty)
        #expect(reader.configuration.devices.map(\.alias) == [alias])
    }

    @Test func `B59 two devices cannot share an alias or an address`() {
        let yaml = """
            devices:
              - {address: a1:b2:c3:d4:e5:f6, alias: lamp}
              - {address: a1b2c3d4e5f7, alias: lamp}
              - {address: A1B2C3D4E5F6, alias: other}
            """
        #expect(
            readConfiguration(yaml).problems.map(\.description) == [
                "f:3: devices[1].alias: \"lamp\" is taken by the device in line 2",
                "f:4: devices[2].address: \"a1b2c3d4e5f6\" is taken by the device in line 2",
            ]
        )
    }

    @Test func `a device needs an address and an alias`() {
        let problems = readConfiguration("devices: [{}, {address: null, alias: a}, {address: x, alias: b, name: \"\"}]")
            .problems
        #expect(
            problems.map { $0.key ?? "" } == [
                "devices[0].address", "devices[0].alias", "devices[1].address", "devices[2].address", "devices[2].name",
            ]
        )
    }
}
