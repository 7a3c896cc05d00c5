package import DBus

/// The one table from what the bus and BlueZ answer to what it means.
///
/// Source: BlueZ 5.66, src/error.c, src/device.c (texts of `Connect`), src/gatt-client.c (`create_gatt_dbus_error`).
package enum BluezErrors {
    private typealias Kind = BleFailure.Kind

    private static let byName: [String: BleFailure.Kind] = [
        "org.bluez.Error.NotReady": .adapterOff,
        "org.bluez.Error.NotConnected": .linkLost,
        "org.bluez.Error.NotPermitted": .notPermitted,
        "org.bluez.Error.NotAuthorized": .notPermitted,
        "org.bluez.Error.NotSupported": .notSupported,
        "org.bluez.Error.InProgress": .busy,
        "org.bluez.Error.InvalidValueLength": .valueTooLong(limit: nil),
        "org.bluez.Error.InvalidOffset": .att(0x07),
        "org.bluez.Error.ImproperlyConfigured": .att(0xFD),
        "org.bluez.Error.DoesNotExist": .deviceRemoved,
        "org.bluez.Error.AuthenticationFailed": .needsPairing,
        "org.bluez.Error.AuthenticationCanceled": .needsPairing,
        "org.bluez.Error.AuthenticationRejected": .needsPairing,
        "org.bluez.Error.AuthenticationTimeout": .needsPairing,
        "org.bluez.Error.ConnectionAttemptFailed": .connectFailed,
        "org.freedesktop.DBus.Error.UnknownObject": .deviceRemoved,
        "org.freedesktop.DBus.Error.UnknownMethod": .notSupported,
        "org.freedesktop.DBus.Error.AccessDenied": .unauthorized,
        "org.freedesktop.DBus.Error.ServiceUnknown": .bluetoothUnavailable,
        "org.freedesktop.DBus.Error.NameHasNoOwner": .bluetoothUnavailable,
        "org.freedesktop.DBus.Error.NoReply": .busLost,
        "org.freedesktop.DBus.Error.Disconnected": .busLost,
    ]

    /// What errors mean as an answer to `Pair` (`new_authentication_return` in src/device.c).
    private static let ofPairing: [String: BleFailure.Kind] = [
        "org.bluez.Error.AuthenticationFailed": .pairingFailed,
        "org.bluez.Error.AuthenticationTimeout": .pairingFailed,
        "org.bluez.Error.AuthenticationCanceled": .pairingRejected,
        "org.bluez.Error.AuthenticationRejected": .pairingRejected,
    ]

    /// Errors whose name is `Failed` and whose text tells what it was.
    private static let byText: [(part: String, kind: BleFailure.Kind)] = [
        ("Not connected", .linkLost),
        // Newer bluetoothd tells what 5.66 does not.
        ("connection-key-missing", .staleBond),
        ("Blocked through rfkill", .adapterBlocked),
        ("adapter-not-powered", .adapterOff),
        ("concurrent-connection-limit", .noSlot),
        ("limit reached", .noSlot),
        ("Too many links", .noSlot),
    ]

    /// Errors whose name says less than their text (`create_gatt_dbus_error` and its neighbours).
    private static let byNameAndText: [(name: String, text: String, kind: BleFailure.Kind)] = [
        ("org.bluez.Error.NotPermitted", "Not paired", .needsPairing),
        ("org.bluez.Error.NotPermitted", "Notify acquired", .busy),
        ("org.bluez.Error.NotPermitted", "Write acquired", .busy),
        ("org.bluez.Error.InvalidArguments", "Invalid offset", .att(0x07)),
        ("org.bluez.Error.InvalidArguments", "Invalid Length", .att(0x0D)),
    ]

    /// ATT errors that mean: not without pairing (Bluetooth Core 5.4, Vol 3, Part F, 3.4.1.1).
    private static let pairingCodes: Set<UInt8> = [0x05, 0x0C, 0x0F]

    /// What a failed call means; `changes` tells that it may have changed something at the device.
    package static func failure(
        _ failure: DBusFailure,
        at stage: BleFailure.Stage,
        changes: Bool = false
    ) -> BleFailure {
        guard case .error(let name, let message) = failure else {
            if case .disconnected = failure {
                return BleFailure(
                    stage == .operate ? .busLost : .bluetoothUnavailable,
                    at: stage,
                    applied: changes ? .maybe : .no,
                    detail: "the connection to the bus ended"
                )
            }
            return BleFailure(.bus, at: stage, detail: failure.description)
        }
        let kind = kind(name, message, at: stage)
        return BleFailure(
            kind,
            at: stage,
            applied: changes && leavesDoubt(kind) && !isRefusal(name, message) ? .maybe : .no,
            dbus: BleFailure.BusError(name: name, message: message)
        )
    }

    /// What the failure of `Pair` means.
    package static func pairingFailure(_ failure: DBusFailure) -> BleFailure {
        var found = Self.failure(failure, at: .operate, changes: true)
        if let kind = found.dbus.flatMap({ ofPairing[$0.name] }) {
            found.kind = kind
            found.applied = .no
        }
        return found
    }

    /// The code in `Operation failed with ATT error: 0x85`.
    package static func attCode(in message: String) -> UInt8? {
        let mark = "ATT error: 0x"
        guard let start = message.firstRange(of: mark)?.upperBound else { return nil }
        return UInt8(message[start...].prefix(2), radix: 16)
    }

    private static func kind(_ name: String, _ message: String, at stage: BleFailure.Stage) -> BleFailure.Kind {
        if let code = attCode(in: message) { return pairingCodes.contains(code) ? .needsPairing : .att(code) }
        if let match = byNameAndText.first(where: { $0.name == name && $0.text == message }) { return match.kind }
        // A system bus that may start bluetoothd says so when that does not come to anything.
        let isAway = name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
        if let kind = isAway ? .bluetoothUnavailable : byName[name] {
            // A call that bluetoothd took and left behind when it went away: nobody knows what became of it.
            if kind == .bluetoothUnavailable, stage == .operate { return .busLost }
            return kind
        }
        if let match = byText.first(where: { message.contains($0.part) }) { return match.kind }
        return stage == .connect ? .connectFailed : .bus
    }

    /// Whether BlueZ did not even try: it had seen the link go before the call came.
    static func isRefusal(_ name: String, _ message: String) -> Bool {
        name == "org.bluez.Error.NotConnected" || message == "Not connected"
    }

    /// Whether the device may have acted although the call failed so.
    private static func leavesDoubt(_ kind: BleFailure.Kind) -> Bool {
        switch kind {
        // ATT 0x0e, Unlikely Error, is what bluetoothd makes of a request that was never answered.
        case .att(let code): code == 0x0E
        case .linkLost, .deviceRemoved, .busLost, .bus, .timedOut: true
        default: false
        }
    }
}
