internal import CDBus
internal import Glibc

/// Checks of texts before libdbus sees them: it aborts the process for bad ones.
///
/// Source: D-Bus Specification, "Valid Names". The checks themselves are libdbus's own.
enum NameRules {
    static func require(_ value: String, _ kind: DBusFailure.Text) throws(DBusFailure) {
        let isGood = value.withCString { strlen($0) == value.utf8.count && isValid($0, kind) }
        guard isGood else { throw .invalid(kind, String(value.prefix(80))) }
    }

    /// A text with a NUL would be cut at the C boundary without a word.
    static func isPlain(_ value: String) -> Bool { !value.utf8.contains(0) }

    private static func isValid(_ value: UnsafePointer<CChar>, _ kind: DBusFailure.Text) -> Bool {
        switch kind {
        case .path: dbus_validate_path(value, nil) != 0
        case .interface: dbus_validate_interface(value, nil) != 0
        case .member: dbus_validate_member(value, nil) != 0
        case .busName: dbus_validate_bus_name(value, nil) != 0
        case .errorName: dbus_validate_error_name(value, nil) != 0
        case .signature: dbus_signature_validate(value, nil) != 0
        case .string: dbus_validate_utf8(value, nil) != 0
        }
    }
}
