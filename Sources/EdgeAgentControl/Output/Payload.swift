internal import EdgeAgent

/// What comes over MQTT, read as JSON.
enum Payload {
    /// The object; nil for anything else.
    static func object(_ bytes: [UInt8]) -> JSONObject? {
        do throws(JSONFailure) {
            return try JSONReader(maxBytes: 16 << 20, maxDepth: 32).read(bytes).object
        } catch {
            return nil
        }
    }
}

extension JSONWriter {
    /// Writes any value.
    mutating func json(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let bool): self.value(bool)
        case .integer(let integer): self.value(integer)
        case .real(let real): self.value(real)
        case .string(let text): self.value(text)
        case .array(let elements):
            beginArray()
            for element in elements { json(element) }
            endArray()
        case .object(let object):
            beginObject()
            for entry in object.entries {
                key(entry.key)
                json(entry.value)
            }
            endObject()
        }
    }

    /// The text of any value.
    static func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.json(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
