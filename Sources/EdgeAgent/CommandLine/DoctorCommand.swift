internal import BleCore
internal import EventLoop
internal import Glibc
internal import MQTT
internal import Synchronization

/// The command `doctor`: looks at what the agent needs, with connections of its own.
package enum DoctorCommand {
    /// What carries the checks out and prints them: what was asked for, how the configuration was read, the file that
    /// the command line names, and where the text goes.
    package typealias Examination =
        @Sendable (
            DoctorInvocation, ConfigurationLoader.Outcome, String?, @escaping @Sendable (String) -> Bool
        ) -> ExitCode

    /// The one of the program, on the main thread.
    package static let doctor: Examination = { invocation, outcome, file, output in
        run(invocation, outcome, file, output)
    }

    private static func run(
        _ invocation: DoctorInvocation,
        _ outcome: ConfigurationLoader.Outcome,
        _ file: String?,
        _ output: @escaping @Sendable (String) -> Bool
    ) -> ExitCode {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop()
        } catch {
            _ = output("the system gives no descriptors: \(error.description)\n")
            return .osError
        }
        let subject = subject(invocation, outcome, file)
        let result = Mutex(ExitCode.software)
        // Unstructured because it is the root: the loop runs on this very thread until it stops it.
        Task(executorPreference: loop) {
            let code = await examine(subject, isJSON: invocation.isJSON, output, on: loop)
            result.withLock { $0 = code }
            loop.stop()
        }
        loop.run()
        return result.withLock(\.self)
    }

    private static func subject(
        _ invocation: DoctorInvocation,
        _ outcome: ConfigurationLoader.Outcome,
        _ file: String?
    ) -> Doctor.Subject {
        var configuration: Configuration?
        if case .loaded(let loaded) = outcome { configuration = loaded.configuration }
        var subject = Doctor.Subject(
            configuration: configuration,
            configurationFinding: StateJudge.configuration(outcome, file: file),
            host: HostFacts.current(file: file)
        )
        subject.device = invocation.device
        subject.listenTime = invocation.listenTime
        guard let configuration, let gateway = GatewayID(configuration.gateway),
            let prefix = TopicPrefix(configuration.prefix)
        else { return subject }
        let topics = TopicTree(prefix: prefix, gateway: gateway)
        var settings = MQTTConfiguration(configuration, topics: topics, boot: "")
        // Another client than the agent, which the broker would throw out, and one that leaves nothing behind.
        settings.clientID = "\(configuration.clientID)-doctor\(getpid())"
        settings.will = nil
        settings.sessionExpirySeconds = 0
        settings.cleanSession311 = true
        settings.reconnect.first = .milliseconds(100)
        settings.reconnect.longest = .milliseconds(100)
        subject.broker = .own(settings, topics.mqttSubscriptions)
        return subject
    }

    private static func examine(
        _ subject: Doctor.Subject,
        isJSON: Bool,
        _ output: @escaping @Sendable (String) -> Bool,
        on loop: EventLoop
    ) async -> ExitCode {
        let settings = BluetoothManager.Configuration(subject.configuration?.bluetooth ?? BluetoothConfiguration())
        let manager = BluetoothManager(configuration: settings, loop: loop, worker: Worker())
        let isWritten = Mutex(true)
        let results = await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: loop) {
                do {
                    try await manager.run()
                } catch {
                    // Cancellation: the way in which it ends.
                }
            }
            let doctor = Doctor(subject, manager: manager, loop: loop)
            let results: [CheckResult]
            do {
                results = try await doctor.run { result in
                    if !isJSON, !output(result.text) { isWritten.withLock { $0 = false } }
                }
            } catch {
                // Without an operation around it nothing ends it early.
                results = []
            }
            group.cancelAll()
            return results
        }
        if isJSON, !output(CheckResult.json(results)) { isWritten.withLock { $0 = false } }
        guard isWritten.withLock(\.self) else { return .osError }
        return CheckResult.areWell(results) ? .success : .checkFailed
    }
}

extension BluetoothManager.Configuration {
    /// What the doctor wants of a manager: the agent's adapters and agent for pairings, and nothing that mends.
    fileprivate init(_ bluetooth: BluetoothConfiguration) {
        self.init()
        adapters = bluetooth.adapterIDs
        pairingCapability = bluetooth.capability.capability
        identityKeys = bluetooth.identityKeys
        recovery.removesDevices = false
        recovery.powerCycles = false
        recovery.hasHelper = false
    }
}
