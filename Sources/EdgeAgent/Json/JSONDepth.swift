/// The deepest nesting of a JSON text, counted without reading it: brackets outside of texts.
///
/// What it says of broken JSON does not matter, as long as no reader goes deeper than it says: inside a text that does
/// not end, a reader stops too.
///
/// - Parameters:
///   - bytes: The text.
///   - limit: Counting ends one above it.
/// - Returns: The number of objects and arrays that are open at once, at most `limit` + 1.
func jsonDepth(of bytes: [UInt8], limit: Int) -> Int {
    var depth = 0
    var deepest = 0
    var inText = false
    var isEscaped = false
    for byte in bytes {
        if inText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                inText = false
            }
            continue
        }
        switch byte {
        case UInt8(ascii: "\""): inText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if depth > deepest { deepest = depth }
            if deepest > limit { return deepest }
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }
    return deepest
}
