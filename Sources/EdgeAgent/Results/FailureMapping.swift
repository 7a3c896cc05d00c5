package import BleCore

/// The one table from what can go wrong with Bluetooth to the codes of the contract.
extension OperationError {
    /// The error of a result whose operation failed.
    package init(_ failure: BleFailure) {
        let (code, note) = Self.code(of: failure)
        var missing: [BluetoothUUID] = []
        var att: UInt8?
        switch failure.kind {
        case .noService(let uuids), .noCharacteristic(let uuids), .noDescriptor(let uuids): missing = uuids
        case .att(let code): att = code
        default: break
        }
        var detail = failure.detail.isEmpty ? code.summary : failure.detail
        if let note { detail += " (\(note))" }
        if let dbus = failure.dbus, !dbus.message.isEmpty { detail += ": \(dbus.message)" }
        self.init(
            code,
            at: ErrorStage(failure.stage),
            att: att,
            dbus: failure.dbus?.name,
            missing: missing,
            detail: detail
        )
    }

    private static func code(of failure: BleFailure) -> (ErrorCode, note: String?) {
        switch failure.kind {
        case .bluetoothUnavailable: (.bluetoothUnavailable, nil)
        case .unauthorized: (.unauthorized, nil)
        case .adapterMissing: (.adapterMissing, nil)
        case .adapterOff: (.adapterOff, nil)
        case .adapterBlocked: (.adapterBlocked, nil)
        case .notInRange: (.notInRange, nil)
        case .connectFailed: (.connectFailed, nil)
        case .noSlot: (.noSlot, nil)
        case .linkLost: (.linkLost, nil)
        case .deviceRemoved: (.deviceRemoved, nil)
        case .needsPairing: (.needsPairing, nil)
        case .pairingFailed: (.pairingFailed, nil)
        case .pairingRejected: (.pairingRejected, nil)
        case .staleBond: (.staleBond, nil)
        case .noService: (.noService, nil)
        case .noCharacteristic: (.noCharacteristic, nil)
        case .noDescriptor: (.noDescriptor, nil)
        case .ambiguousCharacteristic(let handles):
            (.ambiguousCharacteristic, "give one of the handles " + handles.map { "\($0)" }.joined(separator: ", "))
        case .notSupported: (.notSupported, nil)
        case .notPermitted: (.notPermitted, nil)
        case .att: (.attError, nil)
        case .valueTooLong(let limit): (.valueTooLong, limit.map { "at most \($0) bytes" })
        case .busy: (.busy, nil)
        case .responseRejected: (.responseRejected, nil)
        case .responseTooLong: (.resultTooLarge, nil)
        case .busLost: (.busLost, nil)
        case .timedOut:
            switch failure.stage {
            case .scan: (.notInRange, nil)
            case .connect: (.connectTimeout, nil)
            case .discover: (.discoverTimeout, nil)
            case .operate, .adapter: (.timeout, nil)
            }
        case .bus:
            switch failure.stage {
            case .connect, .discover: (.connectFailed, nil)
            case .adapter, .scan, .operate: (.internal, nil)
            }
        }
    }
}

extension ErrorStage {
    package init(_ stage: BleFailure.Stage) {
        self =
            switch stage {
            case .adapter: .agent
            case .scan: .scan
            case .connect: .connect
            case .discover: .discover
            case .operate: .operate
            }
    }
}

extension Applied {
    package init(_ applied: BleFailure.Applied) {
        self =
            switch applied {
            case .no: .no
            case .maybe: .maybe
            case .yes: .yes
            case .partly(let bytes): .partly(bytes: bytes)
            }
    }
}
