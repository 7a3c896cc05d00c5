internal import CDBus

/// One message of the bus, built here or received.
package final class DBusMessage: @unchecked Sendable {
    // Safe because: libdbus counts references atomically, and a message is written only before it is sent.

    /// What a message is.
    package enum Kind: Int32, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    let pointer: OpaquePointer

    /// Takes over one reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { dbus_message_unref(pointer) }

    /// A method call.
    ///
    /// - Throws: `DBusFailure.invalid` for a name that is not one.
    package static func call(
        _ destination: String,
        _ path: ObjectPath,
        _ interface: String,
        _ member: String
    ) throws(DBusFailure) -> DBusMessage {
        try NameRules.require(destination, .busName)
        try NameRules.require(interface, .interface)
        try NameRules.require(member, .member)
        // `withCString` lends the texts themselves; arguments would be copies.
        let pointer = destination.withCString { destination in
            path.text.withCString { path in
                interface.withCString { interface in
                    member.withCString { dbus_message_new_method_call(destination, path, interface, $0) }
                }
            }
        }
        return try wrap(pointer)
    }

    /// The same message, not sent yet.
    package func copy() throws(DBusFailure) -> DBusMessage { try Self.wrap(dbus_message_copy(pointer)) }

    /// A signal.
    ///
    /// - Throws: `DBusFailure.invalid` for a name that is not one.
    package static func signal(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String
    ) throws(DBusFailure) -> DBusMessage {
        try NameRules.require(interface, .interface)
        try NameRules.require(member, .member)
        return try wrap(dbus_message_new_signal(path.text, interface, member))
    }

    /// An empty reply to this call.
    package func reply() throws(DBusFailure) -> DBusMessage {
        try Self.wrap(dbus_message_new_method_return(pointer))
    }

    /// An error reply to this call.
    ///
    /// A text that D-Bus does not allow is replaced by an empty one.
    package func errorReply(_ name: String, _ message: String) throws(DBusFailure) -> DBusMessage {
        try NameRules.require(name, .errorName)
        return try Self.wrap(dbus_message_new_error(pointer, name, NameRules.isPlain(message) ? message : ""))
    }

    private static func wrap(_ pointer: OpaquePointer?) throws(DBusFailure) -> DBusMessage {
        guard let pointer else { throw .outOfMemory(operation: "a message") }
        return DBusMessage(owning: pointer)
    }

    package var kind: Kind? { Kind(rawValue: dbus_message_get_type(pointer)) }
    package var path: ObjectPath? { text(dbus_message_get_path(pointer)).map(ObjectPath.init(checked:)) }
    package var interface: String? { text(dbus_message_get_interface(pointer)) }
    package var member: String? { text(dbus_message_get_member(pointer)) }
    package var sender: String? { text(dbus_message_get_sender(pointer)) }
    package var errorName: String? { text(dbus_message_get_error_name(pointer)) }
    package var signature: String { text(dbus_message_get_signature(pointer)) ?? "" }
    /// The number under which the message was sent; 0 before that.
    package var serial: UInt32 { dbus_message_get_serial(pointer) }
    /// The number of the call that this message answers.
    package var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
    package var wantsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }

    /// Sends the message to one connection only, though it is a signal.
    package func setDestination(_ name: String) throws(DBusFailure) {
        try NameRules.require(name, .busName)
        guard dbus_message_set_destination(pointer, name) != 0 else { throw .outOfMemory(operation: "a destination") }
    }

    /// Marks a call as one that wants no answer.
    package func setNoReply() { dbus_message_set_no_reply(pointer, 1) }

    /// Whether this is the given signal.
    package func isSignal(_ interface: StaticString, _ member: StaticString) -> Bool {
        interface.withUTF8Buffer { interface in
            member.withUTF8Buffer { member in
                dbus_message_is_signal(pointer, cString(interface), cString(member)) != 0
            }
        }
    }

    /// Whether the message comes from that connection, a unique name such as `:1.3`.
    package func isFrom(_ sender: String) -> Bool { dbus_message_has_sender(pointer, sender) != 0 }

    /// Whether this is a call of, or a signal from, that interface.
    package func hasInterface(_ interface: String) -> Bool { dbus_message_has_interface(pointer, interface) != 0 }

    /// The text of an error reply: its first argument when that is a string.
    package var errorMessage: String {
        var reader = reader()
        return (try? reader.string()) ?? ""  // an error without a text is an error all the same
    }

    /// Reads the arguments from the first on.
    package func reader() -> MessageReader { MessageReader(self) }

    /// Appends arguments.
    ///
    /// - Throws: `DBusFailure.invalid` for a text that D-Bus does not allow.
    @discardableResult
    package func append(_ body: (inout MessageWriter) throws(DBusFailure) -> Void) throws(DBusFailure) -> DBusMessage {
        var writer = MessageWriter(self)
        try body(&writer)
        return self
    }

    private func text(_ value: UnsafePointer<CChar>?) -> String? { value.map { String(cString: $0) } }
}

/// A static string literal is NUL-terminated; libdbus takes it without a copy.
private func cString(_ buffer: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
    buffer.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
}
