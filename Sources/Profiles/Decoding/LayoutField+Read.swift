internal import Frames
internal import Glibc

/// A packet that ends before its layout does.
struct PacketIsCut: Error {}

extension LayoutField {
    /// How many bytes it takes where it stands; nil: all the rest.
    var width: Int? { field.type.width ?? field.length ?? (field.type == .bcd ? 1 : nil) }

    /// Reads the value.
    ///
    /// - Parameters:
    ///   - bytes: The packet, or the object.
    ///   - offset: Where the field stands in it.
    /// - Returns: The value; null for one that is not available or impossible.
    /// - Throws: ``PacketIsCut`` when the bytes end before the field.
    func read(_ bytes: [UInt8], at offset: Int) throws(PacketIsCut) -> ParsedValue {
        var plain = ParseField(field.name, offset: offset, type: field.type, length: field.length, bits: field.bits)
        plain.none = field.none
        guard plain.end <= bytes.count else { throw PacketIsCut() }
        for part in plus where part.end > bytes.count { throw PacketIsCut() }
        // What is no value of its type, as a digit beyond 9, is none at all.
        guard let raw = try? plain.read(bytes) else { return .null }
        if raw == .null { return .null }
        if let entry = field.map.first(where: { $0.raw == raw }) { return entry.meaning }
        // What the map does not know stands for nothing that anybody could name.
        if isExhaustive { return .null }
        switch (raw, format) {
        case (.number(let number), .time): return number.whole.flatMap { timeText($0) }.map { .text($0) } ?? .null
        case (.number(let number), _): return computed(number, bytes)
        case (.text, .some(let format)):
            let end = width.map { min(bytes.count, offset + $0) } ?? bytes.count
            return format.text(of: bytes[offset..<end]).map { .text($0) } ?? .null
        default: return raw
        }
    }

    /// What is made of the number as it stands; null when it comes to something impossible.
    private func computed(_ raw: DecimalNumber, _ bytes: [UInt8]) -> ParsedValue {
        var number = raw
        var isNegative = false
        if signBit != nil || divisor != nil || modulus != nil {
            guard var whole = raw.whole else { return .null }
            if let signBit {
                isNegative = whole >> Int128(signBit) & 1 == 1
                whole &= ~(1 << Int128(signBit))
            }
            if let divisor { whole /= Int128(divisor) }
            if let modulus { whole %= Int128(modulus) }
            number = DecimalNumber(mantissa: whole)
        }
        var result: DecimalNumber? = number
        if let scale = field.scale { result = result?.multiplied(by: scale) }
        for part in plus {
            // A part that is not available leaves the sum without meaning.
            guard case .number(let more)? = try? part.read(bytes) else { return .null }
            result = result?.adding(more)
        }
        if isNegative { result = result?.multiplied(by: DecimalNumber(mantissa: -1)) }
        if let add = field.add { result = result?.adding(add) }
        if let curve { result = result.flatMap { curve.value(at: $0) } }
        guard let result, isPossible(result) else { return .null }
        return .number(result)
    }

    private func isPossible(_ number: DecimalNumber) -> Bool {
        if let minimum, number < minimum { return false }
        if let maximum, maximum < number { return false }
        return true
    }
}

extension ValueCurve {
    /// The value of a number; nil for one that is none of the curve's steps.
    func value(at number: DecimalNumber) -> DecimalNumber? {
        switch self {
        case .exponential(let top, let steps):
            guard steps > 0, (0...Double(steps)).contains(number.double) else { return nil }
            let value = pow(Double(top) + 1, number.double / Double(steps)) - 1
            return DecimalNumber((value * 100).rounded() / 100)
        }
    }
}
