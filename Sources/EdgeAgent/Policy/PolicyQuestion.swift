package import BleCore
import Frames

/// What a policy is asked: whether a caller may do one thing.
///
/// A command is one question, or several where it has parts; all of them have to be allowed.
package struct PolicyQuestion: Sendable, Equatable {
    /// The caller as the level of the topic names it; nil without one.
    package var identity: String?
    package var verb: VerbName
    /// Whether it changes something, as the verb and its fields are.
    package var isChanging: Bool
    /// Whether it came on `all/cmd`.
    package var isOnAll: Bool
    /// The device that it is for; nil for the gateway.
    package var device: DeviceTarget?
    /// The characteristics that it reads, writes or listens to, as the command names them.
    package var attributes: [AttributeSelector]

    package init(
        identity: String?,
        verb: VerbName,
        isChanging: Bool,
        isOnAll: Bool = false,
        device: DeviceTarget? = nil,
        attributes: [AttributeSelector] = []
    ) {
        self.identity = identity
        self.verb = verb
        self.isChanging = isChanging
        self.isOnAll = isOnAll
        self.device = device
        self.attributes = attributes
    }

    /// The same for a command on the gateway's own topic.
    var onOwnTopic: PolicyQuestion {
        var question = self
        question.isOnAll = false
        return question
    }

    /// The questions of a command, at least one.
    package static func questions(of command: Command) -> [PolicyQuestion] {
        let isOnAll = command.origin.target == .gateway(all: true)
        var devices = [command.origin.device]
        if case .group(_, let members) = command.origin.target { devices = members }
        return devices.flatMap { device in
            questions(of: command.request).map { verb, isChanging, attributes in
                PolicyQuestion(
                    identity: command.origin.identity,
                    verb: verb,
                    isChanging: isChanging,
                    isOnAll: isOnAll,
                    device: device,
                    attributes: attributes
                )
            }
        }
    }

    private typealias Part = (verb: VerbName, isChanging: Bool, attributes: [AttributeSelector])

    /// What a request consists of.
    ///
    /// One with steps is itself a part, then each of its steps: whoever may write, and may not run a sequence, may do
    /// neither in the other's name.
    private static func questions(of request: VerbRequest) -> [Part] {
        var parts: [Part] = [(request.name, request.changesSomething, request.attributes)]
        if case .sequence(let sequence) = request {
            parts += sequence.steps.flatMap { questions(of: $0.request) }
        }
        return parts
    }
}

extension VerbRequest {
    /// The characteristics that the request touches, as it names them.
    package var attributes: [AttributeSelector] {
        switch self {
        case .ping, .info, .devices, .scan, .scanStart, .scanStop, .adapterPower, .connect, .connectMatching,
            .disconnect, .discover, .rssi, .jobs, .job, .cancel, .pair, .pairingWindow, .pairAnswer, .unpair, .trust,
            .forget, .restart, .diag:
            []
        case .logLevel, .configGet: []
        case .sequence(let request): request.steps.flatMap(\.request.attributes)
        case .read(let request): [request.attribute]
        case .write(let request): [request.attribute]
        case .subscribe(let request): [request.attribute]
        case .unsubscribe(let request): [request.attribute]
        case .run(let request): request.attributes
        case .transact(let rules): [rules.write] + (rules.notify.map { [$0] } ?? [])
        }
    }
}

extension VerbName {
    /// Whether a command with this verb can touch a characteristic, so that rules with characteristics may meet it.
    package var touchesAttributes: Bool {
        switch self {
        case .read, .write, .subscribe, .unsubscribe, .transact, .sequence, .run: true
        case .connect, .disconnect, .discover, .rssi, .pair, .pairAnswer, .unpair, .trust, .forget, .ping, .info,
            .scan, .scanStart, .scanStop, .devices, .jobs, .job, .cancel, .adapterPower, .logLevel, .configGet, .diag,
            .restart:
            false
        }
    }
}
