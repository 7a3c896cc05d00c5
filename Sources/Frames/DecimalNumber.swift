/// A decimal number that is exact: what a device's value is after it was scaled.
///
/// 2150 times 0.01 is 21.5, not 21.500000000000004. A result of more than 38 digits is rounded to a `Double`.
package struct DecimalNumber: Sendable, Hashable {
    /// Without zeros at its end.
    package let mantissa: Int128
    /// The power of ten that the mantissa is multiplied by.
    package let exponent: Int

    package static let zero = DecimalNumber(mantissa: 0)

    package init(mantissa: Int128, exponent: Int = 0) {
        guard mantissa != 0 else {
            self.mantissa = 0
            self.exponent = 0
            return
        }
        var mantissa = mantissa
        var exponent = exponent
        while mantissa % 10 == 0 {
            mantissa /= 10
            exponent += 1
        }
        self.mantissa = mantissa
        self.exponent = exponent
    }

    /// The shortest decimal number that reads back as the same `Double`; nil for one that is not finite.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.init(text: value.description)
    }

    /// The shortest decimal number that reads back as the same `Float`; nil for one that is not finite.
    package init?(_ value: Float) {
        guard value.isFinite else { return nil }
        self.init(text: value.description)
    }

    /// Reads a number as JSON writes it, of up to 38 digits; nil for another text, or one beyond a `Double`.
    package init?(text: String) {
        var mantissa: Int128 = 0
        var exponent = 0
        var digits = 0
        var hasPoint = false
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "."), !hasPoint, digits > 0 {
                hasPoint = true
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < 38 else { return nil }
            mantissa = mantissa * 10 + Int128(byte - UInt8(ascii: "0"))
            digits += 1
            if hasPoint { exponent -= 1 }
        }
        guard digits > 0 else { return nil }
        if !rest.isEmpty {
            let power = String(decoding: rest.dropFirst(), as: UTF8.self)
            guard let given = Int(power), (-400...400).contains(given) else { return nil }
            exponent += given
        }
        self.init(mantissa: isNegative ? -mantissa : mantissa, exponent: exponent)
        guard double.isFinite else { return nil }
    }

    /// The nearest `Double`; infinite when the number is beyond it.
    package var double: Double { Double("\(mantissa)e\(exponent)") ?? .infinity }

    /// The product; nil when it is beyond a `Double`.
    package func multiplied(by other: DecimalNumber) -> DecimalNumber? {
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: other.mantissa)
        let power = exponent + other.exponent
        guard !overflow, Self.isPlain(power) else { return DecimalNumber(double * other.double) }
        return DecimalNumber(mantissa: product, exponent: power)
    }

    /// The sum; nil when it is beyond a `Double`.
    package func adding(_ other: DecimalNumber) -> DecimalNumber? {
        let power = min(exponent, other.exponent)
        guard let left = shifted(to: power), let right = other.shifted(to: power) else {
            return DecimalNumber(double + other.double)
        }
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard !overflow, Self.isPlain(power) else { return DecimalNumber(double + other.double) }
        return DecimalNumber(mantissa: sum, exponent: power)
    }

    /// Powers at which no number of 39 digits leaves the range of a `Double`.
    private static func isPlain(_ power: Int) -> Bool { (-260...260).contains(power) }

    /// The mantissa for a smaller exponent; nil when it does not fit.
    private func shifted(to power: Int) -> Int128? {
        guard exponent - power <= 38 else { return mantissa == 0 ? 0 : nil }
        var result = mantissa
        for _ in 0..<(exponent - power) {
            let (next, overflow) = result.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            result = next
        }
        return result
    }
}

extension DecimalNumber: CustomStringConvertible {
    /// The number as JSON writes it, with an exponent only from 1e21 on and below 1e-6.
    ///
    /// A whole number beyond 64 bits with a sign has one too, and all its digits: many readers take a number without
    /// fraction and exponent for an integer, and refuse the whole text when it does not fit.
    package var description: String {
        let digits = Array("\(mantissa.magnitude)".utf8)
        let place = digits.count + exponent
        guard exponent >= 0, shifted(to: 0).flatMap({ Int64(exactly: $0) }) == nil else {
            return decimalText(digits: digits, place: place, isNegative: mantissa < 0)
        }
        let fraction = digits.count > 1 ? "." + String(decoding: digits.dropFirst(), as: UTF8.self) : ""
        let first = String(decoding: digits.prefix(1), as: UTF8.self)
        return "\(mantissa < 0 ? "-" : "")\(first)\(fraction)e\(place - 1)"
    }
}
