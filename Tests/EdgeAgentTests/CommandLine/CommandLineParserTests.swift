import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CommandLineParserTests {
    @Test func `flags take their value behind a space or an equals sign`() throws {
        var expected = ConfigurationArguments()
        expected.file = "a=b.yaml"
        expected.overrides = [
            ConfigurationLoader.Override(flag: "--broker", value: "mqtt://h"),
            ConfigurationLoader.Override(flag: "--gateway", value: "--g"),
        ]
        let arguments = ["--config=a=b.yaml", "--broker", "mqtt://h", "--gateway=--g"]
        #expect(try CommandLineParser.parse(["run"] + arguments) == .run(expected))
        #expect(try CommandLineParser.parse(["check-config"] + arguments) == .checkConfig(expected))
    }

    @Test(arguments: [
        (["run"], Invocation.run(ConfigurationArguments())),
        (["check-config"], .checkConfig(ConfigurationArguments())),
        (["version"], .version), (["--version"], .version), (["-V"], .version),
        (["help"], .help(nil)), (["--help"], .help(nil)), (["-h"], .help(nil)),
        (["help", "run"], .help(.run)), (["run", "--help"], .help(.run)), (["run", "--wrong", "-h"], .help(.run)),
        (["check-config", "--help"], .help(.checkConfig)), (["version", "--help"], .help(.version)),
        (["help", "--help"], .help(.help)),
    ])
    func `each command is understood`(arguments: [String], invocation: Invocation) throws {
        #expect(try CommandLineParser.parse(arguments) == invocation)
    }

    @Test func `a sample command has a caller and a place`() throws {
        let json = #"{"verb":"ping"}"#
        func parsed(_ arguments: String...) throws -> Invocation {
            try CommandLineParser.parse(["check-config", "--try", json] + arguments)
        }
        var expected = ConfigurationArguments()
        #expect(try parsed() == .trySample(SampleCommand(json: json), expected))
        #expect(try parsed("--as", "a") == .trySample(SampleCommand(json: json, caller: "a"), expected))
        #expect(try parsed("--dev=door") == .trySample(SampleCommand(json: json, place: .device("door")), expected))
        #expect(try parsed("--group", "g") == .trySample(SampleCommand(json: json, place: .group("g")), expected))
        expected.file = "c.yaml"
        let all = SampleCommand(json: json, caller: "a", place: .all)
        #expect(try parsed("--all", "--config", "c.yaml", "--as=a") == .trySample(all, expected))
    }

    @Test(arguments: [
        ([], ["a command is missing: run, check-config, profile, doctor, version or help"]),
        (["rum"], ["unknown command \"rum\": did you mean run?"]),
        (["checkconfig"], ["unknown command \"checkconfig\": did you mean check-config?"]),
        (["dance\n"], ["unknown command \"dance\\n\": expected run, check-config, profile, doctor, version or help"]),
        (
            ["--broker=S3cr3t"],
            ["a command must come first, before \"--broker\": run, check-config, profile, doctor, version or help"]
        ),
        (["version", "x"], ["unexpected argument \"x\""]),
        (
            ["help", "nobody"],
            ["unknown command \"nobody\": expected run, check-config, profile, doctor, version or help"]
        ),
        (["help", "run", "x"], ["unexpected argument \"x\""]),
        (["run", "x"], ["unexpected argument \"x\": values follow their flag"]),
        (["run", "--brokr", "a"], ["unknown flag \"--brokr\": did you mean --broker?"]),
        (["run", "-gateway", "a"], ["unknown flag \"-gateway\": did you mean --gateway?"]),
        (["run", "--try", "{}"], ["unknown flag \"--try\""]),
        (["check-config", "--try"], ["--try needs a value: --try JSON"]),
        (["check-config", "--as", "a"], ["--as needs --try JSON beside it"]),
        (["check-config", "--all"], ["--all needs --try JSON beside it"]),
        (["check-config", "--try", "{}", "--all=1"], ["--all takes no value"]),
        (["check-config", "--try", "{}", "--all", "x"], ["unexpected argument \"x\": values follow their flag"]),
        (
            ["check-config", "--try={}", "--group", "g", "--all", "--dev", "d"],
            ["give one of --dev and --group and --all"]
        ),
        (["check-config", "--tri", "{}"], ["unknown flag \"--tri\": did you mean --try?"]),
        (["run", "--zebra=S3cr3t"], ["unknown flag \"--zebra\""]),
        (["run", "--gateway"], ["--gateway needs a value: --gateway ID"]),
        (["run", "--gateway", "--prefix", "p"], ["--gateway needs a value: --gateway ID"]),
        (["run", "--gateway="], ["--gateway needs a value: --gateway ID"]),
        (["run", "--gateway", "a", "--gateway=b"], ["--gateway is given twice"]),
        (
            ["run", "--password", "S3cr3t", "--config", "--x"],
            [
                "unknown flag \"--password\": a password is never given on the command line: put it into a file for "
                    + "--password-file",
                "--config needs a value: --config FILE",
                "unknown flag \"--x\"",
            ]
        ),
    ])
    func `what is wrong is said at once and shows no value of an unknown flag`(arguments: [String], problems: [String])
    {
        let failure = #expect(throws: CommandLineParser.Failure.self) { try CommandLineParser.parse(arguments) }
        #expect(failure?.problems == problems)
        #expect(failure?.problems.contains { $0.contains("S3cr3t") } == false)
    }
}
