import EdgeAgent
import Foundation
import Testing

/// `edge-agent profile`, and the page that shows it.
@Suite(.timeLimit(.minutes(10))) struct ProfileCommandTests {
    private func outcome(_ arguments: String...) throws -> ProfileCommandLine.Outcome {
        guard case .profile(let invocation) = try CommandLineParser.parse(["profile"] + arguments) else {
            throw CocoaError(.featureUnsupported)
        }
        return ProfileCommandLine.run(invocation)
    }

    /// The page's own profile, in a file.
    private func withHeater(_ body: (String) throws -> Void) throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/profiles.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = try #require(text.firstMatch(of: /```yaml\n((?s:.*?))```/))
        try withTemporaryDirectory { directory in
            try writeFile(String(example.1), to: directory + "/sim-framer.yaml")
            try body(directory + "/sim-framer.yaml")
        }
    }

    @Test func `the steps of the page come out as it says`() throws {
        try withHeater { file in
            var outcome = try outcome("check", file)
            #expect(
                outcome.text == "valid: sim-framer (Simulated heater): values temperature; commands status, echo\n"
            )
            #expect(outcome.code == .success && outcome.problems.isEmpty)
            outcome = try self.outcome("try", file, "--command", "status")
            #expect(outcome.text == "writes 7e020080 to ffe0/ffe1\nanswer from ffe0/ffe2\n")
            outcome = try self.outcome(
                "try",
                file,
                "--command",
                "echo",
                "--arg",
                "text=OK",
                "--hex",
                "7e 81 02 4b 4f 9b"
            )
            #expect(outcome.text == "writes 7e01024f4b1b to ffe0/ffe1\nanswer from ffe0/ffe2\nanswer = 'KO'\n")
            outcome = try self.outcome("try", file, "--hex", "7e 82 48 40 41 42 43")
            #expect(outcome.text == "characteristic ffe0/ffe2\ntemperature = 167.04 °C\n")
            let answer = "7e8248" + (0x40..<0x88).map { String($0, radix: 16) }.joined() + "44"
            outcome = try self.outcome("try", file, "--command", "status", "--hex", answer)
            #expect(outcome.text.hasSuffix("temperature = 167.04 °C\n"))
        }
    }

    @Test func `a mistake is told with its line and key`() throws {
        try withHeater { file in
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let place = try #require(text.range(of: "offset: 3, type: i16le"))
            try writeFile(text.replacingCharacters(in: place, with: "offset: 3, type: i17le"), to: file)
            let outcome = try outcome("check", file)
            #expect(outcome.code == .configuration && outcome.text == "")
            let start = "\(file):24: commands[0].parse[0].type: expected one of u8, i8, u16le,"
            #expect(outcome.problems.first?.hasPrefix(start) == true, "\(outcome.problems)")
            #expect(outcome.problems.first?.hasSuffix("found 'i17le'") == true)
            #expect(outcome.problems.last == "a profile is not valid: 1 problem")
        }
    }

    @Test(
        arguments: [
            (
                ["try", "ruuvi-5", "--advert", "manufacturer:0499=0512fc5394c37c0004fffc040cac364200cdcbb8334c884f"],
                "recognised by match\ntemperature = 24.3 °C\nhumidity = 53.49 %\n"
            ),
            (
                ["try", "heart-rate", "--hex", "0048"],
                "characteristic 180d/2a37\ncontact = null\nheart_rate = 72 bpm\n"
            ),
            (
                ["try", "heart-rate", "--hex", "02", "--value", "body_location"],
                "characteristic 180d/2a38\nbody_location"
            ),
            (
                ["try", "bthome", "--advert=service:fcd2=44 0021 3a01"],
                "recognised by match\npacket_id = 33  (no state)\nevent button 1: press\n"
            ),
            (
                ["try", "govee-h5075", "--advert", "manufacturer:ec88=000341c26400", "--advert", "name=x"],
                "not recognised"
            ),
            (
                [
                    "try", "current-time", "--command", "set-time", "--arg", "year=2026", "--arg", "month=11", "--arg",
                    "day=30",
                    "--arg", "hour=22", "--arg", "minute=5",
                ], "writes ea070b1e160500000001 to 1805/2a2b\n"
            ),
            (["try", "auto", "--advert", "service:fcd2=400164"], "recognised by bthome\nbattery = 100 %\n"),
            (["list"], "bthome"), (["show", "ruuvi-6"], "profile: ruuvi-6\ntitle:"),
        ] as [([String], String)]
    ) func `built-in profiles can be tried by name`(arguments: [String], start: String) throws {
        guard case .profile(let invocation) = try CommandLineParser.parse(["profile"] + arguments) else { return }
        let outcome = ProfileCommandLine.run(invocation)
        #expect(outcome.code == .success && outcome.problems.isEmpty)
        #expect(outcome.text.hasPrefix(start), "\(outcome.text)")
    }

    @Test(
        arguments: [
            (["check", "/nonexistent.yaml"], .noInput, "/nonexistent.yaml: cannot be read: No such file or directory"),
            (["try", "/nonexistent.yaml", "--hex", "00"], .noInput, "/nonexistent.yaml: cannot be read"),
            (["show", "ruuvi"], .usage, "there is no built-in profile \"ruuvi\""),
            (["try", "heart-rate", "--hex", "0"], .usage, "--hex: expected bytes in hexadecimal"),
            (["try", "weight-scale", "--hex", "01"], .sampleRefused, "the 1 bytes are nothing that the profile reads"),
            (
                ["try", "heart-rate", "--hex", "01", "--value", "x"], .sampleRefused,
                "no characteristic tells 'x'; there are"
            ),
            (
                ["try", "heart-rate", "--command", "x"], .sampleRefused,
                "there is no command 'x'; there are: reset-energy"
            ),
            (["try", "battery", "--command", "x"], .sampleRefused, "there is no command 'x'; the profile has none"),
            (["try", "current-time", "--command", "set-time"], .sampleRefused, "year: is missing"),
            (["try", "nordic-uart", "--command", "send", "--arg", "text"], .usage, "--arg: expected name=value"),
            (["try", "auto", "--hex", "00"], .usage, "auto is for advertisements"),
            (["try", "auto", "--advert", "name=x"], .sampleRefused, "no built-in profile reads the advertisement"),
            (["try", "bthome", "--advert", "x=y"], .usage, "--advert: expected manufacturer:0499=HEX"),
            (
                ["try", "bthome", "--advert", "service:fcd2=41aa", "--address", "x"], .usage,
                "--address: expected an address"
            ),
            (
                ["try", "bthome", "--advert", "service:fcd2=410011223344556677889900"], .sampleRefused,
                "recognised by match; nothing was read: no-key"
            ),
            (
                ["try", "bthome", "--advert", "name=x"], .sampleRefused,
                "no source of the profile reads the advertisement"
            ),
            (
                ["try", "bthome", "--advert", "name=x", "--keys", "/nonexistent"], .noInput,
                "/nonexistent cannot be read"
            ),
        ] as [([String], ExitCode, String)]
    ) func `what cannot be tried is told, with its exit code`(
        arguments: [String],
        code: ExitCode,
        problem: String
    ) throws {
        guard case .profile(let invocation) = try CommandLineParser.parse(["profile"] + arguments) else { return }
        let outcome = ProfileCommandLine.run(invocation)
        #expect(outcome.code == code && outcome.text == "")
        #expect(outcome.problems.first?.hasPrefix(problem) == true, "\(outcome.problems)")
    }

    @Test(
        arguments: [
            ([], "profile needs one of check, try, list and show"), (["x"], "unknown command profile \"x\""),
            (["check"], "profile check needs a file"), (["check", "--x"], "unknown flag \"--x\""),
            (["list", "x"], "unexpected argument \"x\""), (["show"], "profile show needs the id"),
            (["try"], "profile try needs one profile"),
            (["try", "a"], "profile try needs --hex, --advert or --command"),
            (["try", "a", "--hexx", "00"], "unknown flag \"--hexx\": did you mean --hex?"),
            (["try", "a", "--hex"], "--hex needs a value"),
            (["try", "a", "--hex", "0", "--hex", "1"], "--hex is given twice"),
            (["try", "a", "--hex", "0", "--arg", "a=b"], "--arg needs --command"),
            (["try", "a", "--command", "c", "--value", "v"], "--value needs --hex"),
        ] as [([String], String)]
    ) func `a wrong command line is told`(arguments: [String], problem: String) {
        let failure = #expect(throws: CommandLineParser.Failure.self) {
            try CommandLineParser.parse(["profile"] + arguments)
        }
        #expect(failure?.problems.first?.hasPrefix(problem) == true, "\(failure?.problems ?? [])")
        #expect(failure?.command == .profile)
    }

    @Test func `a folder of profiles is checked as a whole`() throws {
        try withTemporaryDirectory { directory in
            #expect(try outcome("check", directory).code == .noInput)
            let rest = "title: T\nsources: [{name: true, fields: [{name: a, type: utf8}]}]\n"
            try writeFile("profile: a\n" + rest, to: directory + "/a.yaml")
            try writeFile("profile: b\n" + rest, to: directory + "/b.yml")
            var outcome = try outcome("check", directory)
            #expect(outcome.code == .success && outcome.text.split(separator: "\n").count == 2)
            try writeFile("profile: b\n" + rest, to: directory + "/c.yaml")
            outcome = try self.outcome("check", directory)
            #expect(outcome.code == .configuration && outcome.text.split(separator: "\n").count == 2)
            #expect(outcome.problems.first?.contains("c.yaml: profile: the id 'b' is that of") == true)
        }
    }
}
