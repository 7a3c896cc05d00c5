internal import DBus

/// One method call that a client has made, and the ways to answer it.
struct IncomingCall {
    let message: DBusMessage
    let path: ObjectPath
    let interface: String
    let member: String
    /// The caller's unique name; sessions belong to it.
    let sender: String
    private let tree: ObjectTree
    /// What becomes of the answer, where a fault says so.
    var control: AnswerControl?

    /// - Returns: nil for what is no complete call.
    init?(_ message: DBusMessage, tree: ObjectTree) {
        guard let path = message.path, let member = message.member else { return nil }
        self.message = message
        self.path = path
        self.member = member
        self.tree = tree
        interface = message.interface ?? "(null)"
        sender = message.sender ?? ""
    }

    /// Answers with any values.
    func reply(with values: [DBusValue]) {
        send { (call) throws(DBusFailure) in
            try call.reply().append { (writer) throws(DBusFailure) in
                for value in values { try writer.append(value) }
            }
        }
    }

    /// Answers with the given arguments.
    ///
    /// Signals that are due go out first, as gdbus does it.
    func reply(_ arguments: DBusValue...) { reply(with: arguments) }

    /// Answers with an error.
    func fail(_ error: BluezError) {
        send { (call) throws(DBusFailure) in try call.errorReply(error.name, error.message) }
    }

    /// Answers as libdbus does when nobody has taken the call.
    func failUnknown(objectExists: Bool) {
        let text =
            "Method \"\(member)\" with signature \"\(message.signature)\" on interface \"\(interface)\" doesn't exist\n"
        let name = objectExists ? "UnknownMethod" : "UnknownObject"
        fail(BluezError(name: "org.freedesktop.DBus.Error." + name, message: text))
    }

    private func send(_ make: (DBusMessage) throws(DBusFailure) -> DBusMessage) {
        tree.flush()
        do throws(DBusFailure) {
            let answer = message.wantsReply ? try make(message) : nil
            if let control {
                control.pass(answer, tree)
            } else if let answer {
                tree.send(answer)
            }
        } catch {
            // Nothing that the simulator answers with is refused by D-Bus, save for lack of memory.
            return
        }
    }
}
