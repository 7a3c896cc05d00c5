import BleCore
import DBus
import Testing

@Suite(.timeLimit(.minutes(10)))
struct BluezErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let stage: BleFailure.Stage
        let kind: BleFailure.Kind
        let applied: BleFailure.Applied
        var testDescription: String { "\(name): \(text)" }

        init(
            _ name: String,
            _ text: String,
            _ kind: BleFailure.Kind,
            at stage: BleFailure.Stage = .operate,
            _ applied: BleFailure.Applied = .no
        ) {
            self.name = name.hasPrefix("org.") ? name : "org.bluez.Error." + name
            self.text = text
            self.stage = stage
            self.kind = kind
            self.applied = applied
        }
    }

    private static let bus = "org.freedesktop.DBus.Error."
    static let rows = [
        Row("NotReady", "Resource Not Ready", .adapterOff, at: .scan),
        Row("NotConnected", "Not Connected", .linkLost),
        Row("Failed", "Not connected", .linkLost),
        Row("NotPermitted", "Read not permitted", .notPermitted),
        Row("NotPermitted", "Write not permitted", .notPermitted),
        Row("NotPermitted", "Not paired", .needsPairing),
        Row("NotPermitted", "Notify acquired", .busy),
        Row("NotPermitted", "Write acquired", .busy),
        Row("NotAuthorized", "Operation Not Authorized", .notPermitted),
        Row("NotSupported", "Operation is not supported", .notSupported),
        Row("InProgress", "In Progress", .busy),
        Row("InProgress", "Operation already in progress", .busy, at: .scan),
        Row("InvalidValueLength", "", .valueTooLong(limit: nil)),
        Row("InvalidOffset", "", .att(0x07)),
        Row("InvalidArguments", "Invalid offset", .att(0x07)),
        Row("InvalidArguments", "Invalid Length", .att(0x0D)),
        Row("InvalidArguments", "Invalid arguments in method call", .bus, .maybe),
        Row("ImproperlyConfigured", "Improperly Configured", .att(0xFD)),
        Row("DoesNotExist", "Does Not Exist", .deviceRemoved, .maybe),
        Row("AuthenticationFailed", "", .needsPairing, at: .connect),
        Row("AuthenticationCanceled", "", .needsPairing, at: .connect),
        Row("AuthenticationRejected", "", .needsPairing, at: .connect),
        Row("AuthenticationTimeout", "", .needsPairing, at: .connect),
        Row("ConnectionAttemptFailed", "Page Timeout", .connectFailed, at: .connect),
        Row("Failed", "le-connection-abort-by-local", .connectFailed, at: .connect),
        Row("Failed", "br-connection-canceled", .connectFailed, at: .connect),
        Row("Failed", "le-connection-adapter-not-powered", .adapterOff, at: .connect),
        Row("Failed", "le-connection-concurrent-connection-limit", .noSlot, at: .connect),
        Row("Failed", "Connection limit reached", .noSlot, at: .connect),
        Row("Failed", "Too many links", .noSlot, at: .connect),
        Row("Failed", "Input/output error", .connectFailed, at: .connect),
        Row("Failed", "br-connection-key-missing", .staleBond, at: .connect),
        Row("Failed", "le-connection-key-missing", .staleBond, at: .connect),
        Row("Failed", "Blocked through rfkill", .adapterBlocked, at: .adapter),
        Row("Failed", "Operation failed with ATT error: 0x80", .att(0x80)),
        Row("Failed", "Operation failed with ATT error: 0x0e", .att(0x0E), .maybe),
        Row("Failed", "Operation failed with ATT error: 0x05", .needsPairing),
        Row("Failed", "Operation failed with ATT error: 0x0c", .needsPairing),
        Row("Failed", "Operation failed with ATT error: 0x0f", .needsPairing),
        Row("Failed", "Operation failed with ATT error: 0x", .bus, .maybe),
        Row("Failed", "something new", .bus, .maybe),
        Row("Unheard", "of", .bus, .maybe),
        Row(bus + "UnknownObject", "", .deviceRemoved, .maybe),
        Row(bus + "UnknownMethod", "", .notSupported),
        Row(bus + "AccessDenied", "", .unauthorized),
        Row(bus + "ServiceUnknown", "", .bluetoothUnavailable, at: .adapter),
        Row(bus + "ServiceUnknown", "", .busLost, .maybe),
        Row(bus + "Spawn.ChildExited", "", .busLost, .maybe),
        Row(bus + "Spawn.ChildExited", "", .bluetoothUnavailable, at: .connect),
        Row(bus + "NameHasNoOwner", "", .bluetoothUnavailable, at: .scan),
        Row(bus + "NoReply", "", .busLost, .maybe),
        Row(bus + "Disconnected", "", .busLost, .maybe),
    ]

    @Test(arguments: rows) func `each error has its meaning`(row: Row) {
        let failure = BluezErrors.failure(.error(name: row.name, message: row.text), at: row.stage, changes: true)
        #expect(failure.kind == row.kind)
        #expect(failure.stage == row.stage)
        #expect(failure.applied == row.applied || row.stage != .operate)
        #expect(failure.dbus == BleFailure.BusError(name: row.name, message: row.text))
    }

    @Test(arguments: rows) func `a call that changes nothing leaves no doubt`(row: Row) {
        #expect(BluezErrors.failure(.error(name: row.name, message: row.text), at: row.stage).applied == .no)
    }

    static let pairingRows = [
        Row("AuthenticationFailed", "Authentication Failed", .pairingFailed),
        Row("AuthenticationTimeout", "Authentication Timeout", .pairingFailed),
        Row("AuthenticationCanceled", "Authentication Canceled", .pairingRejected),
        Row("AuthenticationRejected", "Authentication Rejected", .pairingRejected),
        Row("ConnectionAttemptFailed", "Page Timeout", .connectFailed),
        Row("InProgress", "In Progress", .busy),
        Row("NotReady", "Resource Not Ready", .adapterOff),
        Row("Failed", "Software caused connection abort", .bus, .maybe),
        Row(bus + "UnknownObject", "", .deviceRemoved, .maybe),
    ]

    @Test(arguments: pairingRows) func `an error of a pairing has a meaning of its own`(row: Row) {
        let failure = BluezErrors.pairingFailure(.error(name: row.name, message: row.text))
        #expect(failure.kind == row.kind)
        #expect(failure.stage == .operate)
        #expect(failure.applied == row.applied)
        #expect(failure.dbus == BleFailure.BusError(name: row.name, message: row.text))
    }

    @Test func `a connection that ends is told by the stage`() {
        #expect(BluezErrors.failure(.disconnected, at: .operate, changes: true).kind == .busLost)
        #expect(BluezErrors.failure(.disconnected, at: .operate, changes: true).applied == .maybe)
        #expect(BluezErrors.failure(.disconnected, at: .scan).kind == .bluetoothUnavailable)
        #expect(BluezErrors.failure(.outOfMemory(operation: "a call"), at: .operate).kind == .bus)
    }

    @Test(arguments: ["", "ATT error: ", "ATT error: 0xzz", "ATT error: 0x", "ATT error: 0x é", "error 0x80"])
    func `a text without a code has none`(text: String) { #expect(BluezErrors.attCode(in: text) == nil) }
}
