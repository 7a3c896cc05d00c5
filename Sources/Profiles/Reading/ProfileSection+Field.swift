internal import Frames
internal import YAML

/// The keys of one field, which are those of `parse` in a `transact` command.
extension ProfileSection {
    private static let mostValues = 256

    /// A field with all that it can say of a number or a text.
    ///
    /// - Parameter named: Whether it has a name; numbers that are only looked at have none.
    /// - Returns: The field; nil, with problems noted, when it is none.
    func parseField(named: Bool = true) -> ParseField? {
        let name = named ? (needed("name") == nil ? nil : self.name("name")) : ""
        let type = needed("type") == nil ? nil : choice("type", ParseType.self)
        let offset = number("offset", 0...65_535) ?? 0
        let length = number("length", 1...65_535)
        let bits = bits()
        let scale = decimal("scale")
        let add = decimal("add")
        let unit = text("unit", maxBytes: 32)
        guard let name, let type else {
            _ = [value("none"), value("map")]
            return nil
        }
        var field = ParseField(name, offset: offset, type: type, length: length, bits: bits, scale: scale, add: add)
        field.unit = unit
        field.none = specialValues(of: type)
        field.map = meanings(of: type)
        check(field)
        return field
    }

    /// The conditions of `when`: one section, or a list of them.
    func conditions(_ key: String = "when") -> [ByteCondition] {
        guard let value = value(key) else { return [] }
        return value.oneOrMore(problems, most: 16, "conditions").compactMap { value in
            guard let section = ProfileSection(value, problems) else { return nil }
            defer { section.finish() }
            return section.condition()
        }
    }

    private func condition() -> ByteCondition? {
        if has("bytes") {
            let lengths = lengths("bytes")
            return lengths.isEmpty ? nil : .bytes(lengths)
        }
        let given = choice("type", ParseType.self)
        let type = has("type") ? given : .u8
        let offset = number("offset", 0...65_535) ?? 0
        let bits = bits()
        let allowed: [ClosedRange<UInt64>]
        if let value = value("is") {
            allowed = value.oneOrMore(problems, most: 64, "numbers").compactMap { value in
                form(value, "a whole number, or a range as 1-5") { Self.range($0) }
            }
        } else {
            if bits == nil { problem(nil, "needs the key \"is\": a number, a range as 1-5, or a list of them") }
            // A bit alone is set.
            allowed = [1...UInt64.max]
        }
        guard let type else { return nil }
        guard let format = type.integer, !format.isSigned else {
            problem("type", "only an unsigned whole number can be a condition")
            return nil
        }
        let field = ParseField("", offset: offset, type: type, bits: bits)
        check(field)
        return .number(field, allowed: allowed)
    }

    /// Numbers of bytes: `7`, `6-8`, `6-`, or a list of these.
    func lengths(_ key: String) -> [ClosedRange<Int>] {
        guard let list = value(key) else { return [] }
        return list.oneOrMore(problems, most: 16, "lengths").compactMap { value in
            form(value, "a number of bytes, or a range as 6-8 or 6-") { Self.length($0) }
        }
    }

    private static func length(_ text: String) -> ClosedRange<Int>? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let from = Int(parts[0]), (0...65_535).contains(from) else { return nil }
        guard parts.count == 2 else { return from...from }
        if parts[1].isEmpty { return from...65_535 }
        return Int(parts[1]).flatMap { (from...65_535).contains($0) ? from...$0 : nil }
    }

    private static func range(_ text: String) -> ClosedRange<UInt64>? {
        if let number = integer(text), number >= 0 { return UInt64(number)...UInt64(number) }
        let parts = text.split(separator: "-")
        guard parts.count == 2, let from = integer(String(parts[0])), let to = integer(String(parts[1])), from >= 0,
            from <= to
        else { return nil }
        return UInt64(from)...UInt64(to)
    }

    private func bits() -> ParseField.Bits? {
        let from = number("bit", 0...63)
        let count = number("bits", 1...64)
        guard from != nil || count != nil else { return nil }
        return ParseField.Bits(from: from ?? 0, count: count ?? 1)
    }

    private func check(_ field: ParseField) {
        let type = field.type
        if field.length != nil, type.width != nil { problem("length", "\(type.rawValue) has a length of its own") }
        if type == .bcd, let length = field.length, length > 18 { problem("length", "bcd has at most 18 bytes") }
        if field.scale == .zero { problem("scale", "has to differ from 0") }
        if type.nature != .number {
            if field.scale != nil { problem("scale", "\(type.rawValue) is not a number") }
            if field.add != nil { problem("add", "\(type.rawValue) is not a number") }
        }
        guard let bits = field.bits else { return }
        let place = has("bit") ? "bit" : "bits"
        let format = type == .bool ? IntegerFormat(width: 1) : type.integer
        guard let format, !format.isSigned else {
            return problem(place, "only of unsigned whole numbers and bool")
        }
        if bits.from + bits.count > 8 * format.width {
            problem(place, "\(type.rawValue) has only \(8 * format.width) bits")
        }
    }

    private func specialValues(of type: ParseType) -> [ParsedValue] {
        guard let value = value("none") else { return [] }
        return value.oneOrMore(problems, most: Self.mostValues, "values").compactMap { raw($0, of: type) }
    }

    private func meanings(of type: ParseType) -> [ParseField.MapEntry] {
        guard let section = section("map", "a section of values with their meanings") else { return [] }
        let all = section.everything()
        if all.isEmpty || all.count > Self.mostValues {
            problem("map", "expected 1 to \(Self.mostValues) values with their meanings")
        }
        return all.compactMap { key, value in
            let node = YAMLNode.scalar(key, line: value.line)
            let place = Value(node: node, line: value.line, path: value.path)
            guard let raw = raw(place, of: type), let meaning = scalar(value) else { return nil }
            return ParseField.MapEntry(raw: raw, meaning: meaning)
        }
    }

    /// A value of a type, as the device sends it.
    private func raw(_ value: Value, of type: ParseType) -> ParsedValue? {
        switch type.nature {
        case .number: form(value, "a number") { Self.decimal($0) }.map { .number($0) }
        case .bool: form(value, "true or false") { ["true": true, "false": false][$0] }.map { .bool($0) }
        case .text: form(value, "a text") { $0 }.map { .text(type == .hex ? $0.lowercased() : $0) }
        }
    }
}
