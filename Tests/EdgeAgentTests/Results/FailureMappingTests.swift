import BleCore
import EdgeAgent
import Testing

@Suite(.timeLimit(.minutes(10))) struct FailureMappingTests {
    struct Row: Sendable {
        let kind: BleFailure.Kind
        let stage: BleFailure.Stage
        let code: ErrorCode
        let wireStage: ErrorStage

        init(_ kind: BleFailure.Kind, _ stage: BleFailure.Stage, _ code: ErrorCode, _ wireStage: ErrorStage) {
            self.kind = kind
            self.stage = stage
            self.code = code
            self.wireStage = wireStage
        }
    }

    static let rows: [Row] = [
        Row(.bluetoothUnavailable, .adapter, .bluetoothUnavailable, .agent),
        Row(.bluetoothUnavailable, .connect, .bluetoothUnavailable, .agent),
        Row(.unauthorized, .operate, .unauthorized, .agent), Row(.adapterMissing, .adapter, .adapterMissing, .agent),
        Row(.adapterOff, .connect, .adapterOff, .agent), Row(.adapterBlocked, .adapter, .adapterBlocked, .agent),
        Row(.notInRange, .scan, .notInRange, .scan), Row(.notInRange, .connect, .notInRange, .scan),
        Row(.connectFailed, .connect, .connectFailed, .connect), Row(.noSlot, .connect, .noSlot, .connect),
        Row(.linkLost, .connect, .linkLost, .connect), Row(.linkLost, .discover, .linkLost, .connect),
        Row(.linkLost, .operate, .linkLost, .operate), Row(.deviceRemoved, .operate, .deviceRemoved, .operate),
        Row(.deviceRemoved, .discover, .deviceRemoved, .connect), Row(.needsPairing, .connect, .needsPairing, .connect),
        Row(.needsPairing, .operate, .needsPairing, .operate),
        Row(.pairingFailed, .operate, .pairingFailed, .operate),
        Row(.pairingRejected, .operate, .pairingRejected, .operate),
        Row(.staleBond, .connect, .staleBond, .connect), Row(.staleBond, .operate, .staleBond, .operate),
        Row(.noService([0x180A]), .discover, .noService, .discover),
        Row(.noCharacteristic([0x2A19]), .discover, .noCharacteristic, .discover),
        Row(.noDescriptor([0x2901]), .operate, .noDescriptor, .discover),
        Row(.ambiguousCharacteristic(handles: [17, 33]), .discover, .ambiguousCharacteristic, .discover),
        Row(.notSupported, .operate, .notSupported, .operate), Row(.notPermitted, .operate, .notPermitted, .operate),
        Row(.att(0x85), .operate, .attError, .operate),
        Row(.valueTooLong(limit: 20), .operate, .valueTooLong, .operate),
        Row(.valueTooLong(limit: nil), .operate, .valueTooLong, .operate), Row(.busy, .operate, .busy, .operate),
        Row(.timedOut, .scan, .notInRange, .scan), Row(.timedOut, .connect, .connectTimeout, .connect),
        Row(.timedOut, .discover, .discoverTimeout, .discover), Row(.timedOut, .operate, .timeout, .operate),
        Row(.timedOut, .adapter, .timeout, .agent), Row(.busLost, .operate, .busLost, .operate),
        Row(.busLost, .connect, .busLost, .operate), Row(.bus, .connect, .connectFailed, .connect),
        Row(.bus, .discover, .connectFailed, .connect), Row(.bus, .operate, .internal, .agent),
        Row(.bus, .adapter, .internal, .agent), Row(.bus, .scan, .internal, .agent),
    ]

    @Test(arguments: rows) func `each failure has one code and one stage`(row: Row) {
        let error = OperationError(BleFailure(row.kind, at: row.stage, detail: "why"))
        #expect(error.code == row.code)
        #expect(error.stage == row.wireStage)
        #expect(error.isRetryable == row.code.isRetryable)
        #expect(error.detail.hasPrefix("why"))
        #expect(OperationError(BleFailure(row.kind, at: row.stage)).detail.hasPrefix(row.code.summary))
    }

    @Test func `what is known of a failure goes along`() {
        let bus = BleFailure.BusError(name: "org.bluez.Error.Failed", message: "Operation failed with ATT error: 0x85")
        let att = OperationError(BleFailure(.att(0x85), at: .operate, dbus: bus, detail: "read"))
        #expect(att.att == 0x85 && att.dbus == "org.bluez.Error.Failed")
        #expect(att.detail == "read: Operation failed with ATT error: 0x85")
        let bare = OperationError(BleFailure(.busy, at: .operate, dbus: bus))
        #expect(bare.detail == "another program holds the characteristic: Operation failed with ATT error: 0x85")
        #expect(OperationError(BleFailure(.noService([0x180A]), at: .discover)).missing == [0x180A])
        #expect(OperationError(BleFailure(.noDescriptor([0x2901]), at: .discover)).missing == [0x2901])
        let ambiguous = OperationError(BleFailure(.ambiguousCharacteristic(handles: [17, 33]), at: .discover))
        #expect(ambiguous.detail.contains("17, 33"))
        #expect(
            OperationError(BleFailure(.valueTooLong(limit: 20), at: .operate)).detail
                == "longer than the attribute or a packet takes (at most 20 bytes)"
        )
    }

    @Test func `whether the device has acted goes along`() {
        #expect(Applied(.no) == .no)
        #expect(Applied(.maybe) == .maybe)
        #expect(Applied(.partly(bytes: 40)) == .partly(bytes: 40))
    }
}
