internal import BleCore
internal import Frames
internal import YAML

/// Reading single values; what does not fit leaves a problem behind and is nil.
extension ProfileSection {
    /// A text of 1 to so many bytes without control characters.
    func text(_ key: String, maxBytes: Int = 64) -> String? {
        form(key, "a text of 1 to \(maxBytes) bytes without control characters") { text in
            let isPlain = text.unicodeScalars.allSatisfy { $0.value > 0x1F && !(0x7F...0x9F).contains($0.value) }
            return (1...maxBytes).contains(text.utf8.count) && isPlain ? text : nil
        }
    }

    /// A name of a value or a command.
    func name(_ key: String) -> String? {
        form(key, "a name of 1 to 64 of a-z, 0-9, _ and - that begins with a letter or digit") {
            Self.isName($0) ? $0 : nil
        }
    }

    func flag(_ key: String) -> Bool? {
        form(key, "true or false") { ["true": true, "false": false][$0] }
    }

    /// A whole number, decimal or with `0x` in front.
    func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        form(key, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Self.integer(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func duration(_ key: String, _ range: ClosedRange<Int>) -> Duration? {
        number(key, range).map { .milliseconds($0) }
    }

    func decimal(_ key: String) -> DecimalNumber? {
        form(key, "a number") { Self.decimal($0) }
    }

    func uuid(_ key: String) -> BluetoothUUID? { value(key).flatMap { uuid($0) } }

    func uuid(_ value: Value) -> BluetoothUUID? {
        form(value, "a UUID of 4, 8 or 32 hexadecimal digits") { BluetoothUUID($0) }
    }

    /// One of the values of an enumeration.
    func choice<Choice>(_ key: String, _ type: Choice.Type) -> Choice?
    where Choice: RawRepresentable<String> & CaseIterable {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return form(key, "one of \(names)") { Choice(rawValue: $0) }
    }

    /// At least one byte in hexadecimal.
    func bytes(_ key: String, most: Int = 512) -> [UInt8]? {
        form(key, "1 to \(most) bytes in hexadecimal, as \"aa 01\"") { text in
            Self.bytes(text).flatMap { (1...most).contains($0.count) ? $0 : nil }
        }
    }

    /// A section below.
    func section(_ key: String, _ expected: String = "a section of keys") -> ProfileSection? {
        value(key).flatMap { ProfileSection($0, problems, expected) }
    }

    /// A value that has a form of its own, written as text.
    func form<Result>(_ key: String, _ expected: String, _ read: (String) -> Result?) -> Result? {
        value(key).flatMap { form($0, expected, read) }
    }

    func form<Result>(_ value: Value, _ expected: String, _ read: (String) -> Result?) -> Result? {
        if let text = value.scalar, let result = read(text) { return result }
        value.refuse(expected, problems)
        return nil
    }

    /// A single value in the sense of JSON: null, true or false, a number, or a text.
    func scalar(_ value: Value) -> ParsedValue? {
        guard case .scalar(let text, let isQuoted) = value.node.content else {
            value.refuse("a single value", problems)
            return nil
        }
        if isQuoted { return .text(text) }
        if value.node.isNull { return .null }
        if text == "true" || text == "false" { return .bool(text == "true") }
        return Self.decimal(text).map { .number($0) } ?? .text(text)
    }

    static func isName(_ text: String) -> Bool {
        let isInside: (UInt8) -> Bool = { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D
        }
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, first != 0x5F, first != 0x2D
        else { return false }
        return text.utf8.allSatisfy(isInside)
    }

    static func integer(_ text: String) -> Int? {
        guard text.utf8.first != UInt8(ascii: "+") else { return nil }
        guard text.hasPrefix("0x") else { return Int(text) }
        let digits = text.dropFirst(2)
        return digits.utf8.allSatisfy { Hex.value($0) != nil } ? Int(digits, radix: 16) : nil
    }

    static func decimal(_ text: String) -> DecimalNumber? {
        DecimalNumber(text: text) ?? integer(text).map { DecimalNumber(mantissa: Int128($0)) }
    }

    /// Bytes in hexadecimal, maybe with spaces, `:` or `-` between them.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { ![0x20, 0x3A, 0x2D].contains($0) }
        let nibbles = digits.compactMap { Hex.value($0) }
        guard nibbles.count == digits.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
