internal import CDBus

/// Reads the arguments of a message one after the other, each checked before libdbus is asked for it.
///
/// A reader keeps its message alive. Every method leaves the reader where it was when it throws.
package struct MessageReader {
    private let message: DBusMessage
    private var iterator = DBusMessageIter()
    /// The argument here has been read: what is behind it is looked for when somebody asks.
    ///
    /// libdbus walks through all that an array or a variant holds to find its end, and behind most there is nothing.
    private var isPast = false

    init(_ message: DBusMessage) {
        self.message = message
        dbus_message_iter_init(message.pointer, &iterator)
    }

    private init(within reader: inout MessageReader) {
        message = reader.message
        reader.settle()
        dbus_message_iter_recurse(&reader.iterator, &iterator)
    }

    /// The D-Bus type code of the next argument; 0 at the end.
    package var typeCode: UInt8 {
        var copy = self
        copy.settle()
        return UInt8(truncatingIfNeeded: dbus_message_iter_get_arg_type(&copy.iterator))
    }

    package var atEnd: Bool { typeCode == 0 }

    /// Whether there is an argument left, for loops: what was read is left behind for good.
    package mutating func hasNext() -> Bool {
        settle()
        return dbus_message_iter_get_arg_type(&iterator) != 0
    }

    /// Passes over one argument, whatever it is.
    package mutating func skip() {
        settle()
        isPast = true
    }

    package mutating func byte() throws(DBusFailure) -> UInt8 { try basic("y", 0) }
    package mutating func bool() throws(DBusFailure) -> Bool { try basic("b", UInt32(0)) != 0 }
    package mutating func int16() throws(DBusFailure) -> Int16 { try basic("n", 0) }
    package mutating func uint16() throws(DBusFailure) -> UInt16 { try basic("q", 0) }
    package mutating func int32() throws(DBusFailure) -> Int32 { try basic("i", 0) }
    package mutating func uint32() throws(DBusFailure) -> UInt32 { try basic("u", 0) }
    package mutating func int64() throws(DBusFailure) -> Int64 { try basic("x", 0) }
    package mutating func uint64() throws(DBusFailure) -> UInt64 { try basic("t", 0) }
    package mutating func double() throws(DBusFailure) -> Double { try basic("d", 0) }
    package mutating func string() throws(DBusFailure) -> String { try key().string }

    package mutating func path() throws(DBusFailure) -> ObjectPath { ObjectPath(checked: try text("o").string) }
    package mutating func signature() throws(DBusFailure) -> String { try text("g").string }

    /// A string that is only compared: nothing is copied.
    package mutating func key() throws(DBusFailure) -> MessageText { try text("s") }

    /// An array of bytes.
    package mutating func bytes() throws(DBusFailure) -> [UInt8] {
        try require("a")
        guard dbus_message_iter_get_element_type(&iterator) == Int32(UInt8(ascii: "y")) else {
            throw .unexpectedType(found: signatureHere, expected: "ay")
        }
        var array = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &array)
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        dbus_message_iter_get_fixed_array(&array, &start, &count)
        isPast = true
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// The members of an array, as a reader of their own.
    package mutating func array() throws(DBusFailure) -> MessageReader { try enter("a") }
    package mutating func structure() throws(DBusFailure) -> MessageReader { try enter("r") }
    package mutating func dictionaryEntry() throws(DBusFailure) -> MessageReader { try enter("e") }
    package mutating func variant() throws(DBusFailure) -> MessageReader { try enter("v") }

    /// Any one argument.
    ///
    /// libdbus has bounded the nesting (64) and the size.
    package mutating func value() throws(DBusFailure) -> DBusValue {
        switch typeCode {
        case UInt8(ascii: "y"): .byte(try byte())
        case UInt8(ascii: "b"): .bool(try bool())
        case UInt8(ascii: "n"): .int16(try int16())
        case UInt8(ascii: "q"): .uint16(try uint16())
        case UInt8(ascii: "i"): .int32(try int32())
        case UInt8(ascii: "u"): .uint32(try uint32())
        case UInt8(ascii: "x"): .int64(try int64())
        case UInt8(ascii: "t"): .uint64(try uint64())
        case UInt8(ascii: "d"): .double(try double())
        case UInt8(ascii: "s"): .string(try string())
        case UInt8(ascii: "o"): .path(try path())
        case UInt8(ascii: "g"): .signature(try signature())
        case UInt8(ascii: "v"): .variant(try variantValue())
        case UInt8(ascii: "r"): .structure(try members())
        case UInt8(ascii: "a"): try arrayValue()
        default: throw .unexpectedType(found: signatureHere, expected: "a value")
        }
    }

    private mutating func variantValue() throws(DBusFailure) -> DBusValue {
        var inner = try variant()
        return try inner.value()
    }

    private mutating func members() throws(DBusFailure) -> [DBusValue] {
        var inner = try structure()
        return try inner.rest()
    }

    private mutating func rest() throws(DBusFailure) -> [DBusValue] {
        var values: [DBusValue] = []
        while hasNext() { values.append(try value()) }
        return values
    }

    private mutating func arrayValue() throws(DBusFailure) -> DBusValue {
        settle()
        let element = dbus_message_iter_get_element_type(&iterator)
        if element == Int32(UInt8(ascii: "y")) { return .bytes(try bytes()) }
        let signature = String(signatureHere.dropFirst())
        var inner = try array()
        guard element == Int32(UInt8(ascii: "e")) else { return .array(of: signature, try inner.rest()) }
        // `{kv}`: a dictionary's key is always one basic type, one letter.
        let types = signature.dropFirst().dropLast()
        var entries: [DBusValue.Entry] = []
        while inner.hasNext() {
            var entry = try inner.dictionaryEntry()
            entries.append(DBusValue.Entry(try entry.value(), try entry.value()))
        }
        return .dictionary(key: String(types.prefix(1)), value: String(types.dropFirst()), entries)
    }

    private mutating func enter(_ code: Unicode.Scalar) throws(DBusFailure) -> MessageReader {
        try require(code)
        let inner = MessageReader(within: &self)
        isPast = true
        return inner
    }

    private mutating func basic<Value: BitwiseCopyable>(_ code: Unicode.Scalar, _ zero: Value) throws(DBusFailure)
        -> Value
    {
        try require(code)
        var value = zero
        dbus_message_iter_get_basic(&iterator, &value)
        isPast = true
        return value
    }

    private mutating func text(_ code: Unicode.Scalar) throws(DBusFailure) -> MessageText {
        try require(code)
        var start: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &start)
        isPast = true
        guard let start else { throw .unexpectedType(found: "", expected: String(code)) }
        return MessageText(start: start, message: message)
    }

    private mutating func settle() {
        guard isPast else { return }
        isPast = false
        dbus_message_iter_next(&iterator)
    }

    private mutating func require(_ code: Unicode.Scalar) throws(DBusFailure) {
        settle()
        guard dbus_message_iter_get_arg_type(&iterator) == Int32(code.value) else {
            throw .unexpectedType(found: signatureHere, expected: String(code))
        }
    }

    private var signatureHere: String {
        var copy = self
        copy.settle()
        guard dbus_message_iter_get_arg_type(&copy.iterator) != 0,
            let text = dbus_message_iter_get_signature(&copy.iterator)
        else { return "" }
        defer { dbus_free(text) }
        return String(cString: text)
    }
}
