/// The closed list of error codes of the contract.
package enum ErrorCode: String, CaseIterable, Sendable {
    case badRequest = "bad-request"
    case unknownVerb = "unknown-verb"
    case conflictingEnvelope = "conflicting-envelope"
    case payloadTooLarge = "payload-too-large"
    case duplicateConflict = "duplicate-conflict"
    case retainedCommand = "retained-command"
    case denied
    case responseTopicDenied = "response-topic-denied"
    case unknownDevice = "unknown-device"
    case unknownGroup = "unknown-group"
    case unknownCommand = "unknown-command"
    case unknownJob = "unknown-job"
    case queueFull = "queue-full"
    case shuttingDown = "shutting-down"
    case clockUnsynchronised = "clock-unsynchronised"
    case storageFailed = "storage-failed"
    case expired
    case cancelled
    case timeout
    case connectTimeout = "connect-timeout"
    case discoverTimeout = "discover-timeout"
    case bluetoothUnavailable = "bluetooth-unavailable"
    case unauthorized
    case adapterMissing = "adapter-missing"
    case adapterOff = "adapter-off"
    case adapterBlocked = "adapter-blocked"
    case noSlot = "no-slot"
    case notInRange = "not-in-range"
    case connectFailed = "connect-failed"
    case linkLost = "link-lost"
    case deviceRemoved = "device-removed"
    case needsPairing = "needs-pairing"
    case pairingFailed = "pairing-failed"
    case pairingRejected = "pairing-rejected"
    case staleBond = "stale-bond"
    case noService = "no-service"
    case noCharacteristic = "no-characteristic"
    case noDescriptor = "no-descriptor"
    case ambiguousCharacteristic = "ambiguous-characteristic"
    case notSupported = "not-supported"
    case notPermitted = "not-permitted"
    case attError = "att-error"
    case valueTooLong = "value-too-long"
    case busy
    case responseRejected = "response-rejected"
    case badChecksum = "bad-checksum"
    case parseFailed = "parse-failed"
    case resultTooLarge = "result-too-large"
    case busLost = "bus-lost"
    case outcomeUnknown = "outcome-unknown"
    case `internal`

    /// What the contract says of a code.
    package struct Row: Sendable, Equatable {
        /// The status of a result with this code.
        package let status: ResultStatus
        /// The stages at which it may occur, in order; the first stands where nothing else is known.
        package let stages: [ErrorStage]
        package let isRetryable: Bool

        init(_ status: ResultStatus, _ stages: [ErrorStage], retryable isRetryable: Bool) {
            self.status = status
            self.stages = stages
            self.isRetryable = isRetryable
        }
    }

    package var status: ResultStatus { row.status }
    package var defaultStage: ErrorStage { row.stages.first ?? .agent }
    package var isRetryable: Bool { row.isRetryable }

    package var row: Row {
        switch self {
        case .badRequest, .unknownVerb, .conflictingEnvelope, .payloadTooLarge, .duplicateConflict, .retainedCommand,
            .denied, .responseTopicDenied, .unknownDevice, .unknownGroup, .unknownCommand, .unknownJob:
            Row(.rejected, [.agent], retryable: false)
        case .queueFull: Row(.rejected, [.queue, .agent], retryable: true)
        case .shuttingDown, .clockUnsynchronised, .storageFailed: Row(.rejected, [.agent, .queue], retryable: true)
        case .expired: Row(.expired, [.queue], retryable: false)
        case .cancelled: Row(.cancelled, ErrorStage.allCases, retryable: true)
        case .timeout: Row(.timeout, [.operate, .agent], retryable: true)
        case .connectTimeout: Row(.timeout, [.connect], retryable: true)
        case .discoverTimeout: Row(.timeout, [.discover], retryable: true)
        case .bluetoothUnavailable, .adapterMissing, .adapterOff, .adapterBlocked:
            Row(.failed, [.agent], retryable: true)
        case .unauthorized: Row(.failed, [.agent], retryable: false)
        case .noSlot: Row(.failed, [.connect], retryable: true)
        case .notInRange: Row(.failed, [.scan], retryable: true)
        case .connectFailed, .linkLost, .deviceRemoved: Row(.failed, [.connect, .operate], retryable: true)
        case .needsPairing, .pairingFailed, .pairingRejected, .staleBond:
            Row(.failed, [.connect, .operate], retryable: false)
        case .noService, .noCharacteristic, .noDescriptor, .ambiguousCharacteristic:
            Row(.failed, [.discover], retryable: false)
        case .notSupported, .notPermitted, .attError, .valueTooLong: Row(.failed, [.operate], retryable: false)
        case .busy: Row(.failed, [.operate], retryable: true)
        case .responseRejected, .badChecksum, .parseFailed: Row(.failed, [.operate], retryable: false)
        case .resultTooLarge: Row(.failed, [.agent], retryable: false)
        case .busLost, .outcomeUnknown: Row(.unknown, [.operate], retryable: false)
        case .internal: Row(.failed, [.agent], retryable: false)
        }
    }
}

/// The part of a command's way at which it failed, in the order of the way.
package enum ErrorStage: String, CaseIterable, Sendable {
    case queue, scan, connect, discover, operate, agent
}
