import Glibc

/// A moment in UTC to the millisecond, written as RFC 3339.
package struct UTCTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    package let millisecondsSince1970: Int64

    /// Makes a moment; what lies outside the years 0000 to 9999 is moved to the nearest end.
    package init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = min(max(millisecondsSince1970, UTCTime.earliest), UTCTime.latest)
    }

    /// The wall clock's time, which may jump.
    package static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The text, as `2026-10-01T10:00:00.123Z`.
    package var description: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes of the text.
    static let length = 24

    /// Writes the text's bytes.
    package func append(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.length) { text in
            guard let start = text.baseAddress else { return }
            write(to: start)
            bytes.append(contentsOf: text)
        }
    }

    /// Writes the text's ``length`` bytes to a place that has room for them.
    func write(to place: UnsafeMutablePointer<UInt8>) {
        let (days, milliseconds) = UTCTime.split(millisecondsSince1970, by: 86_400_000)
        let (year, month, day) = UTCTime.civil(fromDays: days)
        let seconds = milliseconds / 1000
        // Each message has a time or several: filled in from a form at once.
        let form: StaticString = "0000-00-00T00:00:00.000Z"
        place.initialize(from: form.utf8Start, count: Self.length)
        UTCTime.put(year, endingAt: 3, in: place)
        UTCTime.put(month, endingAt: 6, in: place)
        UTCTime.put(day, endingAt: 9, in: place)
        UTCTime.put(seconds / 3600, endingAt: 12, in: place)
        UTCTime.put(seconds / 60 % 60, endingAt: 15, in: place)
        UTCTime.put(seconds % 60, endingAt: 18, in: place)
        UTCTime.put(milliseconds % 1000, endingAt: 22, in: place)
    }

    /// Orders by time.
    package static func < (left: UTCTime, right: UTCTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    private static let earliest: Int64 = -62_167_219_200_000
    private static let latest: Int64 = 253_402_300_799_999

    private static func split(_ value: Int64, by size: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = value % size
        return rest < 0 ? (value / size - 1, rest + size) : (value / size, rest)
    }

    /// Year, month and day of the proleptic Gregorian calendar.
    ///
    /// Howard Hinnant's `civil_from_days`: <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>.
    private static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = split(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Puts the digits of a number, which is not negative, in front of what is there as zeros.
    private static func put(_ value: Int64, endingAt end: Int, in text: UnsafeMutablePointer<UInt8>) {
        var rest = UInt32(truncatingIfNeeded: value)
        var place = end
        while rest > 0 {
            text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            place -= 1
        }
    }
}
