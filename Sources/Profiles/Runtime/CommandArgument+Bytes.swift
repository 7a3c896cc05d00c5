package import Frames

extension CommandArgument {
    /// The bytes of a value.
    ///
    /// - Throws: One problem, which names the argument: the value is of another kind, out of range, or none that the
    ///   type can hold.
    package func bytes(of value: ParsedValue) throws(ArgumentProblems) -> [UInt8] {
        if !field.map.isEmpty {
            if let entry = field.map.first(where: { $0.meaning == value }) { return try raw(entry.raw) }
            let isFree = field.map.allSatisfy { if case .text = $0.meaning { false } else { true } }
            guard isFree else {
                throw problem("expected one of \(options.joined(separator: ", ")), found \(shown(value))")
            }
        }
        guard field.type.nature == .number else { return try raw(value) }
        guard case .number(let number) = value else { throw problem("expected a number, found \(shown(value))") }
        if let minimum, number < minimum { throw problem("is less than \(minimum)") }
        if let maximum, maximum < number { throw problem("is more than \(maximum)") }
        if let step, let rest = number.subtracting(minimum ?? .zero), !rest.isMultiple(of: step) {
            throw problem("is no step of \(step) from \(minimum ?? .zero)")
        }
        guard let plain = unscaled(number) else {
            throw problem("\(shown(value)) is nothing that the device can be told in steps of \(field.scale ?? .zero)")
        }
        return try raw(.number(plain))
    }

    /// What the device calls the number; nil where it is between two of its steps.
    private func unscaled(_ number: DecimalNumber) -> DecimalNumber? {
        guard let moved = field.add.map({ number.subtracting($0) }) ?? number else { return nil }
        guard let scale = field.scale else { return moved }
        if field.type.isFraction { return DecimalNumber(moved.double / scale.double) }
        let near = (moved.double / scale.double).rounded()
        guard abs(near) < 1e18, let whole = Int128(exactly: near) else { return nil }
        let result = DecimalNumber(mantissa: whole)
        return result.multiplied(by: scale) == moved ? result : nil
    }

    /// The bytes of a value as the device has it.
    private func raw(_ value: ParsedValue) throws(ArgumentProblems) -> [UInt8] {
        switch (field.type, value) {
        case (.bool, .bool(let flag)): return [flag ? 1 : 0]
        case (.bool, _): throw problem("expected true or false, found \(shown(value))")
        case (.utf8, .text(let text)): return try sized(Array(text.utf8), padding: true)
        case (.hex, .text(let text)):
            guard let bytes = ProfileSection.bytes(text) else { throw problem("expected hexadecimal digits") }
            return try sized(bytes, padding: false)
        case (.utf8, _), (.hex, _): throw problem("expected a text, found \(shown(value))")
        case (_, .number(let number)):
            guard let bytes = number.bytes(as: field.type, length: field.length) else {
                throw problem("\(number) is nothing that \(field.type.rawValue) can hold")
            }
            return bytes
        default: throw problem("expected a number, found \(shown(value))")
        }
    }

    private func sized(_ bytes: [UInt8], padding: Bool) throws(ArgumentProblems) -> [UInt8] {
        guard let length = field.length else {
            guard bytes.count <= 512 else { throw problem("has \(bytes.count) bytes, and 512 at most") }
            return bytes
        }
        guard bytes.count == length || padding && bytes.count < length else {
            throw problem("has \(bytes.count) bytes, and the frame has room for \(length)")
        }
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }

    private func problem(_ text: String) -> ArgumentProblems {
        ArgumentProblems(problems: ["\(field.name): \(text)"])
    }

    private func shown(_ value: ParsedValue) -> String {
        switch value {
        case .null: "nothing"
        case .bool(let flag): "\(flag)"
        case .number(let number): "\(number)"
        case .text(let text): quoted(text)
        }
    }
}

extension ParseType {
    /// Whether a value may have digits behind the point.
    fileprivate var isFraction: Bool {
        switch self {
        case .f32le, .f32be, .f64le, .f64be, .sfloat, .float: true
        default: false
        }
    }
}

extension DecimalNumber {
    /// Whether the number is so many times another one.
    fileprivate func isMultiple(of step: DecimalNumber) -> Bool {
        let times = (double / step.double).rounded()
        guard abs(times) < 1e18, let whole = Int128(exactly: times) else { return false }
        return DecimalNumber(mantissa: whole).multiplied(by: step) == self
    }

    /// The number in a type; nil when that cannot hold it.
    fileprivate func bytes(as type: ParseType, length: Int?) -> [UInt8]? {
        if let format = type.integer { return whole.flatMap { format.bytes(of: $0) } }
        switch type {
        case .f32le, .f32be:
            guard Float(double).isFinite else { return nil }
            let bits = Int128(Float(double).bitPattern)
            return IntegerFormat(width: 4, isBigEndian: type == .f32be).bytes(of: bits)
        case .f64le, .f64be:
            return IntegerFormat(width: 8, isBigEndian: type == .f64be).bytes(of: Int128(double.bitPattern))
        case .sfloat: return medical(mantissaBits: 12, width: 2)
        case .float: return medical(mantissaBits: 24, width: 4)
        case .bcd: return bcd(length ?? 1)
        default: return nil
        }
    }

    /// As a number of IEEE 11073-20601, with as many digits as it takes.
    private func medical(mantissaBits: Int, width: Int) -> [UInt8]? {
        // The five highest patterns of the mantissa are special ones.
        let limit: Int128 = 1 << Int128(mantissaBits - 1) - 3
        let exponents = width == 2 ? -8...7 : -128...127
        var (digits, power) = (mantissa, exponent)
        while power > exponents.upperBound, abs(digits) <= limit {
            digits *= 10
            power -= 1
        }
        guard abs(digits) <= limit, exponents.contains(power) else { return nil }
        let mask: Int128 = 1 << Int128(mantissaBits) - 1
        let bits = digits & mask | (Int128(power) << Int128(mantissaBits))
        return IntegerFormat(width: width).bytes(of: bits & (1 << Int128(8 * width) - 1))
    }

    private func bcd(_ length: Int) -> [UInt8]? {
        guard var rest = whole, rest >= 0 else { return nil }
        var bytes: [UInt8] = []
        for _ in 0..<length {
            bytes.append(UInt8(rest / 10 % 10) << 4 | UInt8(rest % 10))
            rest /= 100
        }
        return rest == 0 ? bytes.reversed() : nil
    }
}

extension IntegerFormat {
    /// The bytes of a number; nil when it does not fit.
    func bytes(of number: Int128) -> [UInt8]? {
        let bits = Int128(8 * width)
        let range: ClosedRange<Int128> = isSigned ? -(1 << (bits - 1))...(1 << (bits - 1) - 1) : 0...(1 << bits - 1)
        guard range.contains(number) else { return nil }
        let little = (0..<width).map { UInt8(truncatingIfNeeded: number >> Int128(8 * $0)) }
        return isBigEndian ? little.reversed() : little
    }
}
