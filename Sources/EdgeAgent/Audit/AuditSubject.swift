package import BleCore
import Frames
import Profiles

/// What a command is about, as the audit log tells it.
///
/// It has bytes that go to a device alone: passkeys and PINs are no part of it.
package struct AuditSubject: Sendable, Equatable {
    package var verb: VerbName
    /// Whether a command like this gets a line at its end.
    package var isAudited: Bool
    /// The characteristics that it touches, as it names them: first where it writes, then what it listens to.
    package var attributes: [AttributeSelector]
    /// The bytes that it writes.
    package var value: [UInt8]?
    /// The parts of a command that has some.
    package var steps: [AuditSubject]
    /// Why the policy denied it: for the operator, not for the caller.
    package var reason: String?

    package init(
        _ verb: VerbName,
        isAudited: Bool? = nil,
        attributes: [AttributeSelector] = [],
        value: [UInt8]? = nil,
        steps: [AuditSubject] = []
    ) {
        self.verb = verb
        self.isAudited = isAudited ?? verb.isAudited
        self.attributes = attributes
        self.value = value
        self.steps = steps
    }

    /// What a request is about.
    package init(_ request: VerbRequest) {
        var isAudited = request.name.isAudited
        var value: [UInt8]?
        switch request {
        case .write(let write): value = write.value
        case .transact(let rules): value = rules.framed
        case .run(let run):
            isAudited = run.resolved?.isReadOnly != true
            if case .transact(let rules)? = run.resolved?.prepared {
                value = rules.framed
            }
        // It forgets the device, and finds it anew.
        case .discover(let discover): isAudited = discover.refresh
        case .ping, .info, .devices, .scan, .scanStart, .scanStop, .adapterPower, .connect, .connectMatching,
            .disconnect, .read, .subscribe, .unsubscribe, .rssi, .jobs, .job, .cancel, .pair, .pairingWindow,
            .pairAnswer, .unpair, .trust, .forget, .restart, .diag:
            break
        case .logLevel, .configGet: break
        case .sequence(let sequence):
            let steps = sequence.steps.map { AuditSubject($0.request) }
            self.init(.sequence, isAudited: steps.contains { $0.isAudited }, steps: steps)
            return
        }
        self.init(request.name, isAudited: isAudited, attributes: request.attributes, value: value)
    }
}

extension VerbName {
    /// Whether each command with this verb gets a line in the audit log: it may change what a device holds or does, a
    /// bond, the gateway itself, or what other callers have asked for.
    ///
    /// Links, subscriptions and scans do not: what they change is what the agent hears.
    package var isAudited: Bool {
        switch self {
        case .write, .transact, .sequence, .run, .pair, .pairAnswer, .unpair, .trust, .forget, .cancel, .adapterPower,
            .logLevel, .restart:
            true
        case .connect, .disconnect, .discover, .read, .subscribe, .unsubscribe, .rssi, .ping, .info, .scan, .scanStart,
            .scanStop, .devices, .jobs, .job, .configGet, .diag:
            false
        }
    }
}
