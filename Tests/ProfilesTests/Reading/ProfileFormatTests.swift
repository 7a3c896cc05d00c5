import BleCore
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProfileFormatTests {
    /// A profile with every key that there is.
    static let full = """
        profile: acme-heater
        title: ACME heater
        manufacturer: ACME
        model: H1
        match:
          - name: ["Heater *", "H?"]
            services: [ffe0]
            manufacturer: [{id: "0499", prefix: "05 01", mask: "ff 0f", length: [6, 8-]}, any]
            serviceData: [fcd2, {uuid: 181a, prefix: aa, length: 3-4}]
            addresses: ["a4:c1:38", c0]
          - {manufacturer: "0499"}
        fallback: true
        encryption: bthome2
        counter: {value: packet, bits: 16}
        intervalMs: 60000
        shared: true
        link: {policy: keep, idleMs: 5000, maxAttempts: 3, rssiMin: -90}
        sources:
          - manufacturer: "0499"
            prefix: "05"
            length: 6-30
            when: [{offset: 1, bit: 0}, {offset: 2, type: u16le, is: [1, 3-5]}, {bytes: 6-30}]
            address: {offset: 2, reversed: true}
            checksum: {kind: crc16-modbus, order: little, from: 1, at: 4}
            fields:
              - skip: 1
              - {skip: 2, when: {bit: 1, is: 0}}
              - {name: packet, type: u16be, state: false}
              - name: temperature
                offset: 5
                type: u24be
                bit: 0
                bits: 23
                sign: 22
                divide: 1000
                modulo: 500
                scale: 0.1
                add: -40
                unit: "°C"
                none: [65535, 0x7fff]
                map: {65534: null}
                plus: [{offset: 3, type: u8, scale: 0.01, none: 255}]
                min: -40
                max: 85.5
                needs: packet
                when: {bit: 3}
                display: {component: sensor, name: Temperature, deviceClass: temperature, stateClass: measurement,
                  category: diagnostic, icon: "mdi:thermometer", precision: 1, enabled: false}
              - {name: light, type: u8, curve: {top: 65535, steps: 254}, required: true, display: none}
              - {name: series, type: u8, repeat: true}
              - objects:
                  header: id
                  ordered: true
                  table:
                    0x01: {name: battery, type: u8, repeat: true}
                    0x3a: {name: button, type: u8, map: {1: press, 2: hold}, none: 0, event: true}
                    60:
                      - skip: 1
                      - {name: dial, type: u8, map: {1: left}, event: {details: [{name: steps, offset: 2, type: u8}]}}
                    0x53: {name: note, type: utf8}
          - serviceData: fcd2
            fields:
              - {name: seen, type: u32le, format: time}
              - {name: id, type: hex, length: 16, format: uuid}
          - name: true
            prefix: "48"
            fields: [{name: label, type: utf8}]
          - characteristic: {service: ffe0, uuid: ffe1, notify: true, atConnect: true, everyMs: 60000}
            fields:
              - {name: target, type: u8, display: {component: number, min: 5, max: 30, step: 0.5}}
              - {name: mode, type: u8, map: {0: off, 1: heat}, display: {component: select}}
              - {name: level, type: u8, display: {component: light, brightness: target, brightnessScale: 100}}
          - characteristic: {handle: 12, notify: true}
            fields: [{name: raw, type: hex}]
        commands:
          - name: set-target
            title: Set the target
            args:
              - {name: target, type: u8, scale: 0.5, add: 5, unit: "°C", min: 5, max: 30, step: 0.5}
              - {name: mode, type: u8, map: {0: off, 1: heat}, default: heat}
              - {name: label, type: utf8, length: 4, default: abc}
            write: {service: ffe0, uuid: ffe1, mode: request}
            notify: {uuid: ffe2}
            frame: "aa {length} 01 {target} {mode}{label}"
            length: {type: u8, adjust: 2}
            chunk: {first: 20, then: 100}
            gapMs: 10
            accept: {prefix: aa, match: {offset: 1, hex: "81"}, minBytes: 3, on: first}
            take: {offset: 1, length: 9}
            complete: {length: {offset: 1, type: u8, adjust: 2}}
            fail: {prefix: aaee}
            checksum: {kind: sum8, order: big, from: 1, send: true, verify: true}
            packetTimeoutMs: 5000
            timeoutMs: 30000
            parse: [{name: target, offset: 3, type: u8, scale: 0.5, add: 5}]
            idempotent: true
            readOnly: false
            sets: target
          - name: version
            read: {service: 180a, uuid: 2a26}
            parse: [{name: version, type: utf8}]
            readOnly: true
          - name: restart
            write: {handle: 14}
            frame: "ff"
            chunk: {size: 20}
            display: {component: button, name: Restart, category: config}
        """

    @Test func `a profile with every key is read`() throws {
        let profile = try Profile(yaml: Self.full)
        #expect(profile.id == "acme-heater" && profile.title == "ACME heater" && profile.isFallback && profile.isShared)
        #expect(profile.interval == .seconds(60) && profile.encryption == .bthome2)
        #expect(profile.counter == PacketCounter(value: "packet", bits: 16))
        #expect(profile.link == ProfileLink(policy: .keep, idle: .seconds(5), maxAttempts: 3, rssiMin: -90))
        #expect(profile.match.count == 2 && profile.match[0].addresses == ["a4c138", "c0"])
        #expect(profile.match[0].manufacturers[1].key == nil && profile.match[1].manufacturers[0].key == 0x0499)
        #expect(profile.match[0].manufacturers[0].shape.lengths == [6...6, 8...65_535])
        #expect(profile.sources.count == 5)
        #expect(profile.events.map(\.name) == ["button", "dial"])
        #expect(profile.events[0].types == ["press", "hold"] && profile.events[0].display?.component == .event)
        let names = profile.values.map(\.name)
        #expect(
            names == [
                "packet", "temperature", "light", "series", "battery", "note", "seen", "id", "label", "target", "mode",
                "level", "raw",
            ]
        )
        let temperature = try #require(profile.value(named: "temperature"))
        #expect(temperature.unit == "°C" && temperature.isAdvertised && temperature.kind == .number)
        #expect(temperature.display?.deviceClass == "temperature" && temperature.display?.isEnabled == false)
        #expect(profile.value(named: "packet")?.isState == false && profile.value(named: "packet")?.display == nil)
        #expect(profile.value(named: "light")?.display == nil && profile.value(named: "note")?.display != nil)
        #expect(
            profile.value(named: "mode")?.options == ["off", "heat"] && profile.value(named: "mode")?.kind == .text
        )
        #expect(profile.value(named: "battery_2")?.name == "battery" && profile.value(named: "note_2") == nil)
        #expect(profile.command(forSetting: "target")?.name == "set-target")
        #expect(profile.command(forSetting: "restart")?.display?.component == .button)
        #expect(profile.command(named: "version")?.isReadOnly == true)
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let text: String
        let line: Int?
        let key: String
        let message: String
        var testDescription: String { "\(key): \(message)" }
    }

    private static let head = "profile: p\ntitle: P\n"
    private static let source =
        head + "sources:\n  - characteristic: {service: ffe0, uuid: ffe1, notify: true}\n    fields:\n"
    private static let command = head + "commands:\n  - name: c\n    write: {service: ffe0, uuid: ffe1}\n"

    /// A field that is wrong, in line 6 of a profile.
    private static func field(_ text: String, _ key: String, _ message: String) -> Wrong {
        let key = key.isEmpty ? "" : ".\(key)"
        return Wrong(text: source + "      - \(text)\n", line: 6, key: "sources[0].fields[0]\(key)", message: message)
    }

    private static func source(_ text: String, _ key: String, _ message: String) -> Wrong {
        let key = key.isEmpty ? "" : ".\(key)"
        return Wrong(text: head + "sources:\n  - \(text)\n", line: 4, key: "sources[0]\(key)", message: message)
    }

    private static func match(_ text: String, _ key: String, _ message: String) -> Wrong {
        let text = head + "match: \(text)\n" + "sources: [{name: true, fields: [{name: a, type: utf8}]}]\n"
        return Wrong(text: text, line: 3, key: key, message: message)
    }

    /// A command whose line 6 is wrong.
    private static func command(_ text: String, _ key: String, _ message: String, line: Int = 6) -> Wrong {
        let key = key.isEmpty ? "" : ".\(key)"
        return Wrong(text: command + "    \(text)\n", line: line, key: "commands[0]\(key)", message: message)
    }

    static let wrong: [Wrong] = [
        Wrong(text: "", line: nil, key: "", message: "there is no profile in it"),
        Wrong(
            text: "[]",
            line: 1,
            key: "",
            message: "expected a profile, which is a section of keys, found a list of 0"
        ),
        Wrong(text: "profile: p\ntitle: P\n", line: 1, key: "", message: "needs the key \"sources\" or \"commands\""),
        Wrong(
            text: "title: P\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 1,
            key: "",
            message: "needs the key \"profile\""
        ),
        Wrong(text: "profile: P\ntitle: P\n", line: 1, key: "profile", message: "expected an id of 1 to 64"),
        Wrong(text: "profile: a_b\ntitle: P\n", line: 1, key: "profile", message: "expected an id of 1 to 64"),
        Wrong(
            text: "profile: p\nprofile: q\ntitle: P\n",
            line: 2,
            key: "profile",
            message: "stands twice, first in line 1"
        ),
        Wrong(
            text: "profile: p\ntitle: P\nsource: []\n",
            line: 3,
            key: "source",
            message: "unknown key; there are: profile"
        ),
        Wrong(text: "profile: p\ntitle: *x\n", line: 2, key: "title", message: "is an alias"),
        Wrong(text: "profile: p\ntitle: !!str x\n", line: 2, key: "title", message: "has a tag"),
        Wrong(text: "profile: p\ntitle: [\n", line: 3, key: "", message: "no valid YAML"),
        Wrong(text: head + "sources: []\n", line: 3, key: "sources", message: "expected a list of 1 to 64 sources"),
        Wrong(text: head + "sources: {}\n", line: 3, key: "sources", message: "expected a list of 1 to 64 sources"),
        Wrong(
            text: head + "intervalMs: 5\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 3,
            key: "intervalMs",
            message: "expected a whole number from 1000 to 604800000, found \"5\""
        ),
        Wrong(
            text: head + "encryption: des\ncommands: [{name: c, write: {handle: 1}, frame: aa}]",
            line: 3,
            key: "encryption",
            message: "expected one of bthome2, mibeacon, found \"des\""
        ),
        Wrong(
            text: head + "encryption: bthome2\ncommands: [{name: c, write: {handle: 1}, frame: aa}]",
            line: 3,
            key: "encryption",
            message: "only of advertisements"
        ),
        Wrong(
            text: head + "fallback: true\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 3,
            key: "fallback",
            message: "only beside match"
        ),
        Wrong(
            text: head + "fallback: 1\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 3,
            key: "fallback",
            message: "expected true or false, found \"1\""
        ),
        Wrong(
            text: head + "counter: {value: b}\nsources: [{name: true, fields: [{name: a, type: u8}]}]",
            line: 3,
            key: "counter",
            message: "there is no number \"b\""
        ),
        Wrong(
            text: head + "link: {policy: ever}\nsources: [{name: true, fields: [{name: a, type: u8}]}]",
            line: 3,
            key: "link.policy",
            message: "expected one of onDemand, keep, never"
        ),
        match("{}", "match", "needs one of services, name, manufacturer, serviceData, addresses"),
        match("{services: xyz}", "match.services", "expected a UUID"),
        match("{manufacturer: \"12\"}", "match.manufacturer", "expected a company's id of 4 hexadecimal digits"),
        match("{manufacturer: {id: \"0001\", prefix: zz}}", "match.manufacturer.prefix", "expected 1 to 512 bytes"),
        match("{manufacturer: {id: \"0001\", prefix: aa, mask: aabb}}", "match.manufacturer.mask", "has to be as long"),
        match("{manufacturer: {id: \"0001\", length: 9-8}}", "match.manufacturer.length", "expected a number of bytes"),
        match("{addresses: [\"a4:c\"]}", "match.addresses[0]", "expected the beginning of an address"),
        match("{name: []}", "match.name", "expected a list of 1 to 64 names"),
        source("{fields: [{name: a, type: u8}]}", "", "needs one of characteristic, manufacturer, serviceData, name"),
        source("{name: true, serviceData: fcd2, fields: [{name: a, type: u8}]}", "", "needs one of characteristic"),
        source("{name: true}", "", "needs the key \"fields\""),
        source(
            "{characteristic: {service: ffe0, uuid: ffe1}, fields: [{name: a, type: u8}]}",
            "characteristic",
            "needs one of notify, atConnect and everyMs"
        ),
        source(
            "{characteristic: {uuid: ffe1, notify: true}, fields: [{name: a, type: u8}]}",
            "characteristic.uuid",
            "needs the key \"service\" beside it"
        ),
        source(
            "{characteristic: {notify: true}, fields: [{name: a, type: u8}]}",
            "characteristic",
            "needs the keys \"service\" and \"uuid\", or \"handle\""
        ),
        source(
            "{name: true, checksum: {kind: crc9}, fields: [{name: a, type: u8}]}",
            "checksum.kind",
            "expected one of sum8"
        ),
        source("{name: true, when: {offset: 1}, fields: [{name: a, type: u8}]}", "when", "needs the key \"is\""),
        source(
            "{name: true, when: {type: i8, is: 1}, fields: [{name: a, type: u8}]}",
            "when.type",
            "only an unsigned whole number can be a condition"
        ),
        source(
            "{name: true, when: {is: x}, fields: [{name: a, type: u8}]}",
            "when.is",
            "expected a whole number, or a range"
        ),
        field("{type: u8}", "", "needs the key \"name\""),
        field("{name: a}", "", "needs the key \"type\""),
        field("{name: A, type: u8}", "name", "expected a name of 1 to 64"),
        field("{name: a, type: u9}", "type", "expected one of u8, i8"),
        field("{name: a, type: u8, x: 1}", "x", "unknown key; there are: when"),
        field("{name: a, type: u8, length: 2}", "length", "u8 has a length of its own"),
        field("{name: a, type: i8, bit: 1}", "bit", "only of unsigned whole numbers and bool"),
        field("{name: a, type: u8, bit: 7, bits: 2}", "bit", "u8 has only 8 bits"),
        field("{name: a, type: u8, scale: 0}", "scale", "has to differ from 0"),
        field("{name: a, type: utf8, scale: 2}", "scale", "utf8 is not a number"),
        field("{name: a, type: u8, scale: x}", "scale", "expected a number, found \"x\""),
        field("{name: a, type: u8, none: x}", "none", "expected a number, found \"x\""),
        field("{name: a, type: u8, map: {x: 1}}", "map.x", "expected a number, found \"x\""),
        field("{name: a, type: u8, map: {}}", "map", "expected 1 to 256 values"),
        field("{name: a, type: i8, sign: 7}", "sign", "only of unsigned whole numbers"),
        field("{name: a, type: u8, sign: 8}", "sign", "u8 has only 8 bits"),
        field("{name: a, type: u8, divide: 1}", "divide", "expected a whole number from 2"),
        field("{name: a, type: utf8, min: 1}", "min", "utf8 is not a number"),
        field("{name: a, type: u8, min: 2, max: 1}", "max", "is less than min"),
        field("{name: a, type: u8, format: uuid}", "format", "uuid is of hex"),
        field("{name: a, type: hex, length: 5, format: uuid}", "format", "uuid has 16 bytes: set length"),
        field("{name: a, type: u8, format: time, scale: 2}", "scale", "not beside format"),
        field("{name: a, type: u8, needs: b}", "needs", "there is no value \"b\""),
        field("{name: a, type: u8, event: true}", "event", "needs map with a text for what happens"),
        field("{name: a, type: u8, map: {1: x}, event: true, state: false}", "state", "not of an event"),
        field("{name: a, type: utf8, repeat: true}", "repeat", "needs a length"),
        field("{name: a, type: u8, display: {component: lamp}}", "display.component", "expected one of sensor"),
        field("{name: a, type: u8, display: {icon: x}}", "display.icon", "expected an icon"),
        field("{name: a, type: u8, display: {step: 0}}", "display.step", "has to be more than 0"),
        field(
            "{name: a, type: u8, display: {component: light, brightness: b}}",
            "display.brightness",
            "there is no number"
        ),
        field("{skip: 0}", "skip", "expected a whole number from 1 to 65535"),
        field("{objects: {table: {1: {name: a, type: u8}}}}", "objects", "needs the key \"header\""),
        field("{objects: {header: id}}", "objects", "needs the key \"table\""),
        field(
            "{objects: {header: id, table: {256: {name: a, type: u8}}}}",
            "objects.table.256",
            "expected an id from 0 to 255"
        ),
        field(
            "{objects: {header: id, table: {1: {name: a, type: u8}, 0x01: {name: b, type: u8}}}}",
            "objects.table.0x01",
            "the id stands twice"
        ),
        Wrong(
            text: source + "      - {name: a, type: u8}\n      - {name: a, type: utf8}\n",
            line: 7,
            key: "sources[0].fields[1].name",
            message: "\"a\" is a number elsewhere"
        ),
        Wrong(
            text: source + "      - {name: a, type: u8}\n      - {name: a, type: u8, map: {1: x}, event: true}\n",
            line: 7,
            key: "sources[0].fields[1].name",
            message: "\"a\" is a value, too"
        ),
        Wrong(text: command, line: 4, key: "commands[0]", message: "needs the key \"frame\""),
        command("frame: xyz", "frame", "expected bytes in hexadecimal with {argument}"),
        command("frame: \"aa {b}\"", "frame", "there is no argument \"b\""),
        command("frame: \"aa {length}\"", "frame", "{length} needs the key \"length\""),
        command("frame: \"aa {b\"", "frame", "expected bytes in hexadecimal with {argument}"),
        command("frame: aa\n    length: {type: u8}", "length", "{length} does not stand in frame", line: 7),
        command("frame: aa\n    args: [{name: b, type: u8}]", "args", "\"b\" does not stand in frame", line: 7),
        command(
            "frame: \"{b}\"\n    args: [{name: b, type: u8, bit: 1}]",
            "args[0].bit",
            "not of an argument",
            line: 7
        ),
        command(
            "frame: \"{b}\"\n    args: [{name: b, type: utf8, min: 1}]",
            "args[0].min",
            "utf8 is not a number",
            line: 7
        ),
        command(
            "frame: \"{b}\"\n    args: [{name: b, type: u8, default: 300}]",
            "args[0].default",
            "b: 300 is nothing that u8 can hold",
            line: 7
        ),
        command(
            "frame: \"{b}\"\n    args: [{name: b, type: u8}, {name: b, type: u8}]",
            "args[1].name",
            "stands twice",
            line: 7
        ),
        command("frame: aa\n    sets: b", "sets", "neither the sources nor parse tell a value \"b\"", line: 7),
        command("frame: aa\n    complete: first", "", "notify: needed beside complete", line: 4),
        command("frame: aa\n    notify: {uuid: ffe2}\n    complete: never", "complete", "a command ends", line: 8),
        command(
            "frame: aa\n    notify: {uuid: ffe2}\n    complete: {packets: 1, bytes: 2}",
            "complete",
            "needs one of packets, bytes, length, suffix, match and idleMs",
            line: 8
        ),
        command("frame: aa\n    chunk: {size: 1, first: 2}", "chunk", "needs the key \"size\", or", line: 7),
        command("frame: aa\n    read: {handle: 3}", "write", "not beside read", line: 5),
        command("frame: aa\n    timeoutMs: 0", "timeoutMs", "expected a whole number from 1 to 600000", line: 7),
    ]

    @Test(arguments: wrong) func `what is wrong is told with its line and key`(wrong: Wrong) {
        let thrown = #expect(throws: ProfileProblems.self) {
            try ProfileParser.parse(Array(wrong.text.utf8), file: "f.yaml")
        }
        let found = thrown?.problems.contains {
            $0.line == wrong.line && $0.key == wrong.key && $0.message.hasPrefix(wrong.message)
        }
        #expect(found == true, "\(thrown?.problems.map(\.description) ?? [])")
    }

    @Test func `everything that is wrong is told at once, by line`() {
        let text = """
            profile: Bad
            title: ""
            sources:
              - {name: true, fields: [{name: a, type: u9}]}
            unknown: 1
            """
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(text.utf8), file: "x.yaml") }
        #expect(thrown?.problems.map(\.line) == [1, 2, 4, 5])
        #expect(thrown?.problems.first?.description.hasPrefix("x.yaml:1: profile: expected an id") == true)
    }

    @Test func `a file that is all wrong ends after a hundred problems`() {
        let text = "profile: p\ntitle: P\n" + (0..<500).map { "k\($0): 1\n" }.joined()
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(text.utf8)) }
        #expect(thrown?.problems.count == ProfileProblems.limit)
    }

    @Test func `problems hold no control characters, whatever the file has`() {
        let text =
            "profile: \"a\\e[31m\\nb\"\ntitle: P\n\"k\\e[0m\": 1\nsources: [{name: true, fields: [{name: a, type: u8}]}]"
        let thrown = #expect(throws: ProfileProblems.self) { try ProfileParser.parse(Array(text.utf8)) }
        for problem in thrown?.problems ?? [] {
            #expect(problem.description.unicodeScalars.allSatisfy { $0.value > 0x1F && $0.value != 0x7F })
            #expect(problem.description.utf8.count < 400)
        }
        #expect(thrown?.problems.count == 2)
    }

    @Test func `random changes of a profile are told or read, and never trap`() {
        var random = SeededRandom(seed: 10)
        let bytes = Array(Self.full.utf8)
        for _ in 0..<1000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed.remove(at: place)
                case 1: changed[place] = UInt8.random(in: 0...255, using: &random)
                default: changed.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
                }
            }
            do throws(ProfileProblems) {
                let profile = try ProfileParser.parse(changed)
                for source in profile.sources { _ = source.read(Array(changed.prefix(20)), of: profile) }
            } catch {
                #expect(!error.problems.isEmpty)
            }
        }
    }
}
