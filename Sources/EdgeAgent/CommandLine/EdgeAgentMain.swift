import Glibc

/// The program: reads the command line, does what it asks for and gives the exit code.
package enum EdgeAgentMain {
    /// Runs the program on the main thread; `arguments` begin with the program's name.
    package static func main(arguments: [String]) -> Int32 {
        ProcessSetup.prepare()
        let program = EdgeAgentProgram(
            loader: ConfigurationLoader(),
            agent: RunCommand.agent,
            libraries: VersionCommand.libraries,
            output: { StandardStream.output($0) },
            // Problems reach the journal as errors.
            error: { StandardStream.error((Journald.reads(STDERR_FILENO) ? "<3>" : "") + $0) },
            sink: StandardErrorSink()
        )
        return program.run(Array(arguments.dropFirst())).rawValue
    }
}

/// The program with everything that it touches, so that tests can give it other places.
package struct EdgeAgentProgram: Sendable {
    private let loader: ConfigurationLoader
    private let agent: RunCommand.Agent
    private let doctor: DoctorCommand.Examination
    private let libraries: @Sendable () -> [VersionCommand.Library]
    private let output: @Sendable (String) -> Bool
    private let error: @Sendable (String) -> Bool
    private let sink: any LogSink

    /// Makes a program; `output` and `error` take whole lines and tell whether they were written.
    package init(
        loader: ConfigurationLoader,
        agent: @escaping RunCommand.Agent,
        doctor: @escaping DoctorCommand.Examination = DoctorCommand.doctor,
        libraries: @escaping @Sendable () -> [VersionCommand.Library],
        output: @escaping @Sendable (String) -> Bool,
        error: @escaping @Sendable (String) -> Bool,
        sink: any LogSink
    ) {
        self.loader = loader
        self.agent = agent
        self.doctor = doctor
        self.libraries = libraries
        self.output = output
        self.error = error
        self.sink = sink
    }

    /// Does what the arguments, without the program's name, ask for.
    package func run(_ arguments: [String]) -> ExitCode {
        do throws(CommandLineParser.Failure) {
            switch try CommandLineParser.parse(arguments) {
            case .help(let command): return print(HelpText.text(for: command))
            case .version: return print(VersionCommand.text(libraries: libraries()))
            case .run(let arguments):
                return withConfiguration(arguments) { loaded in
                    let log = Log(level: loaded.configuration.logLevel, sink: sink)
                    return RunCommand.run(loaded, log: log, agent: agent)
                }
            case .checkConfig(let arguments):
                return withConfiguration(arguments) { loaded in
                    for warning in loaded.warnings { complain("warning: \(warning)") }
                    let problems = CheckConfigCommand.profileProblems(loaded.configuration)
                    for problem in problems { complain(problem) }
                    return problems.isEmpty ? print(CheckConfigCommand.text(loaded)) : .configuration
                }
            case .profile(let invocation):
                let outcome = ProfileCommandLine.run(invocation)
                for problem in outcome.problems { complain(problem) }
                return outcome.text.isEmpty || output(outcome.text) ? outcome.code : .osError
            case .doctor(let invocation, let arguments):
                let outcome = loader.load(file: arguments.file, overrides: arguments.overrides)
                return doctor(invocation, outcome, arguments.file, output)
            case .trySample(let sample, let arguments):
                return withConfiguration(arguments) { loaded in
                    for warning in loaded.warnings { complain("warning: \(warning)") }
                    let (text, code) = TrySampleCommand.answer(sample, under: loaded.configuration)
                    return output(text) ? code : .osError
                }
            }
        } catch {
            for problem in error.problems { complain(problem) }
            complain("see edge-agent \(error.command.map { "\($0.rawValue) " } ?? "")--help")
            return .usage
        }
    }

    private func withConfiguration(
        _ arguments: ConfigurationArguments,
        _ body: (ConfigurationLoader.Loaded) -> ExitCode
    ) -> ExitCode {
        switch loader.load(file: arguments.file, overrides: arguments.overrides) {
        case .loaded(let loaded): return body(loaded)
        case .unreadable(let problem):
            complain(problem.description)
            return .noInput
        case .refused(let problems):
            for problem in problems { complain(problem.description) }
            let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
            let cut = problems.count >= ConfigurationReader.maximumProblems ? ", and reading ended there" : ""
            complain("the configuration is not valid: \(count)\(cut)")
            return .configuration
        }
    }

    private func print(_ text: String) -> ExitCode { output(text) ? .success : .osError }

    private func complain(_ text: String) { _ = error("edge-agent: \(text)\n") }
}
