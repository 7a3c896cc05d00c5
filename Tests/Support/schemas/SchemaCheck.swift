package import Foundation
package import YAML

/// As much of JSON Schema (draft 2020-12) as the schemas of the files use that people write.
package struct SchemaCheck {
    package typealias Object = [String: Any]

    package let root: Object

    package init(_ data: Data) throws {
        guard let root = try JSONSerialization.jsonObject(with: data) as? Object else { throw NotASchema() }
        self.root = root
    }

    package struct NotASchema: Error {}

    package func accepts(_ value: Any) -> Bool { accepts(value, root) }

    private func accepts(_ value: Any, _ schema: Object) -> Bool {
        schema.allSatisfy { key, rule in holds(key, rule, value, schema) }
    }

    private func holds(_ key: String, _ rule: Any, _ value: Any, _ schema: Object) -> Bool {
        switch key {
        case "$ref": return (definition(rule as? String ?? "")).map { accepts(value, $0) } ?? false
        case "type": return ((rule as? [String]) ?? [rule as? String ?? ""]).contains { isType($0, value) }
        case "enum": return (rule as? [Any] ?? []).contains { equal($0, value) }
        case "const": return equal(rule, value)
        case "anyOf": return (rule as? [Object] ?? []).contains { accepts(value, $0) }
        case "allOf": return (rule as? [Object] ?? []).allSatisfy { accepts(value, $0) }
        case "not": return (rule as? Object).map { !accepts(value, $0) } ?? false
        case "minimum": return number(value).map { $0 >= number(rule) ?? 0 } ?? true
        case "maximum": return number(value).map { $0 <= number(rule) ?? 0 } ?? true
        case "exclusiveMinimum": return number(value).map { $0 > number(rule) ?? 0 } ?? true
        case "maxLength": return (value as? String).map { $0.utf8.count <= Int(number(rule) ?? 0) } ?? true
        case "minItems": return (value as? [Any]).map { $0.count >= Int(number(rule) ?? 0) } ?? true
        case "maxItems": return (value as? [Any]).map { $0.count <= Int(number(rule) ?? 0) } ?? true
        case "minLength": return (value as? String).map { $0.count >= Int(number(rule) ?? 0) } ?? true
        case "pattern": return (value as? String).map { matches($0, rule as? String ?? "") } ?? true
        case "items": return (value as? [Any]).map { $0.allSatisfy { accepts($0, rule as? Object ?? [:]) } } ?? true
        default: return (value as? Object).map { holdsOfObject(key, rule, $0, schema) } ?? true
        }
    }

    private func holdsOfObject(_ key: String, _ rule: Any, _ value: Object, _ schema: Object) -> Bool {
        switch key {
        case "required": return (rule as? [String] ?? []).allSatisfy { value[$0] != nil }
        case "properties":
            return (rule as? [String: Object] ?? [:]).allSatisfy { name, rule in
                value[name].map { accepts($0, rule) } ?? true
            }
        case "additionalProperties":
            let known = (schema["properties"] as? Object ?? [:]).keys
            let others = value.filter { !known.contains($0.key) }
            if let rule = rule as? Object { return others.values.allSatisfy { accepts($0, rule) } }
            return others.isEmpty
        case "propertyNames": return value.keys.allSatisfy { accepts($0, rule as? Object ?? [:]) }
        case "minProperties": return value.count >= Int(number(rule) ?? 0)
        case "maxProperties": return value.count <= Int(number(rule) ?? 0)
        case "dependentRequired":
            return (rule as? [String: [String]] ?? [:]).allSatisfy { name, needed in
                value[name] == nil || needed.allSatisfy { value[$0] != nil }
            }
        default: return true
        }
    }

    package func definition(_ reference: String) -> Object? {
        (root["$defs"] as? [String: Object])?[String(reference.split(separator: "/").last ?? "")]
    }

    private func isType(_ name: String, _ value: Any) -> Bool {
        switch name {
        case "object": value is Object
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": value is Int
        case "number": value is Int || value is Double
        case "null": value is NSNull
        default: false
        }
    }

    private func equal(_ rule: Any, _ value: Any) -> Bool {
        if let text = rule as? String { return text == value as? String }
        if let flag = rule as? Bool { return flag == value as? Bool }
        return false
    }

    private func number(_ value: Any) -> Double? {
        if let value = value as? Int { return Double(value) }
        return value as? Double
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        text.range(of: pattern, options: .regularExpression) != nil
    }
}

extension YAMLNode {
    /// The value as a reader of YAML 1.2 that makes JSON of it sees it.
    package var plain: Any {
        switch content {
        case .refused(let reason): return ["refused": reason]
        case .sequence(let items): return items.map(\.plain)
        case .mapping(let pairs):
            return Dictionary(
                pairs.map { ("\($0.key.keyText)", $0.value.plain) },
                uniquingKeysWith: { first, _ in first }
            )
        case .scalar(let text, quoted: true): return text
        case .scalar(let text, quoted: false):
            if isNull { return NSNull() }
            if text == "true" || text == "false" { return text == "true" }
            if let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text) { return number }
            let isNumber = text.wholeMatch(of: /[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?/) != nil
            if isNumber, let number = Double(text) { return number }
            return text
        }
    }

    private var keyText: String {
        if case .scalar(let text, _) = content { text } else { "" }
    }
}
