extension DecimalNumber {
    /// The number when it is a whole one; nil for a fraction, and for one of more than 38 digits.
    package var whole: Int128? {
        guard exponent >= 0, exponent <= 38 else { return nil }
        var whole = mantissa
        for _ in 0..<exponent {
            let (next, overflow) = whole.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            whole = next
        }
        return whole
    }

    /// What is left of the number when another is taken away; nil when it is beyond a `Double`.
    package func subtracting(_ other: DecimalNumber) -> DecimalNumber? {
        adding(DecimalNumber(mantissa: 0 - other.mantissa, exponent: other.exponent))
    }
}

extension DecimalNumber: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.subtracting(right).map { $0.mantissa < 0 } ?? (left.double < right.double)
    }
}
