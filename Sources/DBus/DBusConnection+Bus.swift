/// Names of the bus itself.
package enum BusNames {
    package static let bus = "org.freedesktop.DBus"
    package static let path = ObjectPath(checked: "/org/freedesktop/DBus")
    package static let properties = "org.freedesktop.DBus.Properties"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
    package static let introspectable = "org.freedesktop.DBus.Introspectable"
}

extension DBusConnection {
    /// Asks the bus to deliver signals that match.
    package func addMatch(_ rule: MatchRule) async throws {
        _ = try await call(busCall("AddMatch", rule.text))
    }

    /// Takes a rule back.
    package func removeMatch(_ rule: MatchRule) async throws {
        _ = try await call(busCall("RemoveMatch", rule.text))
    }

    /// Who owns a name now, such as `:1.3`; nil when nobody does.
    package func owner(of name: String) async throws -> String? {
        do {
            var reader = try await call(busCall("GetNameOwner", name)).reader()
            return try reader.string()
        } catch DBusFailure.error(name: "org.freedesktop.DBus.Error.NameHasNoOwner", _) {
            return nil
        }
    }

    /// Takes a well-known name.
    ///
    /// - Returns: whether it is ours now; false when another connection has it.
    package func requestName(_ name: String) async throws -> Bool {
        try NameRules.require(name, .busName)
        let doNotQueue: UInt32 = 4
        let message = try DBusMessage.call(BusNames.bus, BusNames.path, BusNames.bus, "RequestName")
        try message.append { (writer) throws(DBusFailure) in
            try writer.append(string: name)
            try writer.append(uint32: doNotQueue)
        }
        var reader = try await call(message).reader()
        let answer = try reader.uint32()
        return answer == 1 || answer == 4
    }

    /// Gives a well-known name back.
    package func releaseName(_ name: String) async throws {
        _ = try await call(busCall("ReleaseName", name))
    }

    private func busCall(_ member: String, _ argument: String) throws(DBusFailure) -> DBusMessage {
        try DBusMessage.call(BusNames.bus, BusNames.path, BusNames.bus, member)
            .append { (writer) throws(DBusFailure) in try writer.append(string: argument) }
    }
}
