internal import BlueZSimulator
internal import DBus
internal import EventLoop
internal import Glibc

/// `bluez-simulator`: see `SimulatorOptions.help`.
@main
struct Main {
    static func main() {
        SignalSource.block([SIGTERM, SIGINT])
        do {
            guard let options = try SimulatorOptions.parse(Array(CommandLine.arguments.dropFirst())) else {
                write(SimulatorOptions.help, to: STDOUT_FILENO)
                return
            }
            let scenario = try options.scenario.map { try ScenarioFile.read($0) } ?? options.usual
            let file = try options.log.map { try CallLogFile($0) }
            run(Work(options: options, scenario: scenario, file: file), on: try EventLoop())
        } catch let refusal as SimulatorOptions.Refusal {
            end(EX_USAGE, "\(refusal.text) (--help lists the options)")
        } catch let failure as ScenarioFile.Failure {
            end(EX_NOINPUT, failure.text)
        } catch let failure as ScenarioProblems {
            end(EX_DATAERR, "the scenario is not valid\n\(failure)")
        } catch let failure as CallLogFile.Failure {
            end(EX_CANTCREAT, failure.text)
        } catch {
            end(EX_OSERR, "\(error)")
        }
    }

    private static func run(_ work: Work, on loop: EventLoop) {
        let stop = Stop(loop: loop)
        // The one task of the program; it ends with the program.
        Task(executorPreference: loop) { await stop.serve(work) }
        loop.run()
    }

    fileprivate static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(count, 0))
        }
    }

    fileprivate static func end(_ code: Int32, _ reason: String) -> Never {
        write("bluez-simulator: \(reason)\n", to: STDERR_FILENO)
        exit(code)
    }
}

/// What the command line asks for.
private struct Work: Sendable {
    let options: SimulatorOptions
    let scenario: Scenario
    let file: CallLogFile?
}

/// Runs the simulator until a signal arrives or the bus ends.
private actor Stop {
    private let loop: EventLoop
    private var signals: SignalSource?
    private var simulator: Simulator?
    private var stopping = false

    init(loop: EventLoop) { self.loop = loop }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    func serve(_ work: Work) async {
        let options = work.options
        do {
            signals = try SignalSource([SIGTERM, SIGINT], on: loop) { [self] _ in assumeIsolated { $0.stop() } }
            simulator = try await Simulator.start(
                on: options.bus,
                scenario: work.scenario,
                loop: loop,
                worker: Worker(),
                file: work.file,
                onEnd: { Main.end(EX_TEMPFAIL, "the bus ended the connection") }
            )
        } catch Simulator.Failure.nameTaken {
            Main.end(EX_UNAVAILABLE, "another program owns org.bluez on \(options.bus.text)")
        } catch DBusFailure.error(let name, let message) {
            Main.end(EX_UNAVAILABLE, "the bus \(options.bus.text) refused org.bluez: \(message) (\(name))")
        } catch {
            Main.end(EX_TEMPFAIL, "no bus at \(options.bus.text): \(error)")
        }
        guard !stopping else { return await leave() }
        Main.write("ready: \(Self.summary(work))\n", to: STDOUT_FILENO)
    }

    /// What there is, with the names of the first devices.
    private static func summary(_ work: Work) -> String {
        let scenario = work.scenario
        var parts = [scenario.isPresent ? "org.bluez" : "org.bluez not yet"]
        parts += scenario.adapters.map { "hci\($0.index)" }
        let devices = scenario.adapters.flatMap(\.devices)
        let shown = devices.prefix(DemoDevices.all.count)
        parts += shown.map { $0.advertisement.name ?? $0.address }
        if devices.count > shown.count { parts.append("\(devices.count - shown.count) more") }
        return parts.joined(separator: ", ")
    }

    private func stop() {
        guard !stopping else { exit(EXIT_SUCCESS) }
        stopping = true
        guard simulator != nil else { exit(EXIT_SUCCESS) }
        // Leaving awaits the connection's end and then stops the loop, which ends the program.
        Task(executorPreference: loop) { await self.leave() }
    }

    private func leave() async {
        await simulator?.leaveBus()
        signals?.cancel()
        loop.stop()
    }
}
