import Foundation

/// JSON as a stranger's reader sees it: nothing of the agent's own code reads what the agent wrote.
enum Json: Sendable, Equatable, Decodable {
    case missing, null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([Json])
    case object([String: Json])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func attempt<Value: Decodable>(_ type: Value.Type) -> Value? {
            try? container.decode(type)  // tried in turn: the format says nothing of the type
        }
        if container.decodeNil() {
            self = .null
        } else if let value = attempt(Bool.self) {
            self = .flag(value)
        } else if let value = attempt(Double.self) {
            self = .number(value)
        } else if let value = attempt(String.self) {
            self = .text(value)
        } else if let value = attempt([Json].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: Json].self))
        }
    }

    /// Reads bytes; nil when they are no JSON in valid UTF-8.
    init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        // Not JSON is what nil says.
        guard let value = try? JSONDecoder().decode(Json.self, from: Data(bytes)) else { return nil }
        self = value
    }

    subscript(key: String) -> Json {
        if case .object(let members) = self { members[key] ?? .missing } else { .missing }
    }

    subscript(index: Int) -> Json {
        if case .list(let values) = self, values.indices.contains(index) { values[index] } else { .missing }
    }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var list: [Json] { if case .list(let values) = self { values } else { [] } }
    var keys: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
}

extension Json: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(arrayLiteral elements: Json...) { self = .list(elements) }
    init(nilLiteral: ()) { self = .null }
}
