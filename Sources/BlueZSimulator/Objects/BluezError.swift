/// An error reply of bluetoothd: its name and its text, letter by letter.
///
/// Source: bluez 5.66, `src/error.c`, `src/error.h`, `src/gatt-client.c`.
package struct BluezError: Error, Equatable, Sendable {
    package let name: String
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    private static func bluez(_ name: String, _ message: String) -> BluezError {
        BluezError(name: "org.bluez.Error." + name, message: message)
    }

    package static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")
    package static let busy = bluez("InProgress", "Operation already in progress")
    package static let inProgress = bluez("InProgress", "In Progress")
    package static let notSupported = bluez("NotSupported", "Operation is not supported")
    package static let notConnected = bluez("NotConnected", "Not Connected")
    package static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
    package static let alreadyExists = bluez("AlreadyExists", "Already Exists")
    package static let notReady = bluez("NotReady", "Resource Not Ready")
    package static let authenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")

    package static let authenticationCanceled = bluez("AuthenticationCanceled", "Authentication Canceled")
    package static let authenticationRejected = bluez("AuthenticationRejected", "Authentication Rejected")
    package static let connectionAttemptFailed = bluez("ConnectionAttemptFailed", "Page Timeout")
    package static let blocked = bluez("Blocked", "Blocked through rfkill")

    /// The link attempt that heard nothing of the device.
    package static let abortedByLocal = failed("le-connection-abort-by-local")
    /// The controller has no room for one more link.
    package static let connectionLimit = failed("le-connection-concurrent-connection-limit")
    /// The link attempt that `Disconnect` ended, or whose link broke; bluetoothd says `br` for LE as well.
    package static let connectCanceled = failed("br-connection-canceled")

    package static func failed(_ message: String) -> BluezError { bluez("Failed", message) }
    package static func notPermitted(_ message: String) -> BluezError { bluez("NotPermitted", message) }

    /// What bluetoothd makes of an error that the device answered with.
    package static func att(_ code: UInt8) -> BluezError {
        switch code {
        case 0x02: notPermitted("Read not permitted")
        case 0x03: notPermitted("Write not permitted")
        case 0x05, 0x0C, 0x0F: notPermitted("Not paired")
        case 0x06: notSupported
        case 0x07: bluez("InvalidArguments", "Invalid offset")
        case 0x08: bluez("NotAuthorized", "Operation Not Authorized")
        case 0x0D: bluez("InvalidArguments", "Invalid Length")
        default: failed("Operation failed with ATT error: 0x" + hex(code, digits: 2))
        }
    }
}

/// Lower-case hexadecimal with leading zeros.
func hex(_ value: some BinaryInteger, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
