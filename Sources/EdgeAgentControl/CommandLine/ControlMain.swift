internal import EdgeAgent
internal import EventLoop
internal import Glibc
internal import Synchronization

/// `edge-agent ctl`, `completion` and `manual`: the parts of the program that are no agent.
package enum ControlMain {
    /// Runs the command when it is one of these.
    ///
    /// - Parameter arguments: begin with the program's name.
    /// - Returns: the exit code; nil when the rest of the program has to look at the arguments.
    package static func main(arguments: [String]) -> Int32? {
        var rest = arguments.dropFirst()
        // `help ctl` is `ctl --help`.
        if rest.first == "help", let topic = rest.dropFirst().first, ["ctl", "completion", "manual"].contains(topic) {
            let more = rest.dropFirst(2)
            rest = [topic] + more + ["--help"]
        }
        switch rest.first {
        case "ctl":
            ProcessSetup.prepare()
            return control(Array(rest.dropFirst()), Environment.current).rawValue
        case "completion":
            ProcessSetup.prepare()
            return completion(Array(rest.dropFirst())).rawValue
        case "manual":
            ProcessSetup.prepare()
            return manual(Array(rest.dropFirst())).rawValue
        default: return nil
        }
    }

    private static func control(_ arguments: [String], _ environment: [String: String]) -> ControlOutcome {
        do throws(ControlParser.Failure) {
            switch try ControlParser.parse(arguments) {
            case .help(let command): return StandardStream.output(ControlHelp.text(for: command)) ? .ok : .failed
            case .run(let invocation): return run(invocation, environment)
            }
        } catch {
            for problem in error.problems { complain(problem) }
            complain("see edge-agent ctl \(error.command.map { "\($0.rawValue) " } ?? "")--help")
            return .usage
        }
    }

    private static func run(_ invocation: ControlInvocation, _ environment: [String: String]) -> ControlOutcome {
        let settings: ControlSettings
        do throws(ControlFailure) {
            try invocation.checked()
            settings = try ControlSettings(invocation, environment: environment)
        } catch {
            for problem in error.problems { complain(problem) }
            return error.outcome
        }
        // Before any thread starts, so that all of them inherit it.
        SignalSource.block([SIGINT, SIGTERM])
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop()
        } catch {
            complain(error.description)
            return .failed
        }
        let session = ControlSession(invocation, settings, ControlOutput(isJSON: invocation.has("--json")), on: loop)
        let result = Mutex(ControlOutcome.failed)
        // Unstructured because it is the root: the loop runs on this very thread until it stops it.
        Task(executorPreference: loop) {
            let outcome = await outcome(of: session)
            result.withLock { $0 = outcome }
            loop.stop()
        }
        loop.run()
        return result.withLock(\.self)
    }

    private static func outcome(of session: ControlSession) async -> ControlOutcome {
        let source: SignalSource
        do throws(SystemFailure) {
            source = try SignalSource([SIGINT, SIGTERM], on: session.loop) { _ in
                session.assumeIsolated { $0.happened(.interrupt) }
            }
        } catch {
            complain(error.description)
            return .failed
        }
        let outcome = await withTaskGroup(of: Void.self) { group in
            group.addTask { await session.keepConnection() }
            let outcome: ControlOutcome
            do {
                try await session.connect()
                outcome = try await session.run()
            } catch {
                let failure = error as? ControlFailure ?? ControlFailure(.failed, "\(error)")
                for problem in failure.problems { complain(problem) }
                outcome = failure.outcome
            }
            await session.close()
            group.cancelAll()
            return outcome
        }
        source.cancel()
        return outcome
    }

    private static func completion(_ arguments: [String]) -> ControlOutcome {
        if arguments.contains("--help") || arguments.contains("-h") {
            return StandardStream.output(ControlHelp.completion) ? .ok : .failed
        }
        guard arguments.count == 1, let shell = CompletionScript.Shell(rawValue: arguments[0]) else {
            complain("write edge-agent completion bash, or edge-agent completion zsh")
            return .usage
        }
        return StandardStream.output(CompletionScript.text(for: shell)) ? .ok : .failed
    }

    private static func manual(_ arguments: [String]) -> ControlOutcome {
        if arguments.contains("--help") || arguments.contains("-h") {
            return StandardStream.output(ControlHelp.manual) ? .ok : .failed
        }
        guard arguments.count == 1, let page = ManualPage(rawValue: arguments[0]) else {
            let names = ManualPage.allCases.map(\.rawValue).joined(separator: ", or edge-agent manual ")
            complain("write edge-agent manual \(names)")
            return .usage
        }
        return StandardStream.output(page.text) ? .ok : .failed
    }

    private static func complain(_ text: String) { StandardStream.error("edge-agent ctl: \(text)\n") }
}

/// The variables that the program was started with.
enum Environment {
    /// Those that the program looks at.
    static var current: [String: String] {
        var result: [String: String] = [:]
        for option in ControlOption.connection {
            guard let name = option.environment, let value = getenv(name) else { continue }
            result[name] = String(validatingCString: value)
        }
        for name in ["HOME", "XDG_CONFIG_HOME"] {
            if let value = getenv(name) { result[name] = String(validatingCString: value) }
        }
        return result
    }
}
