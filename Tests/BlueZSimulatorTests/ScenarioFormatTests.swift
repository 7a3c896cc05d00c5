import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ScenarioFormatTests {
    /// A file with one thing wrong, and the line and key that the reader has to name.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let key: String
        let message: String

        init(_ text: String, _ line: Int, _ key: String, _ message: String) {
            self.text = text
            self.line = line
            self.key = key
            self.message = message
        }

        var testDescription: String { "\(key): \(message)" }
    }

    static let wrong: [Wrong] = [
        Wrong(device("pairing: {prompt: shout}"), 3, "devices[0].pairing.prompt", "expected one of authorize, confirm"),
        Wrong(device("pairing: {passkey: 1000000}"), 3, "devices[0].pairing.passkey", "expected a whole number from 0"),
        Wrong("- 1", 1, "", "expected a section of keys, found a list"),
        Wrong("seed: 1\nfoo: 2", 2, "foo", "unknown key; there are: description, times, seed"),
        Wrong("seed: 1\nseed: 2", 2, "seed", "stands twice, first in line 1"),
        Wrong("seed: x", 1, "seed", "expected a whole number from 0 to"),
        Wrong("bluetoothd: yes", 1, "bluetoothd", "expected true or false, found \"yes\""),
        Wrong("times:\n  attMs: -1", 2, "times.attMs", "expected a whole number from 0 to 3600000, found \"-1\""),
        Wrong("times:\n  att: 1", 2, "times.att", "unknown key; there are: realistic, disconnectMs"),
        Wrong("adapters: 3", 1, "adapters", "expected a list, found a single value"),
        Wrong("adapters:\n- index: 0\n- index: 0", 3, "adapters[1]", "there is an adapter 0 before this one"),
        Wrong("adapters:\n- blocked: true\n  powered: true", 2, "adapters[0]", "a blocked adapter cannot be powered"),
        Wrong("adapters:\n- links: {releaseMs: 1}", 2, "adapters[0].links", "needs the key \"max\""),
        Wrong("adapters:\n- links: {max: 0}", 2, "adapters[0].links.max", "expected a whole number from 1 to 255"),
        Wrong("devices:\n- name: x\n  address: C0:5A:00:00:00:01", 2, "devices[0].name", "unknown key"),
        Wrong("devices:\n- mtu: 23", 2, "devices[0]", "needs the key \"address\""),
        Wrong("devices:\n- address: C0:5A", 2, "devices[0].address", "expected an address, as"),
        Wrong("devices:\n- address: C0:5A:00:00:00:01\n  adapter: 1", 2, "devices[0]", "there is no adapter 1"),
        Wrong("devices:\n- like: heart\n- like: heart", 3, "devices[1]", "there is a device C0:5A:00:00:00:02 before"),
        Wrong("devices:\n- like: liver", 2, "devices[0].like", "expected one of battery, bthome, framer, heart"),
        Wrong("devices:\n- like: heart\n  mtu: 22", 3, "devices[0].mtu", "expected a whole number from 23 to 517"),
        Wrong("devices:\n- like: heart\n  resolveMs: soon", 3, "devices[0].resolveMs", "expected a whole number"),
        Wrong(
            device("advertise: {manufacturer: {apple: 01}}"),
            3,
            "devices[0].advertise.manufacturer.apple",
            "the key"
        ),
        Wrong(device("advertise: {serviceData: {x: 01}}"), 3, "devices[0].advertise.serviceData.x", "the key must"),
        Wrong(
            device("advertise: {rssi: 0}"),
            3,
            "devices[0].advertise.rssi",
            "expected a whole number from -127 to -1"
        ),
        Wrong(device("services: [{uuid: xyz}]"), 3, "devices[0].services[0].uuid", "expected a UUID"),
        Wrong(
            device("services: [{uuid: 180f, characteristics: [{uuid: 2a19, flags: [shout]}]}]"),
            3,
            "devices[0].services[0].characteristics[0].flags[0]",
            "expected one of broadcast, indicate, notify, read, write, write-without-response"
        ),
        Wrong(characteristic("value: 1"), 3, path("value"), "expected bytes in hexadecimal"),
        Wrong(characteristic("value: [{hex: 01, utf8: a}]"), 3, path("value[0]"), "expected one key"),
        Wrong(characteristic("value: [{walk: {min: 2, max: 1}}]"), 3, path("value[0].walk"), "\"min\" is greater"),
        Wrong(characteristic("answersOn: ffe2, writeError: 1"), 3, path(""), "\"answersOn\" goes with neither"),
        Wrong("faults:\n- steps: []", 2, "faults[0]", "says of no call: give at least one of path, device"),
        Wrong("faults:\n- member: Connect", 2, "faults[0]", "needs the key \"steps\""),
        Wrong(fault("nth: 1, from: 2", "wait: 1"), 2, "faults[0]", "\"nth\" goes with neither"),
        Wrong(fault("from: 3, to: 2", "wait: 1"), 2, "faults[0]", "\"from\" is greater than \"to\""),
        Wrong(fault("enabled: false", "wait: 1"), 2, "faults[0]", "nobody can enable a fault without a name"),
        Wrong(fault("until: {}", "wait: 1"), 2, "faults[0].until", "says of no call"),
        Wrong(fault("name: a", "dance: 1"), 2, "faults[0].steps[0].dance", "unknown step; there are: wait"),
        Wrong(fault("name: a", "wait: 1, drop: this"), 2, "faults[0].steps[0]", "a step has one key, not 2"),
        Wrong(fault("name: a", "error: {text: x}"), 2, "faults[0].steps[0].error", "needs the key \"name\""),
        Wrong(fault("name: a", "error: {name: a..b}"), 2, "faults[0].steps[0].error.name", "expected an error's name"),
        Wrong(fault("name: a", "reply: [5]"), 2, "faults[0].steps[0].reply[0]", "expected a value with its type"),
        Wrong(fault("name: a", "reply: [{z: 5}]"), 2, "faults[0].steps[0].reply[0]", "expected a value with its type"),
        Wrong(
            fault("name: a", "reply: [{y: 256}]"),
            2,
            "faults[0].steps[0].reply[0].y",
            "expected a whole number from 0 to 255"
        ),
        Wrong(fault("name: a", "reply: [{o: x}]"), 2, "faults[0].steps[0].reply[0].o", "expected an object path"),
        Wrong(
            fault("name: a", "signal: {changed: {Connected: true}}"),
            2,
            "faults[0].steps[0].signal.changed.Connected",
            "expected a value with its type, as {s: text}, for a property that is not known"
        ),
        Wrong(
            fault("name: a", "signal: {interface: Device1, changed: {RSSI: loud}}"),
            2,
            "faults[0].steps[0].signal.changed.RSSI",
            "expected a whole number from -32768 to 32767"
        ),
        Wrong(fault("name: a", "carryOut: thrice"), 2, "faults[0].steps[0].carryOut", "expected one of none, twice"),
        Wrong(fault("name: a", "event: x"), 1, "faults", "there is no event \"x\""),
        Wrong(fault("name: a", "enable: x"), 1, "faults", "there is no fault \"x\""),
        Wrong(
            "faults:\n- {name: a, member: A, steps: []}\n- {name: a, member: B, steps: []}",
            1,
            "faults",
            "two faults"
        ),
        Wrong("events:\n  a: [drop: this]", 2, "events.a[0].drop", "there is no call here whose device"),
        Wrong("events:\n  a: [carryOut]", 2, "events.a[0]", "there is no call here that \"carryOut\" could answer"),
        Wrong("events:\n  a: [hop]", 2, "events.a[0]", "unknown step \"hop\""),
        Wrong("events:\n  a:\n  - signal: {changed: {}}", 3, "events.a[0].signal", "needs \"device\" or \"path\""),
        Wrong("timeline:\n- atMs: 5", 2, "timeline[0]", "needs the key \"steps\""),
        Wrong("timeline:\n- {rounds: 2, steps: []}", 2, "timeline[0]", "\"rounds\" needs \"everyMs\""),
        Wrong("seed: &a 1\nx: *a", 2, "x", "unknown key"),
        Wrong("seed: !!int 1", 1, "seed", "has a tag (!…)"),
        Wrong("seed: [", 2, "", "no valid YAML"),
    ]

    private static func device(_ more: String) -> String { "devices:\n- like: heart\n  \(more)" }
    private static func characteristic(_ more: String) -> String {
        device("services: [{uuid: ffe0, characteristics: [{uuid: ffe1, flags: [read], \(more)}]}]")
    }
    private static func path(_ more: String) -> String {
        "devices[0].services[0].characteristics[0]" + (more.isEmpty ? "" : ".\(more)")
    }
    private static func fault(_ more: String, _ step: String) -> String {
        "faults:\n- {member: Connect, \(more), steps: [{\(step)}]}"
    }

    @Test(arguments: wrong) func `what is wrong is told with its line and key`(_ wrong: Wrong) {
        let failure = #expect(throws: ScenarioProblems.self) { try Scenario.parse(Array(wrong.text.utf8)) }
        let found = failure?.problems.contains {
            $0.line == wrong.line && $0.key == wrong.key && $0.message.hasPrefix(wrong.message)
        }
        #expect(found == true, "\(failure?.description ?? "")")
    }

    @Test func `all that is wrong is told together, from the top down`() {
        let text = """
            seed: x
            devices:
              - address: nobody
                mtu: 5
            faults:
              - member: Connect
                steps: [{wait: -1}, {event: gone}]
            what: 1
            """
        let failure = #expect(throws: ScenarioProblems.self) { try Scenario.parse(Array(text.utf8)) }
        #expect(
            failure?.problems.map { "\($0.line ?? 0) \($0.key)" } == [
                "1 seed", "3 devices[0].address", "4 devices[0].mtu", "5 faults", "7 faults[0].steps[0].wait", "8 what",
            ]
        )
        #expect(failure?.description.hasPrefix("line 1: seed: expected a whole number") == true)
    }

    @Test func `an empty file is a world with one adapter`() throws {
        let scenario = try Scenario.parse(Array("seed: 7".utf8))
        #expect(scenario.adapters.map(\.index) == [0] && scenario.settings.seed == 7 && scenario.isPresent)
        #expect(try Scenario.parse([]).adapters.isEmpty)
    }

    @Test func `every key has its effect`() throws {
        let scenario = try Scenario.parse(Array(Self.full.utf8))
        #expect(scenario.settings.attDelay == .milliseconds(4) && scenario.settings.silentConnectEvery == 3)
        #expect(!scenario.isPresent && scenario.watchesBus)
        #expect(scenario.adapters.map(\.index) == [0, 2] && scenario.adapters[1].isBlocked)
        #expect(scenario.adapters[0].isScannedByOthers && scenario.adapters[0].name == "gw")
        #expect(scenario.adapters[0].linkLimit == LinkLimit(3, releaseDelay: .milliseconds(8)))
        let device = try #require(scenario.adapters[1].devices.first)
        #expect(device.address == "C0:5A:00:00:00:AA" && device.addressType == .public && device.isKnown)
        #expect(device.resolveTime == .never && device.mtu == 64 && !device.acceptsLinks)
        #expect(
            device.advertisement.manufacturer == [.init(0x4C, PayloadModel(.bytes([2]), .counter(.uint16, every: 3)))]
        )
        #expect(device.advertisement.serviceData == [.init("fcd2", .fixed([1, 2]))])
        #expect(device.isPaired && device.pairing?.prompt == .pin && device.pairing?.pin == "1234")
        let characteristics = device.services[0].characteristics
        #expect(characteristics[0].flags == [.read, .write] && characteristics[0].read == .error(5))
        #expect(characteristics[0].write == .accept([[1], [2]], error: 0x81))
        #expect(characteristics[0].descriptors == [DescriptorModel("2901", value: [0x61], isWritable: true)])
        let fault = scenario.faults[0]
        #expect(fault.calls == 2...3 && fault.pattern.device == "C0:5A:00:00:00:AA" && !fault.isEnabled)
        #expect(fault.until?.member == "Disconnect")
        #expect(
            fault.steps == [
                .signal(
                    .init(
                        object: .device(.called),
                        interface: "org.bluez.Device1",
                        changed: [
                            .init(name: "Connected", value: .bool(true)), .init(name: "RSSI", value: .string("x")),
                        ],
                        invalidated: ["TxPower"]
                    )
                ),
                .carryOut(.late(.milliseconds(5))), .reply([.bytes([1]), .properties([("A", .byte(1))])]),
                .fail(BluezError(name: "org.bluez.Error.Failed", message: "no")), .world(.vanish(.called)),
                .world(.appear(.address("C0:5A:00:00:00:AA"), adapter: 0)),
            ]
        )
        #expect(
            scenario.timeline == [.init(at: .milliseconds(5), every: .milliseconds(6), rounds: 7, steps: [.event("e")])]
        )
        #expect(scenario.events["e"]?.count == 14)
    }

    static let full = """
        description: everything
        seed: 3
        bluetoothd: false
        watchBus: true
        silentConnectEvery: 3
        times: {realistic: false, disconnectMs: 1, connectTimeoutMs: 2, resolveMs: 3, attMs: 4, temporaryMs: 5}
        adapters:
          - {name: gw, scannedByOthers: true, address: "00:1A:7D:DA:71:01", links: {max: 3, releaseMs: 8}}
          - {index: 2, blocked: true}
        devices:
          - address: "c0:5a:00:00:00:aa"
            adapter: 2
            addressType: public
            mtu: 64
            connectMs: 7
            resolveMs: never
            answers: false
            known: true
            paired: true
            pairing: {prompt: pin, passkey: 1, pin: "1234", bonds: false}
            advertise:
              name: Thing
              flags: 0x06
              services: [180f]
              manufacturer: {0x004c: [{hex: 02}, {counter: {bytes: 2, every: 3}}]}
              serviceData: {fcd2: "01 02"}
              txPower: 4
              appearance: 833
              intervalMs: 20
              rssi: -50
              rssiSpread: 0
              connectable: true
            services:
              - uuid: ffe0
                primary: true
                characteristics:
                  - uuid: ffe1
                    flags: [read, write]
                    value: [{utf8: a}, {walk: {min: 0, max: 9, from: 5, step: 1, bytes: 1, bigEndian: true}}]
                    limit: 20
                    readError: 5
                    accepts: ["01", "02"]
                    writeError: 0x81
                    notifyMs: 100
                    needsPairing: true
                    descriptors: [{uuid: 2901, value: 61, writable: true}]
                  - {uuid: ffe2, flags: [write], answersOn: ffe3}
        faults:
          - name: f
            enabled: false
            device: "C0:5A:00:00:00:AA"
            path: "/org/bluez/*"
            uuid: ffe1
            interface: Device1
            member: Connect
            client: ":1.*"
            argument: x
            from: 2
            to: 3
            until: {member: Disconnect}
            steps:
              - signal: {device: this, changed: {Connected: true, RSSI: {s: x}}, invalidated: [TxPower]}
              - carryOut: {lateMs: 5}
              - reply: [{ay: 01}, {"a{sv}": {A: {y: 1}}}]
              - error: {name: Failed, text: no}
              - vanish: this
              - appear: {device: "C0:5A:00:00:00:AA", adapter: 0}
        timeline:
          - {atMs: 5, everyMs: 6, rounds: 7, steps: [{event: e}]}
        events:
          e:
            - link: "C0:5A:00:00:00:AA"
            - drop: "C0:5A:00:00:00:AA"
            - reach: {device: "C0:5A:00:00:00:AA", enabled: false}
            - advertise: {enabled: false}
            - notify: {device: "C0:5A:00:00:00:AA", characteristic: ffe1, value: 01}
            - power: {adapter: 2, enabled: true}
            - block: {enabled: true}
            - unplug: 0
            - plug: {adapter: 0, as: 1}
            - leaveBus
            - killBus
            - stopBus
            - returnToBus
            - enable: f
        """
}
