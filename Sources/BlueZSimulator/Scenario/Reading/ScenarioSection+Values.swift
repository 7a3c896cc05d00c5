internal import YAML

/// Reading single values.
extension ScenarioSection {
    /// A text, of at least one character.
    func text(_ key: String) -> String? { value(key).flatMap { Scalars.text($0, problems) } }

    func flag(_ key: String) -> Bool? { value(key).flatMap { Scalars.flag($0, problems) } }

    /// A whole number, decimal or with `0x` in front.
    func number(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        value(key).flatMap { Scalars.number($0, range, problems) }
    }

    /// A time in milliseconds.
    func duration(_ key: String, upTo limit: Int = 3_600_000) -> Duration? {
        number(key, 0...limit).map { .milliseconds($0) }
    }

    func bytes(_ key: String) -> [UInt8]? { value(key).flatMap { Scalars.bytes($0, problems) } }

    /// A UUID of 16, 32 or 128 bits, made long.
    func uuid(_ key: String) -> String? { value(key).flatMap { Scalars.uuid($0, problems) } }

    func items(_ key: String) -> [Value] { value(key)?.items(problems) ?? [] }

    func section(_ key: String) -> ScenarioSection? { value(key).flatMap { ScenarioSection($0, problems) } }
}

/// The forms that single values have.
enum Scalars {
    typealias Value = ScenarioSection.Value

    static func text(_ value: Value, _ problems: ProblemList) -> String? {
        if let text = value.scalar, !text.isEmpty, !text.utf8.contains(0) { return text }
        return refuse(value, "a text", problems)
    }

    static func flag(_ value: Value, _ problems: ProblemList) -> Bool? {
        switch value.scalar {
        case "true": true
        case "false": false
        default: refuse(value, "true or false", problems)
        }
    }

    static func number(_ value: Value, _ range: ClosedRange<Int>, _ problems: ProblemList) -> Int? {
        if let text = value.scalar, let number = integer(text), range.contains(number) { return number }
        return refuse(value, "a whole number from \(range.lowerBound) to \(range.upperBound)", problems)
    }

    static func integer(_ text: String) -> Int? {
        text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }

    /// Bytes in hexadecimal, maybe with spaces, `:` or `-` between them; empty for none.
    static func bytes(_ value: Value, _ problems: ProblemList) -> [UInt8]? {
        if let bytes = value.scalar.flatMap(bytes) { return bytes }
        return refuse(value, "bytes in hexadecimal, as \"01 ff\"", problems)
    }

    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.filter { ![0x20, 0x3A, 0x2D].contains($0) }
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * 65_535 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
            guard pair.utf8.first != UInt8(ascii: "+"), let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    static func uuid(_ value: Value, _ problems: ProblemList) -> String? {
        if let text = value.scalar, DiscoveryFilter.isUUID(text) { return LongUUID.text(text) }
        return refuse(value, "a UUID of 4, 8 or 36 characters", problems)
    }

    /// An address, put into upper case.
    static func address(_ value: Value, _ problems: ProblemList) -> String? {
        if let text = value.scalar, let bytes = bytes(text), bytes.count == 6, text.utf8.count == 17 {
            return bytes.map { hex($0, digits: 2).uppercased() }.joined(separator: ":")
        }
        return refuse(value, "an address, as \"C0:5A:00:00:00:01\"", problems)
    }

    static func refuse<Result>(_ value: Value, _ expected: String, _ problems: ProblemList) -> Result? {
        let found: String
        switch value.node.content {
        case .scalar where value.node.isNull: found = "nothing"
        case .scalar(let text, _): found = "\"\(text.prefix(60))\""
        case .refused(let reason):
            problems.add(value.node.line, value.path, reason)
            return nil
        default: found = value.node.kindName
        }
        problems.add(value.line, value.path, "expected \(expected), found \(found)")
        return nil
    }
}
