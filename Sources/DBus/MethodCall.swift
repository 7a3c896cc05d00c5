/// A method call that somebody has made on an object of ours, to be answered once, now or later.
///
/// Confined to the connection's loop.
package final class MethodCall {
    package let path: ObjectPath
    /// Empty where the caller names none.
    package let interface: String
    package let member: String
    /// The caller's unique name.
    package let sender: String
    private let message: DBusMessage
    private weak let connection: DBusConnection?
    private var isAnswered = false

    /// Takes up a message; nil for what is no complete call.
    package init?(_ message: DBusMessage, on connection: DBusConnection) {
        guard message.kind == .methodCall, let path = message.path, let member = message.member else { return nil }
        self.path = path
        self.member = member
        self.message = message
        self.connection = connection
        interface = message.interface ?? ""
        sender = message.sender ?? ""
    }

    /// The types of the arguments.
    package var signature: String { message.signature }

    /// Reads the arguments from the first on.
    package func reader() -> MessageReader { message.reader() }

    /// Answers with values; later answers are ignored.
    package func reply(_ values: DBusValue...) {
        answer { (call) throws(DBusFailure) in
            try call.reply().append { (writer) throws(DBusFailure) in
                for value in values { try writer.append(value) }
            }
        }
    }

    /// Answers with an error; later answers are ignored.
    package func fail(_ name: String, _ text: String) {
        answer { (call) throws(DBusFailure) in try call.errorReply(name, text) }
    }

    private func answer(_ make: (DBusMessage) throws(DBusFailure) -> DBusMessage) {
        guard !isAnswered else { return }
        isAnswered = true
        guard message.wantsReply, let connection else { return }
        do {
            let reply = try make(message)
            try connection.assumeIsolated { try $0.send(reply) }
        } catch {
            // The connection is gone and the caller with it, or there is no memory for an answer.
        }
    }
}
