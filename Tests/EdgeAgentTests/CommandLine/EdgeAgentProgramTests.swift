import EdgeAgent
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EdgeAgentProgramTests {
    /// What a program wrote and was asked to run.
    private final class Record: Sendable {
        let output = Mutex("")
        let error = Mutex("")
        let configuration = Mutex<Configuration?>(nil)
        let sink = CollectingSink()

        func program(defaultFile: String = "/nonexistent/edge-agent.yaml", code: ExitCode = .success)
            -> EdgeAgentProgram
        {
            let host = HostIdentity(hostName: "shop", machineID: "0123456789abcdef0123456789abcdef")
            return EdgeAgentProgram(
                loader: ConfigurationLoader(defaultFile: defaultFile, host: host),
                agent: { loaded, log in
                    self.configuration.withLock { $0 = loaded.configuration }
                    log.debug("Agent ran")
                    return code
                },
                libraries: { [(name: "libexample", version: "1.2.3")] },
                output: { text in
                    self.output.withLock { $0 += text }
                    return true
                },
                error: { text in
                    self.error.withLock { $0 += text }
                    return true
                },
                sink: sink
            )
        }
    }

    @Test func `run without flags starts the agent with the defaults`() {
        let record = Record()
        #expect(record.program().run(["run"]) == .success)
        let configuration = record.configuration.withLock { $0 }
        #expect(configuration?.broker.description == "mqtt://localhost:1883")
        #expect(configuration?.gateway.hasPrefix("shop-") == true)
        #expect(record.sink.all.count == 1)
        #expect(record.sink.all.first?.hasPrefix("notice agent: Agent is starting version=0.1.0 gateway=shop-") == true)
        #expect(record.error.withLock { $0 } == "")
    }

    @Test(arguments: ExitCode.allCases)
    func `the agent's exit code is the program's`(code: ExitCode) {
        #expect(Record().program(code: code).run(["run"]) == code)
    }

    @Test func `the log has the configured level and no user name`() {
        let record = Record()
        _ = record.program().run(["run", "--log-level", "debug", "--broker", "mqtt://S3cr3t@host"])
        #expect(record.sink.all.last == "debug agent: Agent ran")
        #expect(record.sink.all.allSatisfy { !$0.contains("S3cr3t") })
    }

    @Test func `run names every problem of file and flags and starts nothing`() throws {
        try withTemporaryDirectory { directory in
            let file = directory + "/edge-agent.yaml"
            try writeFile("gatway: a\nmqtt:\n  port: 1\n", to: file)
            let record = Record()
            #expect(record.program(defaultFile: file).run(["run", "--adapter", "x"]) == .configuration)
            let error = record.error.withLock { $0 }
            #expect(error.contains("edge-agent: \(file):1: gatway: unknown key: did you mean gateway?\n"))
            #expect(error.contains("edge-agent: \(file):3: mqtt.port: unknown key"))
            let flag = "edge-agent: --adapter (bluetooth.adapter): expected names or addresses of adapters"
            #expect(error.contains(flag))
            #expect(error.hasSuffix("edge-agent: the configuration is not valid: 3 problems\n"))
            #expect(record.configuration.withLock { $0 } == nil)
        }
    }

    @Test func `check-config tells what is wrong with the profiles that the configuration names`() throws {
        try withTemporaryDirectory { directory in
            try writeFile(
                "profile: heater\ntitle: Heater\ncommands: [{name: on, write: {service: ffe0, uuid: ffe1}, frame: \"01\"}]\n",
                to: directory + "/heater.yaml"
            )
            let file = directory + "/agent.conf"
            let devices = "devices:\n  - {address: \"AA:BB:CC:DD:EE:FF\", alias: one, profile: heater}\n"
            try writeFile("profiles: {directory: \(directory)}\n" + devices, to: file)
            let record = Record()
            #expect(record.program().run(["check-config", "--config", file]) == .success)
            #expect(record.error.withLock { $0 } == "")
            try writeFile(
                "profile: heater\ntitle: Heater\ntitel: Heater\ncommands: []\n",
                to: directory + "/heater.yaml"
            )
            #expect(record.program().run(["check-config", "--config", file]) == .configuration)
            let error = record.error.withLock { $0 }
            #expect(error.contains("edge-agent: \(directory)/heater.yaml:3: "))
            #expect(error.contains("aabbccddeeff has the profile heater, which is not there"))
        }
    }

    @Test func `check-config prints a configuration and starts nothing`() {
        let record = Record()
        #expect(record.program().run(["check-config", "--prefix", "a/b"]) == .success)
        let output = record.output.withLock { $0 }
        #expect(output.hasPrefix("# configuration is valid\n# source: no file, defaults and flags alone\n# hash: "))
        #expect(output.contains("\nprefix: a/b\n"))
        #expect(readConfiguration(output).problems.isEmpty)
        #expect(record.configuration.withLock { $0 } == nil)
    }

    @Test func `a sample command is answered on the standard output, and nothing else is printed`() throws {
        try withTemporaryDirectory { directory in
            let file = directory + "/edge-agent.yaml"
            try writeFile("policy:\n  - allow: ping\n    callers: me\n", to: file)
            let record = Record()
            let program = record.program(defaultFile: file)
            let sample = ["check-config", "--try", #"{"verb":"ping"}"#]
            #expect(program.run(sample + ["--as", "me"]) == .success)
            #expect(program.run(sample + ["--as", "you"]) == .denied)
            #expect(program.run(["check-config", "--try", "{"]) == .sampleRefused)
            #expect(
                record.output.withLock { $0 }.hasPrefix(
                    """
                    allowed: ping for me on the gateway
                      rule 1 (line 2) allows ping for me on the gateway
                    denied: ping for you on the gateway
                      no rule allows ping for you on the gateway
                    refused: bad-request:
                    """
                )
            )
            #expect(record.error.withLock { $0 } == "")
            #expect(program.run(sample + ["--gateway", "ALL"]) == .configuration)
            #expect(record.configuration.withLock { $0 } == nil)
        }
    }

    @Test func `version lists the program and its libraries`() {
        let record = Record()
        #expect(record.program().run(["version"]) == .success)
        #expect(record.output.withLock { $0 } == "edge-agent \(AgentVersion.current)\nlibexample 1.2.3\n")
    }

    @Test(arguments: [nil] + ProgramCommand.allCases)
    func `help fits a terminal and names what there is`(command: ProgramCommand?) {
        let text = HelpText.text(for: command)
        #expect(text.hasSuffix("\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        if command == .run || command == .checkConfig {
            let more = command == .run ? [] : CommandLineFlag.sample
            for flag in more {
                #expect(text.contains("\n  \(flag.name)\(flag.takesValue ? " \(flag.placeholder)" : " ")"))
            }
            for flag in CommandLineFlag.all { #expect(text.contains("\n  \(flag.name) \(flag.placeholder)")) }
        }
        #expect(text.contains("Usage:\n  edge-agent "))
        if command != nil { #expect(text.contains("Exit codes:\n  0 ") && text.contains("Example")) }
    }
}
