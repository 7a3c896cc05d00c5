import Frames

/// One value of a JSON text, as the agent reads it from a message.
///
/// Whole numbers and other numbers stay apart: `7` is `.integer(7)`, `7.0` and `7e0` are `.real(7)`.
/// Equality compares texts byte by byte and objects without regard to order.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent; always finite.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let array) = self { array } else { nil }
    }

    package var string: String? {
        if case .string(let string) = self { string } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let integer) = self { integer } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension JSONValue: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        // Swift's own comparison takes canonically equivalent texts for equal; the wire does not.
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// What a person is told that was found in a field: the kind, and a short form of the value.
    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .integer(let integer): "\(integer)"
        case .real(let real): "\(real)"
        case .string(let string): "the text \(quoted(string))"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
