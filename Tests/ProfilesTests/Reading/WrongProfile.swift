import Testing

/// A profile that is wrong, and what is told of it.
struct WrongProfile: CustomTestStringConvertible, Sendable {
    let text: String
    let line: Int?
    let key: String
    let message: String
    var testDescription: String { "\(key): \(message)" }

    private static let head = "profile: p\ntitle: P\n"
    private static let source =
        head + "sources:\n  - characteristic: {service: ffe0, uuid: ffe1, notify: true}\n    fields:\n"
    private static let command = head + "commands:\n  - name: c\n    write: {service: ffe0, uuid: ffe1}\n"

    /// A field that is wrong, in line 6 of a profile.
    private static func field(_ text: String, _ key: String, _ message: String) -> WrongProfile {
        let key = key.isEmpty ? "" : ".\(key)"
        return WrongProfile(
            text: source + "      - \(text)\n",
            line: 6,
            key: "sources[0].fields[0]\(key)",
            message: message
        )
    }

    private static func source(_ text: String, _ key: String, _ message: String) -> WrongProfile {
        let key = key.isEmpty ? "" : ".\(key)"
        return WrongProfile(text: head + "sources:\n  - \(text)\n", line: 4, key: "sources[0]\(key)", message: message)
    }

    private static func match(_ text: String, _ key: String, _ message: String) -> WrongProfile {
        let text = head + "match: \(text)\n" + "sources: [{name: true, fields: [{name: a, type: utf8}]}]\n"
        return WrongProfile(text: text, line: 3, key: key, message: message)
    }

    /// A command whose line 6 is wrong.
    private static func command(_ text: String, _ key: String, _ message: String, line: Int = 6) -> WrongProfile {
        let key = key.isEmpty ? "" : ".\(key)"
        return WrongProfile(text: command + "    \(text)\n", line: line, key: "commands[0]\(key)", message: message)
    }

    static let all: [WrongProfile] = [
        WrongProfile(text: "", line: nil, key: "", message: "there is no profile in it"),
        WrongProfile(
            text: "[]",
            line: 1,
            key: "",
            message: "expected a profile, which is a section of keys, found a list of 0"
        ),
        WrongProfile(
            text: "profile: p\ntitle: P\n",
            line: 1,
            key: "",
            message: "needs the key \"sources\" or \"commands\""
        ),
        WrongProfile(
            text: "title: P\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 1,
            key: "",
            message: "needs the key \"profile\""
        ),
        WrongProfile(text: "profile: P\ntitle: P\n", line: 1, key: "profile", message: "expected an id of 1 to 64"),
        WrongProfile(text: "profile: a_b\ntitle: P\n", line: 1, key: "profile", message: "expected an id of 1 to 64"),
        WrongProfile(
            text: "profile: p\nprofile: q\ntitle: P\n",
            line: 2,
            key: "profile",
            message: "stands twice, first in line 1"
        ),
        WrongProfile(
            text: "profile: p\ntitle: P\nsource: []\n",
            line: 3,
            key: "source",
            message: "unknown key; there are: profile"
        ),
        WrongProfile(text: "profile: p\ntitle: *x\n", line: 2, key: "title", message: "is an alias"),
        WrongProfile(text: "profile: p\ntitle: !!str x\n", line: 2, key: "title", message: "has a tag"),
        WrongProfile(text: "profile: p\ntitle: [\n", line: 3, key: "", message: "no valid YAML"),
        WrongProfile(
            text: head + "sources: []\n",
            line: 3,
            key: "sources",
            message: "expected a list of 1 to 64 sources"
        ),
        WrongProfile(
            text: head + "sources: {}\n",
            line: 3,
            key: "sources",
            message: "expected a list of 1 to 64 sources"
        ),
        WrongProfile(
            text: head + "intervalMs: 5\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 3,
            key: "intervalMs",
            message: "expected a whole number from 1000 to 604800000, found \"5\""
        ),
        WrongProfile(
            text: head + "encryption: des\ncommands: [{name: c, write: {handle: 1}, frame: aa}]",
            line: 3,
            key: "encryption",
            message: "expected one of bthome2, mibeacon, found \"des\""
        ),
        WrongProfile(
            text: head + "encryption: bthome2\ncommands: [{name: c, write: {handle: 1}, frame: aa}]",
            line: 3,
            key: "encryption",
            message: "only of advertisements"
        ),
        WrongProfile(
            text: head + "fallback: true\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 3,
            key: "fallback",
            message: "only beside match"
        ),
        WrongProfile(
            text: head + "fallback: 1\nsources: [{name: true, fields: [{name: a, type: utf8}]}]",
            line: 3,
            key: "fallback",
            message: "expected true or false, found \"1\""
        ),
        WrongProfile(
            text: head + "counter: {value: b}\nsources: [{name: true, fields: [{name: a, type: u8}]}]",
            line: 3,
            key: "counter",
            message: "there is no number \"b\""
        ),
        WrongProfile(
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
        WrongProfile(
            text: source + "      - {name: a, type: u8}\n      - {name: a, type: utf8}\n",
            line: 7,
            key: "sources[0].fields[1].name",
            message: "\"a\" is a number elsewhere"
        ),
        WrongProfile(
            text: source + "      - {name: a, type: u8}\n      - {name: a, type: u8, map: {1: x}, event: true}\n",
            line: 7,
            key: "sources[0].fields[1].name",
            message: "\"a\" is a value, too"
        ),
        WrongProfile(text: command, line: 4, key: "commands[0]", message: "needs the key \"frame\""),
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
}
