import EdgeAgent
import Testing

/// Reads a YAML text and gives the reader after all checks.
func readConfiguration(_ yaml: String, flags: [(String, String)] = []) -> ConfigurationReader {
    var reader = ConfigurationReader(defaultGateway: "shop-1")
    reader.read(yaml: Array(yaml.utf8), path: "f")
    for (flag, value) in flags { reader.read(flag: flag, value: value) }
    reader.check()
    return reader
}

@Suite(.timeLimit(.minutes(10)))
struct ConfigurationReaderTests {
    @Test(arguments: ["", "# nothing\n", "---\n", "~\n", "mqtt:\n  # all lines commented out\ndevices:\n", "\u{FEFF}"])
    func `a file that sets nothing gives the defaults`(yaml: String) {
        let reader = readConfiguration(yaml)
        #expect(reader.problems.isEmpty)
        #expect(reader.configuration == Configuration(gateway: "shop-1"))
        #expect(reader.configuration.clientID == "edge-shop-1")
    }

    @Test func `values come from the file and flags go before them`() {
        let yaml = """
            broker: mqtts://agent@broker.example
            prefix: a/b
            logLevel: debug
            clock: require-sync
            shutdownGraceMs: 0
            mqtt: {version: 5, keepAliveSeconds: 60, cleanSession: false, qos: {scan: 1}, tlsMinimum: 1.3}
            bluetooth: {adapter: hci1}
            limits: {retainedDeviceHours: 48, replayWindowMs: 60000, replayCommands: 100, replayBytes: 65536}
            links: {idleMs: 1500, max: 5}
            devices:
              - address: AA:BB:CC:DD:EE:FF
                alias: lamp
                name: "Küche: Lampe"
              - {address: 112233445566, alias: "b"}
            """
        let reader = readConfiguration(
            yaml,
            flags: [("--log-level", "error"), ("--gateway", "g"), ("--mqtt-version", "3.1.1")]
        )
        let configuration = reader.configuration
        #expect(reader.problems.isEmpty)
        #expect(configuration.broker == BrokerAddress(secure: true, host: "broker.example", port: 8883, user: "agent"))
        #expect(configuration.username == "agent")
        #expect(configuration.clientID == "a-b-g")
        #expect(configuration.logLevel == .error)
        #expect(configuration.clock == .requireSync)
        #expect(configuration.shutdownGrace == .zero)
        #expect(configuration.mqtt.version == .v311)
        #expect(configuration.mqtt.keepAlive == .seconds(60))
        #expect(!configuration.mqtt.cleanSession)
        #expect(configuration.mqtt.qos.scan == 1)
        #expect(configuration.mqtt.tlsMinimum == .tls13)
        #expect(configuration.bluetooth.adapter == "hci1")
        #expect(configuration.limits.retainedDevice == .seconds(48 * 3600))
        #expect(configuration.links.rules.idle == .milliseconds(1500))
        #expect(configuration.links.maximum == 5)
        #expect(configuration.limits.replayWindow == .seconds(60))
        #expect(configuration.limits.replayCommands == 100)
        #expect(configuration.limits.replayBytes == 65_536)
        #expect(
            configuration.devices == [
                DeviceConfiguration(address: "aabbccddeeff", alias: "lamp", name: "Küche: Lampe"),
                DeviceConfiguration(address: "112233445566", alias: "b"),
            ]
        )
    }

    @Test(arguments: [
        ("gatway: a", "f:1: gatway: unknown key: did you mean gateway?"),
        (
            "\nmqtt:\n  keep_alive_seconds: 5",
            "f:3: mqtt.keep_alive_seconds: unknown key: did you mean keepAliveSeconds?"
        ),
        ("keepAliveSeconds: 5", "f:1: keepAliveSeconds: unknown key: did you mean mqtt.keepAliveSeconds?"),
        ("zebra: 5", "f:1: zebra: unknown key"),
        ("prefix: a\nprefix: b", "f:2: prefix: stands twice, first in line 1"),
        (
            "prefix: ",
            "f:1: prefix: has no value: leave the key out for its default, else levels of A-Z, a-z, 0-9, _ and - "
                + "joined by /, at most 64 characters"
        ),
        (
            "prefix: ''",
            "f:1: prefix: expected levels of A-Z, a-z, 0-9, _ and - joined by /, at most 64 characters, "
                + "found \"\""
        ),
        (
            "gateway: [a]",
            "f:1: gateway: expected 1 to 63 of a-z, 0-9 and -, not starting with -, not \"all\", found a list"
        ),
        ("mqtt: 5", "f:1: mqtt: expected a section of keys, found a single value"),
        ("mqtt: {qos: {scan: 3}}", "f:1: mqtt.qos.scan: expected a whole number from 0 to 1, found \"3\""),
        ("mqtt: {qos: {scan: -1}}", "f:1: mqtt.qos.scan: expected a whole number from 0 to 1, found \"-1\""),
        (
            "mqtt: {qos: {scan: \"1\"}}",
            "f:1: mqtt.qos.scan: expected a whole number from 0 to 1 without quotes, found \"1\""
        ),
        (
            "limits: {maxQueuedTotal: 99999999999999999999999}",
            "f:1: limits.maxQueuedTotal: expected a whole number from 1 to 100000, found \"99999999999999999999999\""
        ),
        ("mqtt: {cleanSession: yes}", "f:1: mqtt.cleanSession: expected true or false, found \"yes\""),
        ("logLevel: loud", "f:1: logLevel: expected one of error, warning, notice, info, debug, found \"loud\""),
        ("stateDir: here", "f:1: stateDir: expected an absolute path"),
        ("prefix: !x a", "f:1: prefix: has a tag (!…): write the plain value"),
        ("prefix: &a a\ngateway: *a", "f:2: gateway: is an alias (*…): write the value out"),
        ("<<: {a: 1}", "f:1: <<: unknown key: merge keys are not accepted"),
        ("[a]: 1", "f:1: a key must be a single word"),
        ("- a", "f:1: expected keys with values, as \"gateway: shop-3\", found a list"),
        ("devices: 5", "f:1: devices: expected a list of devices, found a single value"),
        ("devices: [5]", "f:1: devices[0]: expected an address and an alias, found a single value"),
        (
            "devices: [{address: aabbccddeeff, alias: a, nam: b}]",
            "f:1: devices[0].nam: unknown key: did you mean name?"
        ),
        (
            "mqtt: {reconnectMinMs: 5000, reconnectMaxMs: 1000}",
            "f:1: mqtt.reconnectMaxMs: mqtt.reconnectMaxMs (1000) must not be less than mqtt.reconnectMinMs (5000)"
        ),
        (
            "limits: {maxQueuedPerDevice: 2000}",
            "f:1: limits.maxQueuedPerDevice: limits.maxQueuedTotal (1024) must not be less than "
                + "limits.maxQueuedPerDevice (2000)"
        ),
        (
            "broker: mqtt://a@h\nmqtt: {username: b}",
            "f:2: mqtt.username: differs from the user name in broker: leave one of them out"
        ),
        ("a: 1\n--- \nb: 2", "f:2: a second document starts here; one is expected"),
        (String(repeating: "[", count: 500_000), "f:1: is nested too deeply"),
        (String(repeating: "- ", count: 500_000), "f:1: is nested too deeply"),
        (String(repeating: " ", count: 1_048_577), "f: is larger than 1048576 bytes"),
    ])
    func `what is wrong is said with line, key and expectation`(yaml: String, problem: String) {
        #expect(readConfiguration(yaml).problems.map(\.description) == [problem])
    }

    @Test(arguments: ["a: [", "a: b: c", "\"", "a: 1\n b: 2\n", "@", "%YAML 9.9\n---\n", "a: *nobody", "? {"])
    func `broken YAML is one problem with a line`(yaml: String) {
        let problems = readConfiguration(yaml).problems
        #expect(!problems.isEmpty)
        #expect(problems.allSatisfy { $0.description.hasPrefix("f:") && !$0.message.contains("\n") })
    }

    @Test func `bytes that are no text are named by their line`() {
        var reader = ConfigurationReader(defaultGateway: "g")
        reader.read(yaml: Array("prefix: a\ngateway: ".utf8) + [0xFF, 0xFE], path: "f")
        #expect(reader.problems.count == 1)
        #expect(reader.problems.first?.description.hasPrefix("f:2: no valid UTF-8 text") == true)
    }

    @Test func `all problems come out together in the order of the file, flags last`() {
        let yaml = """
            broker: mqtt://h:0
            limits: {maxQueuedTotal: 1}
            mqtt:
              version: 6
            x: 1
            """
        let reader = readConfiguration(yaml, flags: [("--adapter", "usb"), ("--gateway", "all")])
        #expect(
            reader.problems.map { String($0.description.prefix { $0 != " " }) + " " + ($0.key ?? "") } == [
                "f:1: broker", "f:2: limits.maxQueuedTotal", "f:4: mqtt.version", "f:5: x",
                "--adapter bluetooth.adapter", "--gateway gateway",
            ]
        )
    }

    @Test func `a refused value is not compared with others`() {
        let problems = readConfiguration("limits: {maxQueuedTotal: 0, maxQueuedPerDevice: 2000}").problems
        #expect(problems.map(\.key) == ["limits.maxQueuedTotal"])
    }

    @Test func `a file full of nonsense ends after a hundred problems`() {
        let keys = (0..<50_000).map { "k\($0): 1\n" }.joined()
        #expect(readConfiguration(keys).problems.count == ConfigurationReader.maximumProblems)
        let devices = "devices:\n" + String(repeating: " - x\n", count: 4000)
        #expect(readConfiguration(devices).problems.count == ConfigurationReader.maximumProblems)
        let many = "devices:\n" + String(repeating: " - x\n", count: 5000)
        #expect(readConfiguration(many).problems.map(\.message) == ["expected at most 4096 devices, found 5000"])
    }

    @Test(arguments: [
        "broker: mqtt://user:S3cr3t-needle@host",
        "broker: S3cr3t-needle",
        "mqtt: {password: S3cr3t-needle}",
        "password: S3cr3t-needle",
        "mqtt: {passwordFile: S3cr3t-needle}",
        "zzz: S3cr3t-needle",
    ])
    func `a password in the wrong place is never repeated`(yaml: String) {
        let problems = readConfiguration(yaml).problems
        #expect(problems.count == 1)
        #expect(problems.allSatisfy { !$0.description.contains("S3cr3t") })
    }

    @Test func `keys and paths from the file cannot break a line`() {
        var reader = ConfigurationReader(defaultGateway: "g")
        reader.read(yaml: Array("\"a\\nb\\e[31m\": 1\n\(String(repeating: "k", count: 900)): 1".utf8), path: "x\ny")
        #expect(reader.problems.count == 2)
        #expect(reader.problems.allSatisfy { !$0.description.contains("\n") && $0.description.utf8.count < 300 })
        #expect(reader.problems.first?.description == "x\\ny:1: a\\nb\\u{1b}[31m: unknown key")
    }
}
