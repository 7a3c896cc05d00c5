import Frames

/// The values that a command reads from its answer.
extension FieldReader {
    private static let maxFields = 64
    private static let maxSpecialValues = 64

    /// A list of objects, each with the fields of one value; all that is wrong with each is told.
    mutating func parseFields() -> [ParseField]? {
        let form = "a list of 1 to \(Self.maxFields) objects, each with name and type"
        guard let value = take("parse") else { return nil }
        guard let elements = value.array, (1...Self.maxFields).contains(elements.count) else {
            problem("parse", expected: form, found: value)
            return nil
        }
        var fields: [ParseField] = []
        var names: Set<[UInt8]> = []
        for (index, element) in elements.enumerated() {
            guard let object = element.object else {
                problem("parse[\(index)]", expected: "an object with name and type", found: element)
                continue
            }
            guard let field = nested("parse[\(index)]", object, { $0.parseField() }) else { continue }
            guard names.insert(Array(field.name.utf8)).inserted else {
                problem("parse[\(index)].name", "stands twice")
                continue
            }
            fields.append(field)
        }
        return fields
    }

    private mutating func parseField() -> ParseField? {
        let before = problems.count
        let name = text("name", maxBytes: 64)
        let type = choice("type", ParseType.self)
        let offset = whole("offset", 0...CompletionRule.maxAnswerBytes) ?? 0
        let length = whole("length", 1...CompletionRule.maxAnswerBytes)
        let bits = self.bits()
        let scale = number("scale")
        let add = number("add")
        let unit = text("unit", maxBytes: 32)
        let none = specialValues()
        let map = meanings()
        guard problems.count == before else { return nil }
        if name == nil { problem("name", expected: "a text of 1 to 64 bytes") }
        guard let type else {
            let types = ParseType.allCases.map(\.rawValue).joined(separator: ", ")
            problem("type", expected: "one of \(types)")
            return nil
        }
        if scale == .zero { problem("scale", "has to differ from 0") }
        if length != nil, type.width != nil { problem("length", "\(type.rawValue) has a length of its own") }
        if type == .bcd, let length, length > 18 { problem("length", "bcd has at most 18 bytes") }
        if type.nature != .number, scale != nil || add != nil {
            problem(scale != nil ? "scale" : "add", "\(type.rawValue) is not a number")
        }
        check(bits, of: type)
        let field = ParseField(
            name ?? "",
            offset: offset,
            type: type,
            length: length,
            bits: bits,
            scale: scale,
            add: add,
            unit: unit,
            map: map.compactMap { key, meaning in
                raw(key, of: type).map { ParseField.MapEntry(raw: $0, meaning: meaning) }
            },
            none: none.compactMap { raw($0, of: type) }
        )
        if field.map.count < map.count { problem("map", "names a value that \(type.rawValue) cannot have") }
        if field.none.count < none.count { problem("none", "names a value that \(type.rawValue) cannot have") }
        return problems.count == before ? field : nil
    }

    /// `bit`, the lowest one, and `bits`, how many.
    private mutating func bits() -> ParseField.Bits? {
        let from = whole("bit", 0...63)
        let count = whole("bits", 1...64)
        guard from != nil || count != nil else { return nil }
        return ParseField.Bits(from: from ?? 0, count: count ?? 1)
    }

    private mutating func check(_ bits: ParseField.Bits?, of type: ParseType) {
        guard let bits else { return }
        let format = type == .bool ? IntegerFormat(width: 1) : type.integer
        guard let format, !format.isSigned else {
            return problem("bit", "only of unsigned whole numbers and bool")
        }
        if bits.from + bits.count > 8 * format.width {
            problem("bit", "\(type.rawValue) has only \(8 * format.width) bits")
        }
    }

    private mutating func number(_ name: String) -> DecimalNumber? {
        guard let value = take(name) else { return nil }
        guard let number = DecimalNumber(value) else {
            problem(name, expected: "a number", found: value)
            return nil
        }
        return number
    }

    /// One value or a list of them.
    private mutating func specialValues() -> [JSONValue] {
        guard let value = take("none") else { return [] }
        let values = value.array ?? [value]
        guard (1...Self.maxSpecialValues).contains(values.count), values.allSatisfy(\.isScalar) else {
            problem("none", expected: "a value, or a list of 1 to \(Self.maxSpecialValues) values", found: value)
            return []
        }
        return values
    }

    /// Meanings by value; the values are names in JSON, and so texts.
    private mutating func meanings() -> [(key: JSONValue, meaning: ParsedValue)] {
        guard let value = take("map") else { return [] }
        guard let object = value.object, (1...4 * Self.maxSpecialValues).contains(object.count) else {
            problem("map", expected: "an object of 1 to \(4 * Self.maxSpecialValues) values", found: value)
            return []
        }
        var meanings: [(key: JSONValue, meaning: ParsedValue)] = []
        for entry in object.entries {
            guard let meaning = ParsedValue(entry.value) else {
                problem("map", expected: "a text, a number, true, false or null for each value", found: entry.value)
                return []
            }
            meanings.append((.string(entry.key), meaning))
        }
        return meanings
    }

    /// A value of a type, as the device sends it; names of members stand for numbers, `true` and `false` too.
    private func raw(_ value: JSONValue, of type: ParseType) -> ParsedValue? {
        switch (type.nature, value) {
        case (.number, .string(let text)): DecimalNumber(text: text).map { .number($0) }
        case (.number, _): DecimalNumber(value).map { .number($0) }
        case (.bool, .bool(let bool)): .bool(bool)
        case (.bool, .string("true")): .bool(true)
        case (.bool, .string("false")): .bool(false)
        case (.bool, _): nil
        case (.text, .string(let text)): .text(type == .hex ? text.lowercased() : text)
        case (.text, _): nil
        }
    }
}

extension DecimalNumber {
    /// The number of a JSON text.
    init?(_ value: JSONValue) {
        switch value {
        case .integer(let integer): self.init(mantissa: Int128(integer))
        case .real(let real): self.init(real)
        default: return nil
        }
    }
}

extension ParsedValue {
    /// The value of a JSON text that is neither a list nor an object.
    init?(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .string(let text): self = .text(text)
        case .integer, .real:
            guard let number = DecimalNumber(value) else { return nil }
            self = .number(number)
        case .array, .object: return nil
        }
    }
}

extension JSONValue {
    /// Whether it is a text, a number or a truth value.
    fileprivate var isScalar: Bool {
        switch self {
        case .bool, .integer, .real, .string: true
        case .null, .array, .object: false
        }
    }
}
