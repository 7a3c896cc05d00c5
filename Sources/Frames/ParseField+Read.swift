extension ParseField {
    /// Reads the value from an answer.
    ///
    /// - Throws: ``FrameFailure`` with `parse-failed`, which names the value, when the answer ends before it does or
    ///   holds no such value.
    package func read(_ answer: [UInt8]) throws(FrameFailure) -> ParsedValue {
        guard end <= answer.count else {
            let detail = "\(quoted(name)) ends at byte \(end), and the answer has \(answer.count)"
            throw FrameFailure(.parseFailed, detail: detail)
        }
        let raw = try raw(answer)
        if none.contains(raw) { return .null }
        if let entry = map.first(where: { $0.raw == raw }) { return entry.meaning }
        guard case .number(let number) = raw else { return raw }
        var result: DecimalNumber? = number
        if let scale { result = result?.multiplied(by: scale) }
        if let add { result = result?.adding(add) }
        guard let result else { throw failure("is larger than a number can be") }
        return .number(result)
    }

    private func failure(_ what: String) -> FrameFailure {
        FrameFailure(.parseFailed, detail: "\(quoted(name)) \(what)")
    }

    /// The value as the device sends it; null for one that stands for none in its own type.
    private func raw(_ answer: [UInt8]) throws(FrameFailure) -> ParsedValue {
        if let format = type.integer { return .number(integer(answer, format)) }
        switch type {
        case .bool:
            let byte = bits(answer, IntegerFormat(width: 1))
            return .bool(byte != 0)
        case .utf8: return text(part(of: answer))
        case .hex: return .text(Hex.text(part(of: answer)))
        case .bcd: return .number(try bcd(answer))
        case .sfloat: return number(medical(bits(answer, IntegerFormat(width: 2)), mantissaBits: 12))
        case .float: return number(medical(bits(answer, IntegerFormat(width: 4)), mantissaBits: 24))
        case .f32le, .f32be:
            let pattern = bits(answer, IntegerFormat(width: 4, isBigEndian: type == .f32be))
            return number(DecimalNumber(Float(bitPattern: UInt32(truncatingIfNeeded: pattern))))
        default:
            let pattern = bits(answer, IntegerFormat(width: 8, isBigEndian: type == .f64be))
            return number(DecimalNumber(Double(bitPattern: pattern)))
        }
    }

    private func number(_ value: DecimalNumber?) -> ParsedValue { value.map { .number($0) } ?? .null }

    /// The bits of the number at the offset, or those of them that are asked for.
    private func bits(_ answer: [UInt8], _ format: IntegerFormat) -> UInt64 {
        let whole = format.read(answer, at: offset) ?? 0
        guard let bits else { return whole }
        // Shifts beyond 64 bits are 0 in Swift, as they should be here.
        return whole >> bits.from & (1 << bits.count &- 1)
    }

    private func integer(_ answer: [UInt8], _ format: IntegerFormat) -> DecimalNumber {
        let bits = bits(answer, format)
        return DecimalNumber(mantissa: self.bits == nil ? format.value(of: bits) : Int128(bits))
    }

    private func part(of answer: [UInt8]) -> ArraySlice<UInt8> {
        let rest = answer.dropFirst(max(0, offset))
        return length.map { rest.prefix(max(0, $0)) } ?? rest
    }

    /// A text up to its first NUL; null when it is not UTF-8.
    private func text(_ bytes: ArraySlice<UInt8>) -> ParsedValue {
        let bytes = bytes.prefix { $0 != 0 }
        return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .null
    }

    private func bcd(_ answer: [UInt8]) throws(FrameFailure) -> DecimalNumber {
        var number: Int128 = 0
        for byte in answer.dropFirst(max(0, offset)).prefix(max(0, length ?? 1)) {
            guard byte >> 4 < 10, byte & 15 < 10 else { throw failure("has a digit that is none of 0 to 9") }
            let (tens, isLarge) = number.multipliedReportingOverflow(by: 100)
            guard !isLarge else { throw failure("has too many digits") }
            number = tens + Int128(byte >> 4) * 10 + Int128(byte & 15)
        }
        return DecimalNumber(mantissa: number)
    }
}

/// A number of IEEE 11073-20601: a signed mantissa, and above it a signed exponent of ten.
///
/// Source: Bluetooth SIG, "Personal Health Devices Transcoding White Paper" v1.6, 2.2. NaN, not at this resolution,
/// both infinities and the reserved pattern are mantissas of their own, with an exponent of 0.
///
/// - Parameters:
///   - bits: Its 16 or 32 bits.
///   - mantissaBits: 12 of 16, or 24 of 32.
/// - Returns: The number, or nil for the five special ones.
private func medical(_ bits: UInt64, mantissaBits: Int) -> DecimalNumber? {
    let limit: Int64 = 1 << (mantissaBits - 1)
    let field = Int64(truncatingIfNeeded: bits & (1 << UInt64(mantissaBits) - 1))
    let exponentBits = mantissaBits == 12 ? 4 : 8
    let shift = Int64(64 - exponentBits)
    let exponent = Int64(bitPattern: (bits >> UInt64(mantissaBits)) << UInt64(shift)) >> shift
    if exponent == 0, (limit - 2...limit + 2).contains(field) { return nil }
    let mantissa = field >= limit ? field - 2 * limit : field
    return DecimalNumber(mantissa: Int128(mantissa), exponent: Int(exponent))
}
