/// One value of the D-Bus type system, for messages whose shape is data (properties, introspection).
///
/// Source: D-Bus Specification, "Type System".
package indirect enum DBusValue: Equatable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(ObjectPath)
    case signature(String)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// An array of any other type; the signature is that of one element.
    case array(of: String, [DBusValue])
    /// A dictionary in the order of the message, with the signatures of key and value.
    case dictionary(key: String, value: String, [Entry])
    case structure([DBusValue])
    case variant(DBusValue)

    package struct Entry: Equatable, Sendable {
        package let key: DBusValue
        package let value: DBusValue

        package init(_ key: DBusValue, _ value: DBusValue) {
            self.key = key
            self.value = value
        }
    }

    /// A dictionary `a{sv}` of named values.
    package static func properties(_ entries: [(String, DBusValue)]) -> DBusValue {
        .dictionary(key: "s", value: "v", entries.map { Entry(.string($0.0), .variant($0.1)) })
    }

    /// An array of strings, `as`.
    package static func strings(_ values: [String]) -> DBusValue { .array(of: "s", values.map { .string($0) }) }

    /// The signature of this value.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }

    /// The value inside any number of variants.
    package var unwrapped: DBusValue {
        if case .variant(let inner) = self { inner.unwrapped } else { self }
    }
}
