/// Reads a time in RFC 3339: `2026-10-01T10:00:00.123Z`, also with an offset such as `+02:00`.
///
/// Digits beyond the milliseconds are cut. A leap second counts as the first moment of the next minute.
///
/// - Returns: Milliseconds since 1970-01-01 UTC, or `nil` when the text is not such a time.
package func timestamp(_ text: String) -> Int64? {
    var reader = TimestampReader(bytes: Array(text.utf8.prefix(41)))
    guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
        let day = reader.number(2), reader.take("T") || reader.take("t") || reader.take(" "),
        let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
        let second = reader.number(2)
    else { return nil }
    guard (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60,
        second <= 60
    else { return nil }
    guard let milliseconds = reader.fraction(), let offset = reader.offsetMinutes(), reader.isAtEnd else { return nil }
    let minutes = days(fromYear: year, month: month, day: day) * 1440 + hour * 60 + minute - offset
    return (minutes * 60 + second) * 1000 + milliseconds
}

/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
private func days(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

/// Walks over the bytes of a time.
private struct TimestampReader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Exactly so many digits.
    mutating func number(_ count: Int) -> Int64? {
        guard bytes.count - place >= count else { return nil }
        var number: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// The milliseconds of a fraction; 0 without one.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        var milliseconds: Int64 = 0
        var weight: Int64 = 100
        var digits = 0
        while let digit = digit() {
            milliseconds += digit * weight
            weight /= 10
            digits += 1
        }
        return digits > 0 ? milliseconds : nil
    }

    /// `Z` or an offset from UTC in minutes.
    mutating func offsetMinutes() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return isEast ? hours * 60 + minutes : -(hours * 60 + minutes)
    }

    private mutating func digit() -> Int64? {
        guard place < bytes.count, (0x30...0x39).contains(bytes[place]) else { return nil }
        defer { place += 1 }
        return Int64(bytes[place] - 0x30)
    }
}
