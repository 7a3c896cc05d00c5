/// A finite number in the shortest decimal form that reads back as the same number.
///
/// Whole numbers have no fraction (`7`, not `7.0`), and an exponent stands only from 1e21 on and below 1e-6, as
/// ECMAScript writes numbers (ECMA-262, 6.1.6.1.20): `0.00001` and `100000000000000000000` are written out.
///
/// - Parameter value: A finite number.
/// - Returns: A number as JSON writes it.
package func plainDecimal(_ value: Double) -> String {
    let shortest = value.description
    let isNegative = shortest.utf8.first == UInt8(ascii: "-")
    let parts = shortest.split(separator: "e", maxSplits: 1)
    guard let mantissa = parts.first else { return shortest }
    var digits: [UInt8] = []
    // The place of the point, counted in digits from the first one.
    var point: Int?
    for byte in mantissa.utf8 {
        if byte == UInt8(ascii: ".") {
            point = digits.count
        } else if byte != UInt8(ascii: "-") {
            digits.append(byte)
        }
    }
    var place = (point ?? digits.count) + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    while digits.count > 1, digits.first == UInt8(ascii: "0") {
        digits.removeFirst()
        place -= 1
    }
    if digits == [UInt8(ascii: "0")] { return "0" }
    return decimalText(digits: digits, place: place, isNegative: isNegative)
}

/// Lays out a decimal number in the form of `plainDecimal`.
///
/// - Parameters:
///   - digits: At least one digit in ASCII, the first and the last not 0 unless it is the only one.
///   - place: Where the point stands, counted in digits from the first one.
///   - isNegative: Whether a minus goes before it.
/// - Returns: A number as JSON writes it.
func decimalText(digits: [UInt8], place: Int, isNegative: Bool) -> String {
    var out: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
    switch place {
    case 1...21:
        out += digits.prefix(place)
        if digits.count > place {
            out.append(UInt8(ascii: "."))
            out += digits.dropFirst(place)
        } else {
            out += repeatElement(UInt8(ascii: "0"), count: place - digits.count)
        }
    case -5...0:
        out += Array("0.".utf8)
        out += repeatElement(UInt8(ascii: "0"), count: -place)
        out += digits
    default:
        out.append(digits[0])
        if digits.count > 1 {
            out.append(UInt8(ascii: "."))
            out += digits.dropFirst()
        }
        out += Array("e\(place - 1)".utf8)
    }
    return String(decoding: out, as: UTF8.self)
}
