import EdgeAgent
import Testing

/// What `config/desired` may say, and what comes of it with the file's values.
@Suite(.timeLimit(.minutes(10)))
struct RemoteCombineTests {
    private static let file = """
        gateway: shop-3
        mqtt: {keepAliveSeconds: 60}
        limits: {maxQueuedPerDevice: 100}
        devices:
          - {address: "a1:b2:c3:d4:e5:f6", alias: door}
        groups: {hall: [door]}
        """

    private func combine(_ text: String, file: String = Self.file) throws -> Result<Configuration, RemoteProblems> {
        let base = readConfiguration(file)
        #expect(base.problems.isEmpty)
        return try #require(DesiredConfiguration(Array(text.utf8))).combined(over: base.configuration)
    }

    private func problems(_ text: String, file: String = Self.file) throws -> [RemoteProblems.Problem] {
        if case .failure(let problems) = try combine(text, file: file) { problems.list } else { [] }
    }

    @Test func `what is named changes, and everything else stays as the file has it`() throws {
        let base = readConfiguration(Self.file).configuration
        let text = #"{"logLevel":"debug","mqtt":{"version":5,"qos":{"scan":1}},"links":{"policy":"keep","max":3}}"#
        var expected = base
        expected.logLevel = .debug
        expected.mqtt.version = .v5
        expected.mqtt.qos.scan = 1
        (expected.links.rules.policy, expected.links.maximum) = (.keep, 3)
        #expect(try combine(text).get() == expected)
        #expect(try combine("{}").get() == base)
        #expect(try combine(#"{"mqtt":null,"devices":null,"groups":null}"#).get().devices.isEmpty)
    }

    @Test func `lists stand in the place of the file's`() throws {
        let lamp = #"{"address":"a1b2c3d4e5f7","alias":"lamp","intervalMs":5000,"link":{"policy":"keep"}}"#
        let both = try combine(#"{"devices":[\#(lamp)],"groups":{"all":["lamp"]}}"#).get()
        #expect(both.devices.map(\.alias) == ["lamp"] && both.devices[0].link.policy == .keep)
        #expect(both.groups.map(\.name) == ["all"])
        // The file's group has no door any more.
        let without = try problems(#"{"devices":[\#(lamp)]}"#)
        #expect(without == [.init(key: "groups.hall[0]", #"no device in devices has the alias "door""#)])
        #expect(try combine(#"{"groups":{"other":["door"]}}"#).get().groups.map(\.name) == ["other"])
        let twice = try problems(#"{"devices":[\#(lamp),\#(lamp)]}"#)
        #expect(twice.map(\.text).allSatisfy { $0.hasSuffix("is taken by another device") })
    }

    @Test(arguments: ConfigurationKey.all.filter { $0.remote == .never }.map(\.path) + ["policy"])
    func `what may not be changed is refused by its name, whatever its value`(path: String) throws {
        var text = "[\"S3cr3t\"]"
        for name in path.split(separator: ".").reversed() { text = "{\"\(name)\":\(text)}" }
        #expect(try problems(text) == [.init(key: path, ConfigurationReader.notRemote)])
    }

    @Test(arguments: ConfigurationKey.all.filter { $0.remote != .never })
    func `every other key is taken with the value that it has`(key: ConfigurationKey) throws {
        let file = Self.file + "\nbluetooth: {adapter: hci0}\nlinks: {maxAttempts: 7, rssiMin: -80, max: 2}"
        let base = readConfiguration(file).configuration
        let value = try #require(key.show(base), "\(key.path)")
        var text = key.form == .plain ? value : "\"\(value)\""
        for name in key.path.split(separator: ".").reversed() { text = "{\"\(name)\":\(text)}" }
        #expect(try combine(text, file: file).get() == base, "\(text)")
    }

    @Test(
        arguments: [
            (
                #"{"mqtt":{"keepAliveSeconds":2}}"#, "mqtt.keepAliveSeconds",
                #"expected a whole number from 5 to 65535 (s), found "2""#
            ),
            (
                #"{"mqtt":{"keepAliveSeconds":"60"}}"#, "mqtt.keepAliveSeconds",
                "expected a whole number from 5 to 65535 (s) without quotes"
            ),
            (#"{"mqtt":{"keepAliveSeconds":60.5}}"#, "mqtt.keepAliveSeconds", "expected a whole number"),
            (#"{"mqtt":{"keepAliveSeconds":null}}"#, "mqtt.keepAliveSeconds", "has no value"),
            (#"{"mqtt":{"keepAliveSeconds":{}}}"#, "mqtt.keepAliveSeconds", "expected a whole number"),
            (#"{"mqtt":5}"#, "mqtt", "expected a section of keys, found a single value"),
            (#"{"logLvl":"debug"}"#, "logLvl", "unknown key: did you mean logLevel?"),
            (#"{"":1}"#, "", "unknown key"),
            (#"{"logLevel":"S\u001b[31m"}"#, "logLevel", "expected one of error, warning, notice, info, debug, found"),
            (
                #"{"limits":{"maxQueuedTotal":50}}"#, "limits.maxQueuedTotal",
                "limits.maxQueuedTotal (50) must not be less than limits.maxQueuedPerDevice (100)"
            ),
            (#"{"devices":[{"alias":"lamp"}]}"#, "devices[0].address", "is missing"),
            (#"{"devices":{}}"#, "devices", "expected a list of devices, found a section"),
            (#"{"groups":[]}"#, "groups", "expected names with lists of devices"),
            ("[]", nil, "expected an object, found a list"), ("{", nil, "is no JSON that can be read"),
            ("not", nil, "is no JSON that can be read"), (#"{"a":1,"a":2}"#, nil, "is no JSON that can be read"),
            (#"{"a":"\#u{1}"}"#, nil, "is no JSON that can be read"), (#"{"logLevel":"debug"} x"#, nil, "is no JSON"),
            (String(repeating: #"{"a":"#, count: 50), nil, "is no JSON that can be read: nested deeper"),
        ] as [(String, String?, String)]
    )
    func `what is wrong is told with its key`(_ text: String, _ key: String?, _ message: String) throws {
        let problems = try problems(text)
        #expect(problems.count == 1 && problems.first?.key == key, "\(problems)")
        #expect(problems.first?.text.hasPrefix(message) == true, "\(problems)")
        #expect(!"\(problems)".contains("\u{1B}"))
    }

    @Test func `one wrong key keeps all of it from holding, and all that is wrong is told`() throws {
        let found = try problems(#"{"logLevel":"debug","broker":"mqtt://x","policy":[],"mqtt":{"nope":1}}"#)
        #expect(found.map(\.key) == ["broker", "policy", "mqtt.nope"])
        let many = (0..<500).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(try problems("{\(many)}").count == ConfigurationReader.maximumProblems)
    }

    @Test func `devices stay the file's while a rule goes by their names`() throws {
        let rules = Self.file + "\npolicy: [{allow: any, devices: [door, gateway]}]"
        let asked = #"{"devices":[{"address":"a1b2c3d4e5f6","alias":"door"}]}"#
        #expect(try problems(asked, file: rules).map(\.key) == ["devices"])
        let others = Self.file + "\npolicy: [{allow: ping, devices: gateway}, {allow: read-only}]"
        #expect(try combine(asked, file: others).get().devices.count == 1)
        #expect(try combine(asked, file: others).get().policy == readConfiguration(others).configuration.policy)
    }

    @Test func `a payload is known by its hash, and an empty one asks for nothing`() {
        #expect(DesiredConfiguration([]) == nil)
        let hash = DesiredConfiguration(Array("{}".utf8))?.hash
        #expect(hash == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    }

    @Test func `a file of YAML is published as JSON`() throws {
        let yaml = """
            # what is wanted
            logLevel: debug
            mqtt: {keepAliveSeconds: 120, version: "5"}
            devices:
              - {address: 012345678901, alias: door, shared: true, name: "7"}
            """
        let desired = try DesiredConfiguration(file: Array(yaml.utf8))
        let expected =
            #"{"logLevel":"debug","mqtt":{"keepAliveSeconds":120,"version":"5"},"#
            + #""devices":[{"address":"012345678901","alias":"door","shared":true,"name":"7"}]}"#
        #expect(String(decoding: desired.payload, as: UTF8.self) == expected)
        // JSON goes as it is.
        let json = "{ \"logLevel\" : \"info\" }\n"
        #expect(try DesiredConfiguration(file: Array(json.utf8)).payload == Array(json.utf8))
        #expect(try DesiredConfiguration(file: []).payload == Array("{}".utf8))
        for text in ["- a", "a: &x 1\nb: *x", "\"a", "a: [[[[[[[[[[1]]]]]]]]]]"] {
            #expect(throws: RemoteProblems.self, "\(text)") { try DesiredConfiguration(file: Array(text.utf8)) }
        }
    }
}
