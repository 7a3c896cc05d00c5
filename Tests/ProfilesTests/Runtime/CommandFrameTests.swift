import BleCore
import Frames
import Profiles
import Testing

@Suite(.timeLimit(.minutes(10))) struct CommandFrameTests {
    /// A command with the given lines.
    private func command(_ lines: String) throws -> ProfileCommand {
        let indented = lines.split(separator: "\n").map { "    \($0)\n" }.joined()
        let head = "profile: p\ntitle: P\ncommands:\n  - name: c\n    write: {service: ffe0, uuid: ffe1}\n"
        return try #require(try Profile(yaml: head + indented).commands.first)
    }

    private func data(_ command: ProfileCommand, _ arguments: [String: ParsedValue] = [:]) throws -> String {
        guard case .transact(let rules) = try command.prepared(with: arguments) else { return "read" }
        return Hex.text(rules.framed)
    }

    private func problems(_ command: ProfileCommand, _ arguments: [String: ParsedValue]) -> [String] {
        do throws(ArgumentProblems) {
            _ = try command.prepared(with: arguments)
            return []
        } catch { return error.problems }
    }

    @Test func `a frame has its bytes, arguments, length and checksum`() throws {
        let command = try command(
            """
            frame: "aa {length} 01 {target} {mode}"
            length: {type: u8, adjust: 2}
            checksum: {kind: sum8, send: true}
            args: [{name: target, type: u8, scale: 0.5, min: 5, max: 30}, {name: mode, type: u8, map: {0: off, 1: heat}}]
            """
        )
        // Six bytes in all: the number and 2 make them.
        #expect(try data(command, ["target": number("21.5"), "mode": .text("heat")]) == "aa04012b01db")
        guard case .transact(let rules) = try command.prepared(with: ["target": number("5"), "mode": .text("off")])
        else {
            Issue.record("no transact")
            return
        }
        #expect(rules.write == AttributeSelector(service: 0xFFE0, characteristic: 0xFFE1) && rules.notify == nil)
    }

    @Test(
        arguments: [
            ("type: u8", "255", "ff"), ("type: i8", "-128", "80"), ("type: u16le", "258", "0201"),
            ("type: u16be", "258", "0102"), ("type: i16le", "-1", "ffff"), ("type: i16be", "-2", "fffe"),
            ("type: u24le", "1", "010000"), ("type: u24be", "1", "000001"), ("type: u32le", "4294967295", "ffffffff"),
            ("type: i32be", "-2147483648", "80000000"), ("type: u64be", "18446744073709551615", "ffffffffffffffff"),
            ("type: f32be", "21.5", "41ac0000"), ("type: f32le", "0.1", "cdcccc3d"),
            ("type: f64be", "21.5", "4035800000000000"), ("type: sfloat", "11.4", "72f0"),
            ("type: sfloat", "-1", "ff0f"), ("type: float", "36.4", "6c0100ff"), ("type: bcd", "42", "42"),
            ("type: bcd, length: 2", "7", "0007"), ("type: i16le, scale: 0.01", "21.5", "6608"),
            ("type: i16le, scale: 0.01, add: -40", "-18.5", "6608"), ("type: u8, scale: 0.5", "0.5", "01"),
            ("type: u16le, scale: 0.1", "6553.5", "ffff"), ("type: sfloat", "10000000", "0170"),
        ] as [(String, String, String)]
    ) func `a number is written as its type has it, and read back`(type: String, value: String, bytes: String) throws {
        let command = try command("frame: \"{x}\"\nargs: [{name: x, \(type)}]")
        #expect(try data(command, ["x": number(value)]) == bytes)
        #expect(try command.arguments[0].field.read(hex(bytes)) == number(value))
    }

    @Test(
        arguments: [
            ("type: bool", .bool(true), "01"), ("type: bool", .bool(false), "00"),
            ("type: utf8", .text("on"), "6f6e"), ("type: utf8", .text(""), ""),
            ("type: utf8, length: 4", .text("on"), "6f6e0000"), ("type: hex", .text("AA 01"), "aa01"),
            ("type: hex, length: 2", .text("aa01"), "aa01"), ("type: u8, map: {7: eco, 9: true}", .text("eco"), "07"),
            ("type: u8, map: {7: eco, 9: true}", .bool(true), "09"), ("type: u8, map: {255: null}", number("3"), "03"),
        ] as [(String, ParsedValue, String)]
    ) func `texts, truth values and names are written`(type: String, value: ParsedValue, bytes: String) throws {
        #expect(try data(command("frame: \"{x}\"\nargs: [{name: x, \(type)}]"), ["x": value]) == bytes)
    }

    @Test(
        arguments: [
            ("type: u8", number("256"), "x: 256 is nothing that u8 can hold"),
            ("type: u8", number("-1"), "x: -1 is nothing that u8 can hold"),
            ("type: u8", number("1.5"), "x: 1.5 is nothing that u8 can hold"),
            ("type: u8", .text("on"), "x: expected a number, found \"on\""),
            ("type: u8", .null, "x: expected a number, found nothing"),
            ("type: u8, min: 5, max: 30", number("4"), "x: is less than 5"),
            ("type: u8, min: 5, max: 30", number("31"), "x: is more than 30"),
            ("type: u8, min: 5, step: 5", number("12"), "x: is no step of 5 from 5"),
            ("type: u8, scale: 0.5", number("0.3"), "x: 0.3 is nothing that the device can be told in steps of 0.5"),
            ("type: u8, map: {0: off, 1: heat}", .text("cool"), "x: expected one of off, heat, found \"cool\""),
            ("type: u8, map: {0: off, 1: heat}", number("1"), "x: expected one of off, heat, found 1"),
            ("type: bool", number("1"), "x: expected true or false, found 1"),
            ("type: utf8, length: 2", .text("abc"), "x: has 3 bytes, and the frame has room for 2"),
            ("type: hex, length: 2", .text("aa"), "x: has 1 bytes, and the frame has room for 2"),
            ("type: hex", .text("xy"), "x: expected hexadecimal digits"),
            ("type: utf8", number("1"), "x: expected a text, found 1"),
            ("type: bcd", number("100"), "x: 100 is nothing that bcd can hold"),
            ("type: bcd", number("-1"), "x: -1 is nothing that bcd can hold"),
            ("type: sfloat", number("2046"), "x: 2046 is nothing that sfloat can hold"),
            ("type: f32le", number("1e300"), "x: 1e300 is nothing that f32le can hold"),
        ] as [(String, ParsedValue, String)]
    ) func `a value that cannot be written is refused with its name`(
        type: String,
        value: ParsedValue,
        problem: String
    ) throws {
        let command = try command("frame: \"{x}\"\nargs: [{name: x, \(type)}]")
        #expect(problems(command, ["x": value]) == [problem])
    }

    @Test func `everything that is wrong with arguments is told at once`() throws {
        let command = try command("frame: \"{a}{b}\"\nargs: [{name: a, type: u8}, {name: b, type: u8, default: 7}]")
        #expect(problems(command, ["c": .null]) == ["a: is missing", "\"c\": unknown; there are: a, b"])
        #expect(try data(command, ["a": number("1")]) == "0107")
        let bare = try self.command("frame: aa")
        #expect(problems(bare, ["c": .null]) == ["\"c\": unknown; there is none"])
    }

    @Test func `a frame that is too long, or too short for its checksum, is refused`() throws {
        let command = try command(
            "frame: \"{length}{x}\"\nlength: {type: u8}\nchecksum: {kind: sum8, from: 5, send: true}\n"
                + "args: [{name: x, type: utf8}]"
        )
        #expect(try data(command, ["x": .text("abcd")]).hasPrefix("06"))
        #expect(problems(command, ["x": .text("a")]) == ["the frame has 2 bytes, and its checksum begins behind them"])
        let long = ParsedValue.text(String(repeating: "a", count: 300))
        #expect(problems(command, ["x": long]) == ["the frame has 302 bytes, more than its length can say"])
        let longer = ParsedValue.text(String(repeating: "a", count: 600))
        #expect(problems(command, ["x": longer]) == ["x: has 600 bytes, and 512 at most"])
    }

    @Test func `a bare value becomes the one argument`() throws {
        let mode = try command("frame: \"{m}\"\nargs: [{name: m, type: u8, map: {0: off, 1: heat, 2: true}}]")
        #expect(try mode.arguments(ofBare: "heat") == ["m": .text("heat")])
        #expect(try mode.arguments(ofBare: "HEAT") == ["m": .text("heat")])
        #expect(try mode.arguments(ofBare: "true") == ["m": .bool(true)])
        #expect(try mode.arguments(ofBare: "off") == ["m": .text("off")])
        let level = try command("frame: \"{l}{z}\"\nargs: [{name: l, type: u8}, {name: z, type: u8, default: 0}]")
        #expect(try level.arguments(ofBare: "21") == ["l": number("21")])
        #expect(try level.arguments(ofBare: "x") == ["l": .text("x")])
        let flag = try command("frame: \"{f}\"\nargs: [{name: f, type: bool}]")
        #expect(try flag.arguments(ofBare: "ON") == ["f": .bool(true)])
        #expect(try command("frame: aa").arguments(ofBare: "PRESS") == [:])
        let two = try command("frame: \"{a}{b}\"\nargs: [{name: a, type: u8}, {name: b, type: u8}]")
        #expect(throws: ArgumentProblems(problems: ["one value is not enough: the command needs a, b"])) {
            try two.arguments(ofBare: "1")
        }
    }

    @Test func `rules and reads come as the profile has them`() throws {
        let profile = try Profile(yaml: ProfileSamples.full)
        let command = try #require(profile.command(named: "set-target"))
        guard case .transact(let rules) = try command.prepared(with: ["target": number("21.5")]) else {
            Issue.record("no transact")
            return
        }
        #expect(Hex.text(rules.data) == "aa0801210161626300")
        #expect(rules.notify == AttributeSelector(service: 0xFFE0, characteristic: 0xFFE2))
        #expect(rules.complete == .length(LengthField(offset: 1, kind: .u8, adjust: 2)))
        #expect(rules.fail?.prefix == [0xAA, 0xEE] && rules.accept?.minBytes == 3 && rules.scope == .first)
        #expect(
            rules.mode == .request && rules.packetTimeout == .seconds(5) && rules.take == TakeRule(offset: 1, length: 9)
        )
        #expect(rules.chunk == Chunk(size: .fixed(first: 20, then: 100), gap: .milliseconds(10)))
        #expect(rules.parse.map(\.name) == ["target"] && command.timeout == .seconds(30) && command.isIdempotent)
        let version = try #require(profile.command(named: "version"))
        guard case .read(let selector, let parse) = try version.prepared() else {
            Issue.record("no read")
            return
        }
        #expect(selector == AttributeSelector(service: 0x180A, characteristic: 0x2A26) && parse.count == 1)
    }
}
