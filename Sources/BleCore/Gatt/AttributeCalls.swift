internal import DBus

/// The calls to a device's attributes, each made once and copied from then on.
///
/// libdbus checks the names and the signature of a call that is made; a copy costs it a fifth of that.
struct AttributeCalls {
    private static let most = 64
    private var reads: [ObjectPath: DBusMessage] = [:]
    private var writes: [ObjectPath: DBusMessage] = [:]

    /// `ReadValue`, from an offset in bytes.
    mutating func read(_ target: AttributeTarget, offset: Int) throws(DBusFailure) -> DBusMessage {
        guard offset == 0 else {
            return try Self.call(target, "ReadValue").append { (writer) throws(DBusFailure) in
                try writer.append(properties: [("offset", .uint16(UInt16(clamping: offset)))])
            }
        }
        if let made = reads[target.path] { return try made.copy() }
        let made = try Self.call(target, "ReadValue").append { (writer) throws(DBusFailure) in
            try writer.append(properties: [])
        }
        if reads.count >= Self.most { reads = [:] }
        reads[target.path] = made
        return try made.copy()
    }

    /// `WriteValue`, whose arguments are still to be appended.
    mutating func write(_ target: AttributeTarget) throws(DBusFailure) -> DBusMessage {
        if let made = writes[target.path] { return try made.copy() }
        let made = try Self.call(target, "WriteValue")
        if writes.count >= Self.most { writes = [:] }
        writes[target.path] = made
        return try made.copy()
    }

    private static func call(_ target: AttributeTarget, _ member: String) throws(DBusFailure) -> DBusMessage {
        try .call(BluezNames.service, target.path, target.interface, member)
    }
}
