/// Which version of the protocol the next attempt speaks.
package struct VersionChoice {
    private let policy: MQTTVersionPolicy
    private var closes = 0
    private var isSettled = false

    package private(set) var version: MQTTVersion

    package init(_ policy: MQTTVersionPolicy) {
        self.policy = policy
        version = policy == .v311 ? .v311 : .v5
    }

    /// CONNACK said yes: a broker that has spoken 5 is not taken for an old one when it closes early later on.
    package mutating func succeeded() {
        isSettled = true
        closes = 0
    }

    /// Takes the failure of an attempt into account.
    ///
    /// - Returns: whether the version has changed.
    package mutating func failed(_ failure: MQTTFailure) -> Bool {
        guard policy == .auto, version == .v5 else { return false }
        switch failure {
        case .refused(code: 0x84, _), .refused(code: 0x01, _):
            version = .v311
            return true
        case .closedBeforeAnswer where !isSettled:
            closes += 1
            guard closes >= 2 else { return false }
            version = .v311
            return true
        default:
            // Only closes in a row count; a name that does not resolve in between says nothing about the broker.
            if case .refused = failure { closes = 0 }
            return false
        }
    }
}
