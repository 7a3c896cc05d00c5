internal import DBus
internal import YAML

/// D-Bus values as a scenario writes them: `{s: text}`, `{ay: "01 ff"}`, `{"a{sv}": {Name: {s: x}}}`.
struct TypedValues {
    typealias Value = ScenarioSection.Value

    let problems: ProblemList

    /// A value that says its own type: one key, the signature.
    func typed(_ value: Value) -> DBusValue? {
        guard case .mapping(let pairs) = value.node.content, pairs.count == 1, let pair = pairs.first,
            case .scalar(let signature, _) = pair.key.content, Self.isOneType(signature)
        else {
            return Scalars.refuse(value, "a value with its type, as {s: text}", problems)
        }
        let inner = Value(node: pair.value, line: pair.key.line, path: "\(value.path).\(signature)")
        return self.value(inner, signature)
    }

    /// The value of a property: by its own type, or by one that is written out.
    func property(_ value: Value, _ name: String, of interface: String) -> DBusValue? {
        if case .mapping(let pairs) = value.node.content, pairs.count == 1, let pair = pairs.first,
            case .scalar(let signature, _) = pair.key.content, Self.isOneType(signature)
        {
            return typed(value)
        }
        guard let signature = Self.signature(of: name, interface) else {
            return Scalars.refuse(
                value,
                "a value with its type, as {s: text}, for a property that is not known",
                problems
            )
        }
        return self.value(value, signature)
    }

    static func signature(of property: String, _ interface: String) -> String? {
        let known = [
            SimulatedAdapter.table, SimulatedDevice.table, SimulatedService.table, SimulatedCharacteristic.table,
            SimulatedDescriptor.table, SimulatedBattery.table,
        ]
        let description = known.first { $0.name == interface }
        return description?.properties.first { $0.name == property }?.signature
    }

    private func value(_ value: Value, _ signature: String) -> DBusValue? {
        switch signature {
        case "b": return Scalars.flag(value, problems).map { .bool($0) }
        case "y": return number(value, UInt8.self).map { .byte($0) }
        case "n": return number(value, Int16.self).map { .int16($0) }
        case "q": return number(value, UInt16.self).map { .uint16($0) }
        case "i": return number(value, Int32.self).map { .int32($0) }
        case "u": return number(value, UInt32.self).map { .uint32($0) }
        case "x": return number(value, Int64.self).map { .int64($0) }
        case "t": return number(value, Int64.self).flatMap { UInt64(exactly: $0) }.map { .uint64($0) }
        case "d":
            return value.scalar.flatMap(Double.init).map { .double($0) } ?? Scalars.refuse(value, "a number", problems)
        case "s":
            guard let text = value.scalar, !text.utf8.contains(0) else {
                return Scalars.refuse(value, "a text", problems)
            }
            return .string(text)
        case "o":
            return value.scalar.flatMap { ObjectPath($0) }.map { .path($0) }
                ?? Scalars.refuse(value, "an object path", problems)
        case "v": return typed(value).map { .variant($0) }
        case "ay": return Scalars.bytes(value, problems).map { .bytes($0) }
        default: return container(value, signature)
        }
    }

    private func container(_ value: Value, _ signature: String) -> DBusValue? {
        let inner = String(signature.dropFirst().dropLast())
        if signature.hasPrefix("(") {
            let types = Self.types(inner) ?? []
            let items = value.items(problems)
            guard types.count == items.count else {
                return Scalars.refuse(value, "a list of \(types.count) values", problems)
            }
            let members = zip(items, types).compactMap { self.value($0, $1) }
            return members.count == types.count ? .structure(members) : nil
        }
        guard signature.hasPrefix("a{") else {
            let element = String(signature.dropFirst())
            let items = value.items(problems)
            let values = items.compactMap { self.value($0, element) }
            return values.count == items.count ? .array(of: element, values) : nil
        }
        guard case .mapping(let pairs) = value.node.content else {
            return Scalars.refuse(value, "a section of keys", problems)
        }
        let types = inner.dropFirst()
        let (keyType, valueType) = (String(types.prefix(1)), String(types.dropFirst()))
        let entries = pairs.compactMap { pair -> DBusValue.Entry? in
            let name = if case .scalar(let text, _) = pair.key.content { text } else { "" }
            let path = "\(value.path).\(name)"
            let key = self.value(Value(node: pair.key, line: pair.key.line, path: path), keyType)
            let content = self.value(Value(node: pair.value, line: pair.key.line, path: path), valueType)
            guard let key, let content else { return nil }
            return .init(key, content)
        }
        return entries.count == pairs.count ? .dictionary(key: keyType, value: valueType, entries) : nil
    }

    private func number<Number: FixedWidthInteger>(_ value: Value, _: Number.Type) -> Number? {
        if let number = value.scalar.flatMap(Scalars.integer), let exact = Number(exactly: number) { return exact }
        return Scalars.refuse(value, "a whole number from \(Number.min) to \(Number.max)", problems)
    }

    /// Whether a text is the signature of one value that a scenario can write.
    static func isOneType(_ signature: String) -> Bool { types(signature)?.count == 1 }

    /// The single types of a signature; nil when it is none.
    private static func types(_ signature: String) -> [String]? {
        var rest = Substring(signature)
        var types: [String] = []
        while !rest.isEmpty {
            guard let length = length(rest, depth: 0) else { return nil }
            types.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return types
    }

    private static let basic: Set<Character> = ["y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o"]

    private static func length(_ signature: Substring, depth: Int) -> Int? {
        guard depth < 16, let first = signature.first else { return nil }
        if basic.contains(first) || first == "v" { return 1 }
        var length = 1
        var end: Character?
        if first == "a" {
            guard signature.dropFirst().first == "{" else {
                return Self.length(signature.dropFirst(), depth: depth + 1).map { $0 + 1 }
            }
            length = 2
            end = "}"
            guard let key = signature.dropFirst(2).first, basic.contains(key) else { return nil }
        } else if first == "(" {
            end = ")"
        }
        guard let end else { return nil }
        var count = 0
        while let next = signature.dropFirst(length).first {
            if next == end { return count > 0 && (end == ")" || count == 2) ? length + 1 : nil }
            guard let inner = Self.length(signature.dropFirst(length), depth: depth + 1) else { return nil }
            length += inner
            count += 1
        }
        return nil
    }
}
