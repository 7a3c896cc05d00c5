internal import Frames

extension ValueFormat {
    /// Bytes as the text of this form; nil when they are none of it.
    func text(of bytes: ArraySlice<UInt8>) -> String? {
        switch self {
        case .uuid:
            guard bytes.count == 16 else { return nil }
            let digits = Hex.text(bytes)
            var out = ""
            for (index, digit) in digits.enumerated() {
                if [8, 12, 16, 20].contains(index) { out += "-" }
                out.append(digit)
            }
            return out
        case .address: return addressText(bytes)
        case .addressReversed: return addressText(bytes.reversed())
        case .datetime: return dateTimeText(Array(bytes))
        case .eddystoneURL: return EddystoneURL.text(of: bytes)
        case .time: return nil
        }
    }
}

private func addressText(_ bytes: some Collection<UInt8>) -> String? {
    guard bytes.count == 6 else { return nil }
    return bytes.map { Hex.text([$0]).uppercased() }.joined(separator: ":")
}

/// Seconds since 1970 as RFC 3339 in UTC; nil before then and after the year 9999.
func timeText(_ seconds: Int128) -> String? {
    guard (0...253_402_300_799).contains(seconds) else { return nil }
    let seconds = Int(seconds)
    // Days from civil, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years that begin in March.
    let days = seconds / 86_400 + 719_468
    let era = days / 146_097
    let day = days % 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let time = seconds % 86_400
    let date = dateText(year + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    return "\(date)T\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60))Z"
}

/// The GATT type Date Time: year in two bytes, month, day, hours, minutes, seconds; parts that are 0 are not known.
private func dateTimeText(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 7 else { return nil }
    let year = Int(bytes[0]) | Int(bytes[1]) << 8
    guard (1582...9999).contains(year), (1...12).contains(bytes[2]), (1...31).contains(bytes[3]), bytes[4] < 24,
        bytes[5] < 60, bytes[6] < 60
    else { return nil }
    let time = bytes[4...6].map { padded(Int($0)) }.joined(separator: ":")
    return "\(dateText(year, Int(bytes[2]), Int(bytes[3])))T\(time)"
}

private func dateText(_ year: Int, _ month: Int, _ day: Int) -> String {
    "\(padded(year, digits: 4))-\(padded(month))-\(padded(day))"
}

private func padded(_ number: Int, digits: Int = 2) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}
