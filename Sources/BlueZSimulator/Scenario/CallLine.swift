internal import DBus

/// A received call as one line of JSON.
///
/// For example `{"number":7,"ms":1204,"sender":":1.5","path":"/org/bluez/hci0","interface":"org.bluez.Adapter1",
/// "member":"StartDiscovery","arguments":[]}`, without the line break.
enum CallLine {
    static func text(_ call: ReceivedCall, after time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        let arguments = call.arguments.map(json).joined(separator: ",")
        return "{\"number\":\(call.number),\"ms\":\(milliseconds),\"sender\":\(quoted(call.sender)),"
            + "\"path\":\(quoted(call.path.text)),\"interface\":\(quoted(call.interface)),"
            + "\"member\":\(quoted(call.member)),\"arguments\":[\(arguments)]}"
    }

    /// Bytes become hexadecimal text, variants what they hold, dictionaries objects.
    static func json(_ value: DBusValue) -> String {
        switch value {
        case .byte(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .double(let value): value.isFinite ? "\(value)" : "null"
        case .string(let text), .signature(let text): quoted(text)
        case .path(let path): quoted(path.text)
        case .bytes(let bytes): quoted(bytes.map { hex($0, digits: 2) }.joined())
        case .array(_, let values), .structure(let values): "[\(values.map(json).joined(separator: ","))]"
        case .dictionary(_, _, let entries):
            "{\(entries.map { "\(key($0.key)):\(json($0.value))" }.joined(separator: ","))}"
        case .variant(let inner): json(inner)
        }
    }

    private static func key(_ value: DBusValue) -> String {
        let text = json(value)
        return text.hasPrefix("\"") ? text : quoted(text)
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u" + hex(scalar.value, digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
