import Frames

/// Makes any text fit for one line of a log: nothing in it can break the line, hide text or turn its direction.
package enum LogText {
    /// The most bytes that one value takes before it is cut.
    package static let maximumValueBytes = 256

    /// Writes a value: bare when it is a plain word, else in quotes with escapes, cut to `limit` bytes with a mark.
    ///
    /// A cut value is followed by `…` and its whole size, as `"aaaa"…(70000 bytes)`.
    package static func appendValue(_ value: String, to line: inout [UInt8], limit: Int = maximumValueBytes) {
        if isPlainWord(value, limit: limit) {
            line.append(contentsOf: value.utf8)
            return
        }
        line.append(UInt8(ascii: "\""))
        let whole = appendEscaped(value, to: &line, limit: limit)
        line.append(UInt8(ascii: "\""))
        if !whole { line.append(contentsOf: "…(\(value.utf8.count) bytes)".utf8) }
    }

    /// A value as ``appendValue(_:to:limit:)`` writes it, for messages to people.
    package static func quoted(_ value: String, limit: Int = 64) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        let whole = appendEscaped(value, to: &bytes, limit: limit)
        bytes.append(UInt8(ascii: "\""))
        if !whole { bytes.append(contentsOf: "…(\(value.utf8.count) bytes)".utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the escaped text without quotes; false when it was cut.
    ///
    /// Text that does not stand in quotes may leave quotes and backslashes as they are: `isBare`.
    package static func appendEscaped(
        _ value: String,
        to line: inout [UInt8],
        limit: Int,
        isBare: Bool = false
    ) -> Bool {
        let end = line.count + limit
        for scalar in value.unicodeScalars {
            let piece = isBare && (scalar == "\"" || scalar == "\\") ? nil : escape(for: scalar)
            if let piece {
                guard line.count + piece.utf8.count <= end else { return false }
                line.append(contentsOf: piece.utf8)
            } else {
                guard line.count + UTF8.width(scalar) <= end else { return false }
                line.append(contentsOf: String(scalar).utf8)
            }
        }
        return true
    }

    private static func isPlainWord(_ value: String, limit: Int) -> Bool {
        guard !value.isEmpty, value.utf8.count <= limit else { return false }
        return value.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                && byte != UInt8(ascii: "=")
        }
    }

    private static func escape(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default: break
        }
        if scalar.isASCII {
            return scalar.value >= 0x20 && scalar.value != 0x7F ? nil : "\\u{\(String(scalar.value, radix: 16))}"
        }
        switch scalar.properties.generalCategory {
        // Among them line separators, bidirectional overrides, zero-width marks and tags.
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned:
            return "\\u{\(String(scalar.value, radix: 16))}"
        default: return nil
        }
    }
}
