internal import BleCore

/// `check-config --try`: what the policy says to a sample command.
package enum TrySampleCommand {
    /// The verdict in a line, the rules behind it in a line each, and the exit code.
    package static func answer(
        _ sample: SampleCommand,
        under configuration: Configuration
    ) -> (text: String, code: ExitCode) {
        guard let gateway = GatewayID(configuration.gateway), let prefix = TopicPrefix(configuration.prefix) else {
            return ("refused: the gateway or the prefix cannot stand in a topic\n", .configuration)
        }
        let decoder = CommandDecoder(configuration, topics: TopicTree(prefix: prefix, gateway: gateway))
        let message = IncomingCommand(
            topic: sample.topic,
            payload: Array(sample.json.utf8),
            arrivedMs: UTCTime.now.millisecondsSince1970,
            arrivedMonotonic: .zero
        )
        switch decoder.decode(message, makeID: BootID.make) {
        case .ignored(let reason):
            return ("refused: the message would be ignored: \(reason.rawValue)\n", .sampleRefused)
        case .refused(let refusal):
            let isDenied = refusal.error.code == .denied
            let line = "\(isDenied ? "denied" : "refused"): \(refusal.error.code.rawValue): \(refusal.error.detail)"
            return (shown(line), isDenied ? .denied : .sampleRefused)
        case .command(let command): return answer(to: command, configuration.policy)
        }
    }

    private static func answer(to command: Command, _ policy: Policy?) -> (text: String, code: ExitCode) {
        let questions = PolicyQuestion.questions(of: command)
        let warnings = command.warnings.map { shown("  warning: \($0)") }.joined()
        let summary = questions.first?.summary ?? ""
        guard let policy else {
            return (shown("allowed: \(summary)") + "  there is no policy\n" + warnings, .success)
        }
        let decisions = questions.map { policy.decide($0) }
        let isAllowed = decisions.allSatisfy(\.isAllowed)
        let reasons = decisions.map { shown("  \($0.explanation)") }.joined()
        let verdict = shown("\(isAllowed ? "allowed" : "denied"): \(summary)")
        return (verdict + reasons + warnings, isAllowed ? .success : .denied)
    }

    /// A line for a terminal, whatever the sample has in it.
    private static func shown(_ line: String) -> String {
        var bytes: [UInt8] = []
        _ = LogText.appendEscaped(String(line.map { $0 == "\"" ? "'" : $0 }), to: &bytes, limit: 2048)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }
}
