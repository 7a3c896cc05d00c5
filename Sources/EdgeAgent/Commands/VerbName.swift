/// Every verb of the contract, offered by this version or not.
package enum VerbName: String, CaseIterable, Sendable {
    case connect, disconnect, discover, read, write, subscribe, unsubscribe, transact, sequence, run, rssi
    case pair
    case pairAnswer = "pair.answer"
    case unpair, trust, forget
    case ping, info, scan
    case scanStart = "scan.start"
    case scanStop = "scan.stop"
    case devices, jobs, job, cancel
    case adapterPower = "adapter.power"
    case logLevel = "log.level"
    case configGet = "config.get"
    case diag, restart

    /// The topics on which a verb may come.
    package enum Place: Sendable { case device, gateway, both }

    package var place: Place {
        switch self {
        case .connect, .pair: .both
        case .disconnect, .discover, .read, .write, .subscribe, .unsubscribe, .transact, .sequence, .run, .rssi,
            .pairAnswer, .unpair, .trust, .forget:
            .device
        case .ping, .info, .scan, .scanStart, .scanStop, .devices, .jobs, .job, .cancel, .adapterPower, .logLevel,
            .configGet, .diag, .restart:
            .gateway
        }
    }

    /// Whether the verb may stand in a sequence.
    package var mayBeStep: Bool {
        switch self {
        case .connect, .disconnect, .discover, .read, .write, .subscribe, .unsubscribe, .transact, .run, .rssi: true
        default: false
        }
    }

    /// Whether a command with this verb changes something as a rule; `discover` does with `refresh` alone.
    package var changesSomething: Bool {
        switch self {
        case .ping, .info, .scan, .devices, .jobs, .job, .configGet, .diag, .read, .rssi, .discover: false
        case .connect, .disconnect, .write, .subscribe, .unsubscribe, .transact, .sequence, .run, .pair, .pairAnswer,
            .unpair, .trust, .forget, .scanStart, .scanStop, .cancel, .adapterPower, .logLevel, .restart:
            true
        }
    }

    /// All verbs in order of the alphabet.
    package static let sorted: [VerbName] = allCases.sorted { $0.rawValue < $1.rawValue }
}
