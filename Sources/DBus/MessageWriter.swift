internal import CDBus

/// Appends arguments to a message; every text is checked before libdbus sees it.
package struct MessageWriter {
    private let message: DBusMessage
    private var iterator = DBusMessageIter()
    /// How many containers are around what is appended next.
    private var depth = 0

    /// How deep containers may stand in one another; libdbus counts on it and does not check.
    ///
    /// Source: D-Bus Specification, "Valid Signatures" and "Message Format".
    package static let deepest = 64

    init(_ message: DBusMessage) {
        self.message = message
        dbus_message_iter_init_append(message.pointer, &iterator)
    }

    private init(_ message: DBusMessage, _ iterator: DBusMessageIter, depth: Int) {
        self.message = message
        self.iterator = iterator
        self.depth = depth
    }

    package mutating func append(byte value: UInt8) throws(DBusFailure) { try basic("y", value) }
    package mutating func append(bool value: Bool) throws(DBusFailure) { try basic("b", UInt32(value ? 1 : 0)) }
    package mutating func append(int16 value: Int16) throws(DBusFailure) { try basic("n", value) }
    package mutating func append(uint16 value: UInt16) throws(DBusFailure) { try basic("q", value) }
    package mutating func append(int32 value: Int32) throws(DBusFailure) { try basic("i", value) }
    package mutating func append(uint32 value: UInt32) throws(DBusFailure) { try basic("u", value) }
    package mutating func append(int64 value: Int64) throws(DBusFailure) { try basic("x", value) }
    package mutating func append(uint64 value: UInt64) throws(DBusFailure) { try basic("t", value) }
    package mutating func append(double value: Double) throws(DBusFailure) { try basic("d", value) }
    package mutating func append(path value: ObjectPath) throws(DBusFailure) { try text("o", value.text) }

    /// Appends a string.
    ///
    /// - Throws: `DBusFailure.invalid` when it holds a NUL.
    package mutating func append(string value: String) throws(DBusFailure) {
        try NameRules.require(value, .string)
        try text("s", value)
    }

    package mutating func append(signature value: String) throws(DBusFailure) {
        try NameRules.require(value, .signature)
        try text("g", value)
    }

    /// Appends an array of bytes, `ay`.
    package mutating func append(bytes value: [UInt8]) throws(DBusFailure) {
        try container("a", "y") { (inner) throws(DBusFailure) in
            let done = value.withUnsafeBufferPointer { buffer in
                var start = buffer.baseAddress
                return value.isEmpty
                    || dbus_message_iter_append_fixed_array(
                        &inner.iterator,
                        Int32(UInt8(ascii: "y")),
                        &start,
                        Int32(clamping: value.count)
                    ) != 0
            }
            guard done else { throw .outOfMemory(operation: "bytes") }
        }
    }

    /// Appends an array whose elements have the given signature.
    package mutating func array(
        of signature: String,
        _ body: (inout MessageWriter) throws(DBusFailure) -> Void
    ) throws(DBusFailure) {
        try container("a", signature, body)
    }

    /// Appends a dictionary `a{sv}`.
    package mutating func append(properties: [(String, DBusValue)]) throws(DBusFailure) {
        try container("a", "{sv}") { (inner) throws(DBusFailure) in
            for (name, value) in properties {
                try inner.container("e", nil) { (entry) throws(DBusFailure) in
                    try entry.append(string: name)
                    try entry.append(.variant(value))
                }
            }
        }
    }

    /// Appends any value.
    package mutating func append(_ value: DBusValue) throws(DBusFailure) {
        switch value {
        case .byte(let value): try append(byte: value)
        case .bool(let value): try append(bool: value)
        case .int16(let value): try append(int16: value)
        case .uint16(let value): try append(uint16: value)
        case .int32(let value): try append(int32: value)
        case .uint32(let value): try append(uint32: value)
        case .int64(let value): try append(int64: value)
        case .uint64(let value): try append(uint64: value)
        case .double(let value): try append(double: value)
        case .string(let value): try append(string: value)
        case .path(let value): try append(path: value)
        case .signature(let value): try append(signature: value)
        case .bytes(let value): try append(bytes: value)
        case .variant(let inner):
            try container("v", inner.signature) { (writer) throws(DBusFailure) in try writer.append(inner) }
        case .structure(let members):
            guard !members.isEmpty else { throw .invalid(.signature, "()") }
            // What stands in one another without a variant is one signature, of bounded length.
            try NameRules.require(value.signature, .signature)
            try container("r", nil) { (writer) throws(DBusFailure) in
                for member in members { try writer.append(member) }
            }
        case .array(let element, let values):
            try container("a", element) { (writer) throws(DBusFailure) in
                for value in values { try writer.append(value, as: element) }
            }
        case .dictionary(let key, let value, let entries):
            try container("a", "{" + key + value + "}") { (writer) throws(DBusFailure) in
                for entry in entries {
                    try writer.container("e", nil) { (inner) throws(DBusFailure) in
                        try inner.append(entry.key, as: key)
                        try inner.append(entry.value, as: value)
                    }
                }
            }
        }
    }

    /// Appends a value whose type its container has announced; libdbus aborts the process for any other.
    private mutating func append(_ value: DBusValue, as signature: String) throws(DBusFailure) {
        let found = value.signature
        guard found == signature else { throw .unexpectedType(found: found, expected: signature) }
        try append(value)
    }

    private mutating func container(
        _ code: Unicode.Scalar,
        _ signature: String?,
        _ body: (inout MessageWriter) throws(DBusFailure) -> Void
    ) throws(DBusFailure) {
        guard depth < Self.deepest else { throw .tooDeep }
        if let signature, signature != "{sv}", signature != "y" {
            // An array's element may be a dictionary entry, which is no complete type by itself.
            try NameRules.require(code == "a" ? "a" + signature : signature, .signature)
        }
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, Int32(code.value), signature, &inner) != 0 else {
            throw .outOfMemory(operation: "a container")
        }
        var writer = MessageWriter(message, inner, depth: depth + 1)
        do throws(DBusFailure) {
            try body(&writer)
        } catch {
            dbus_message_iter_abandon_container(&iterator, &writer.iterator)
            throw error
        }
        guard dbus_message_iter_close_container(&iterator, &writer.iterator) != 0 else {
            throw .outOfMemory(operation: "a container")
        }
    }

    private mutating func basic<Value: BitwiseCopyable>(_ code: Unicode.Scalar, _ value: Value) throws(DBusFailure) {
        var value = value
        guard dbus_message_iter_append_basic(&iterator, Int32(code.value), &value) != 0 else {
            throw .outOfMemory(operation: "an argument")
        }
    }

    private mutating func text(_ code: Unicode.Scalar, _ value: String) throws(DBusFailure) {
        let done = value.withCString { start in
            var pointer: UnsafePointer<CChar>? = start
            return dbus_message_iter_append_basic(&iterator, Int32(code.value), &pointer) != 0
        }
        guard done else { throw .outOfMemory(operation: "a string") }
    }
}
