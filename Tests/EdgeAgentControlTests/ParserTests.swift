import EdgeAgentControl
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ParserTests {
    private func parse(_ line: String) throws -> ControlRequestLine {
        try ControlParser.parse(line.split(separator: " ").map(String.init))
    }

    private func problems(_ arguments: [String]) -> [String] {
        do throws(ControlParser.Failure) {
            if case .run(let invocation) = try ControlParser.parse(arguments) {
                do throws(ControlFailure) {
                    try invocation.checked()
                } catch {
                    return error.problems
                }
            }
            return []
        } catch {
            return error.problems
        }
    }

    @Test func `options stand before and behind the command, with a space or an equals sign`() throws {
        let expected = ControlInvocation(
            command: .read,
            operands: ["door", "180f", "2a19"],
            values: ["--gateway": ["g"], "--json": [""], "--field": ["a=1", "b=2"]]
        )
        let line = "--gateway g read door --field a=1 180f --field=b=2 2a19 --json"
        #expect(try parse(line) == .run(expected))
    }

    @Test func `behind two dashes nothing is an option, and a negative number is a value`() throws {
        let expected = ControlInvocation(command: .write, operands: ["d", "1", "2", "--x"], values: [:])
        #expect(try parse("write d 1 2 -- --x") == .run(expected))
        let scan = ControlInvocation(command: .scan, operands: [], values: ["--rssi": ["-80"]])
        #expect(try parse("scan --rssi -80") == .run(scan))
    }

    @Test(arguments: [
        ("--help", ControlCommand?.none), ("-h", nil), ("help", nil), ("help read", .read), ("read --help", .read),
        ("read a b --nonsense -h", .read),
    ])
    func `help is asked for anywhere`(line: String, command: ControlCommand?) throws {
        #expect(try parse(line) == .help(command))
    }

    @Test(arguments: [
        (
            [],
            "a command is missing: gateways, devices, scan, read, write, subscribe, transact, run, jobs, cancel, pair, watch"
        ),
        (["raed"], "unknown command \"raed\": did you mean read?"),
        (["zzzz\n"], "unknown command \"zzzz\\n\": expected"),
        (["read", "door"], "read takes DEV SERVICE CHARACTERISTIC, and got 1"),
        (["read", "door", "180f", "2a19", "--handle", "7"], "and got 3"),
        (["gateways", "x"], "gateways takes no operands, and got 1"),
        (["read", "d", "1", "2", "--mode", "auto"], "read does not take --mode"),
        (["write", "d", "1", "2", "aa", "--mode", "fast"], "--mode takes auto, request, command, reliable"),
        (["jobs", "--jsn"], "unknown option \"--jsn\": did you mean --json?"),
        (["jobs", "--json=1"], "--json takes no value"),
        (["jobs", "--gateway"], "--gateway needs a value: --gateway ID"),
        (["jobs", "--gateway", "a", "--gateway", "b"], "--gateway is given twice"),
        (["read", "UPPER!", "180f", "2a19"], "\"UPPER!\" is no device"),
        (["read", "d", "--handle", "0"], "--handle is no whole number 1 to 65535"),
        (["scan", "--duration", "soon"], "--duration is no time: write 500ms, 10s, 5m or 2h"),
        (["read", "d", "1", "2", "--field", "offset"], "--field is written NAME=JSON"),
        (["read", "d", "1", "2", "--field", "x=1,\"y\":2"], "--field is written NAME=JSON"),
        (["read", "d", "1", "2", "--field", "verb=\"write\""], "--field cannot set verb"),
        (["read", "d", "1", "2", "--id", "a b"], "--id is not [A-Za-z0-9_-]{1,64}"),
        (["run", "d", "open", "now"], "an argument is written NAME=VALUE: \"now\""),
        (["cancel"], "cancel takes one of CLIENT/ID, --dev DEV and --all"),
        (["cancel", "a/b", "--all"], "cancel takes one of"),
        (["cancel", "ab"], "a command is named CLIENT/ID"),
        (["subscribe", "d", "1", "2", "--count", "0"], "--count is no whole number from 1"),
    ])
    func `what is wrong is said`(arguments: [String], problem: String) {
        #expect(problems(arguments).contains { $0.contains(problem) }, "\(problems(arguments))")
    }

    @Test(arguments: ["--password=S3cr3t", "--pw S3cr3t", "-P=S3cr3t"])
    func `a password on the command line is refused and not repeated`(line: String) {
        let found = problems(["jobs"] + line.split(separator: " ").map(String.init))
        #expect(!found.isEmpty)
        #expect(!found.joined().contains("S3cr3t"))
    }

    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("10", .seconds(10)), ("10s", .seconds(10)), ("5m", .seconds(300)),
        ("2h", .seconds(7200)), ("s", nil), ("", nil), ("1d", nil), ("-1s", nil), ("99999999999999999999", nil),
        ("9999h", nil),
    ])
    func `times are written as people do`(text: String, span: Duration?) {
        #expect(TimeText.duration(text) == span)
    }

    @Test func `each status has its outcome, and one of a later version is not known`() {
        let expected: [(String, ControlOutcome)] = [
            ("ok", .ok), ("failed", .failed), ("rejected", .rejected), ("timeout", .timeout), ("expired", .timeout),
            ("unknown", .unknown), ("partial", .partial), ("cancelled", .cancelled), ("someday", .unknown),
        ]
        for (status, outcome) in expected { #expect(ControlOutcome(status: status) == outcome) }
    }

    @Test(arguments: [nil] + ControlCommand.allCases)
    func `help fits a terminal and names every option and exit code`(command: ControlCommand?) {
        let text = ControlHelp.text(for: command)
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
        for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        for option in ControlOption.connection + (command?.options ?? []) { #expect(text.contains(option.name)) }
        for outcome in ControlOutcome.allCases { #expect(text.contains("  \(outcome.rawValue) ")) }
        for known in ControlCommand.allCases where command == nil { #expect(text.contains("  \(known.rawValue) ")) }
    }

    @Test(arguments: ControlCommand.allCases)
    func `the example of a command is one that it takes`(command: ControlCommand) throws {
        let words = try shellWords(command.example)
        #expect(words.prefix(2) == ["edge-agent", "ctl"])
        guard case .run(let invocation) = try ControlParser.parse(Array(words.dropFirst(2))) else {
            Issue.record("no command: \(command.example)")
            return
        }
        #expect(invocation.command == command)
        try invocation.checked()
    }

    /// Words at spaces, with single quotes.
    private func shellWords(_ line: String) throws -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().reduce(into: [""]) { words, part in
            if part.offset % 2 == 1 {
                words[words.count - 1] += part.element
                return
            }
            let pieces = part.element.split(separator: " ", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { words.append("") }
                words[words.count - 1] += piece
            }
        }.filter { !$0.isEmpty }
    }
}
