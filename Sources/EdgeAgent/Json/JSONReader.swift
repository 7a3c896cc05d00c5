import CJansson

/// Reads JSON texts that strangers wrote, within fixed bounds.
///
/// Refused: what is over `maxBytes`, nesting over `maxDepth`, text that is not UTF-8, a byte order mark, a NUL (raw or
/// as `\u0000`), a lone surrogate, two equal names in one object, anything after the value, numbers that do not fit
/// (`1e999`, `9223372036854775808`), and a text whose value is neither an object nor an array.
package struct JSONReader: Sendable {
    package var maxBytes: Int
    package var maxDepth: Int

    package init(maxBytes: Int, maxDepth: Int = 16) {
        self.maxBytes = maxBytes
        self.maxDepth = maxDepth
    }

    /// Reads one JSON text.
    ///
    /// - Throws: The first reason to refuse it.
    package func read(_ bytes: [UInt8]) throws(JSONFailure) -> JSONValue {
        guard bytes.count <= maxBytes else { throw .tooLarge(bytes: bytes.count, limit: maxBytes) }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw .byteOrderMark }
        // jansson reads nested values by recursion: the depth is known before it starts.
        guard jsonDepth(of: bytes, limit: maxDepth) <= maxDepth else { throw .tooDeep(limit: maxDepth) }

        var error = json_error_t()
        // Without JSON_DECODE_ANY the text has to be an object or an array, without JSON_DISABLE_EOF_CHECK nothing may
        // follow it, and without JSON_ALLOW_NUL an escaped NUL is an error.
        let root = bytes.withUnsafeBytes { buffer in
            json_loadb(buffer.baseAddress, buffer.count, Int(JSON_REJECT_DUPLICATES), &error)
        }
        guard let root else { throw JSONFailure(error) }
        defer { json_decref(root) }
        return value(of: root)
    }

    // Safe because jansson owns what `json` points to until `read` gives its reference back, and everything is copied.
    private func value(of json: UnsafeMutablePointer<json_t>) -> JSONValue {
        switch json.pointee.type {
        case JSON_OBJECT:
            var entries: [JSONObject.Entry] = []
            entries.reserveCapacity(json_object_size(json))
            var iterator = json_object_iter(json)
            while let place = iterator {
                if let key = json_object_iter_key(place), let member = json_object_iter_value(place) {
                    let name = text(key, length: json_object_iter_key_len(place))
                    entries.append(JSONObject.Entry(key: name, value: value(of: member)))
                }
                iterator = json_object_iter_next(json, place)
            }
            return .object(JSONObject(entries))
        case JSON_ARRAY:
            let count = json_array_size(json)
            var elements: [JSONValue] = []
            elements.reserveCapacity(count)
            for index in 0..<count {
                if let element = json_array_get(json, index) { elements.append(value(of: element)) }
            }
            return .array(elements)
        case JSON_STRING:
            guard let start = json_string_value(json) else { return .null }
            return .string(text(start, length: json_string_length(json)))
        case JSON_INTEGER: return .integer(Int64(json_integer_value(json)))
        case JSON_REAL: return .real(json_real_value(json))
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        default: return .null
        }
    }

    private func text(_ start: UnsafePointer<CChar>, length: Int) -> String {
        let bytes = UnsafeRawBufferPointer(start: start, count: length)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why a JSON text was refused.
package enum JSONFailure: Error, Equatable {
    case tooLarge(bytes: Int, limit: Int)
    case tooDeep(limit: Int)
    case byteOrderMark
    case notUTF8(at: Int)
    case nul(at: Int)
    case duplicateKey(at: Int)
    case numberOutOfRange(at: Int)
    /// Ends too early.
    case incomplete
    /// Something follows the value.
    case trailing(at: Int)
    case syntax(at: Int)

    init(_ error: json_error_t) {
        let place = max(0, Int(error.position))
        let code = withUnsafePointer(to: error) { json_error_code($0) }
        switch code {
        case json_error_invalid_utf8: self = .notUTF8(at: place)
        case json_error_null_character, json_error_null_byte_in_key: self = .nul(at: place)
        case json_error_duplicate_key: self = .duplicateKey(at: place)
        case json_error_numeric_overflow: self = .numberOutOfRange(at: place)
        case json_error_premature_end_of_input: self = .incomplete
        case json_error_end_of_input_expected: self = .trailing(at: place)
        case json_error_stack_overflow: self = .tooDeep(limit: Int(JSON_PARSER_MAX_DEPTH))
        default: self = .syntax(at: place)
        }
    }
}

extension JSONFailure: CustomStringConvertible {
    /// One sentence for people; holds nothing of the text.
    package var description: String {
        switch self {
        case .tooLarge(let bytes, let limit): "the payload has \(bytes) bytes, at most \(limit) are taken"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .byteOrderMark: "starts with a byte order mark; send plain UTF-8"
        case .notUTF8(let place): "not UTF-8 near byte \(place)"
        case .nul(let place): "a NUL character near byte \(place)"
        case .duplicateKey(let place): "a name stands twice in one object, near byte \(place)"
        case .numberOutOfRange(let place): "a number out of range near byte \(place)"
        case .incomplete: "the JSON text ends too early"
        case .trailing(let place): "something follows the JSON object, from byte \(place)"
        case .syntax(let place): "not a JSON object: error near byte \(place)"
        }
    }
}
