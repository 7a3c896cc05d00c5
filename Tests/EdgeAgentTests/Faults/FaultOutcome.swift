/// What a result has to say of a failure: a row of the table of codes.
struct FaultOutcome: Sendable {
    let status: String
    let code: String
    let stage: String
    let isRetryable: Bool

    private init(_ status: String, _ code: String, at stage: String, retryable: Bool) {
        self.status = status
        self.code = code
        self.stage = stage
        isRetryable = retryable
    }

    static let adapterBlocked = FaultOutcome("failed", "adapter-blocked", at: "agent", retryable: true)
    static let adapterMissing = FaultOutcome("failed", "adapter-missing", at: "agent", retryable: true)
    static let adapterOff = FaultOutcome("failed", "adapter-off", at: "agent", retryable: true)
    static let ambiguousCharacteristic = FaultOutcome(
        "failed",
        "ambiguous-characteristic",
        at: "discover",
        retryable: false
    )
    static let attError = FaultOutcome("failed", "att-error", at: "operate", retryable: false)
    static let bluetoothUnavailable = FaultOutcome("failed", "bluetooth-unavailable", at: "agent", retryable: true)
    static let busLost = FaultOutcome("unknown", "bus-lost", at: "operate", retryable: false)
    static let busy = FaultOutcome("failed", "busy", at: "operate", retryable: true)
    static let connectFailed = FaultOutcome("failed", "connect-failed", at: "connect", retryable: true)
    static let connectTimeout = FaultOutcome("timeout", "connect-timeout", at: "connect", retryable: true)
    static let deviceRemoved = FaultOutcome("failed", "device-removed", at: "operate", retryable: true)
    static let deviceRemovedToConnect = FaultOutcome("failed", "device-removed", at: "connect", retryable: true)
    static let discoverTimeout = FaultOutcome("timeout", "discover-timeout", at: "discover", retryable: true)
    static let internalError = FaultOutcome("failed", "internal", at: "agent", retryable: false)
    static let linkLost = FaultOutcome("failed", "link-lost", at: "operate", retryable: true)
    static let linkLostToConnect = FaultOutcome("failed", "link-lost", at: "connect", retryable: true)
    static let needsPairing = FaultOutcome("failed", "needs-pairing", at: "operate", retryable: false)
    static let needsPairingToConnect = FaultOutcome("failed", "needs-pairing", at: "connect", retryable: false)
    static let noCharacteristic = FaultOutcome("failed", "no-characteristic", at: "discover", retryable: false)
    static let noDescriptor = FaultOutcome("failed", "no-descriptor", at: "discover", retryable: false)
    static let noService = FaultOutcome("failed", "no-service", at: "discover", retryable: false)
    static let noSlot = FaultOutcome("failed", "no-slot", at: "connect", retryable: true)
    static let notInRange = FaultOutcome("failed", "not-in-range", at: "scan", retryable: true)
    static let notPermitted = FaultOutcome("failed", "not-permitted", at: "operate", retryable: false)
    static let notSupported = FaultOutcome("failed", "not-supported", at: "operate", retryable: false)
    static let outcomeUnknown = FaultOutcome("unknown", "outcome-unknown", at: "operate", retryable: false)
    static let pairingFailed = FaultOutcome("failed", "pairing-failed", at: "operate", retryable: false)
    static let pairingRejected = FaultOutcome("failed", "pairing-rejected", at: "operate", retryable: false)
    static let staleBond = FaultOutcome("failed", "stale-bond", at: "operate", retryable: false)
    static let staleBondToConnect = FaultOutcome("failed", "stale-bond", at: "connect", retryable: false)
    static let timeout = FaultOutcome("timeout", "timeout", at: "operate", retryable: true)
    static let unauthorized = FaultOutcome("failed", "unauthorized", at: "agent", retryable: false)
    static let valueTooLong = FaultOutcome("failed", "value-too-long", at: "operate", retryable: false)
}
