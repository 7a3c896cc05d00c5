internal import CYAML

/// libyaml's parser as a source of events; used within ``with(_:_:)`` alone.
struct YAMLEvents: ~Copyable {
    /// One step through a document.
    struct Event {
        enum Kind {
            case documentStart
            case alias
            case scalar(String, quoted: Bool)
            case sequenceStart
            case mappingStart
            /// The end of a sequence or a mapping.
            case end
            case streamEnd
        }

        let kind: Kind
        /// Whether the node says what type it is, as `!secret` or `!!int`.
        let hasTag: Bool
        /// The line, from 1.
        let line: Int
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeBufferPointer<UInt8>

    private init(parser: UnsafeMutablePointer<yaml_parser_t>, input: UnsafeBufferPointer<UInt8>) {
        self.parser = parser
        self.input = input
    }

    /// Gives the events of a text to a closure.
    static func with<Value>(
        _ bytes: [UInt8],
        _ body: (inout YAMLEvents) throws(YAMLDocument.Failure) -> Value
    ) throws(YAMLDocument.Failure) -> Value {
        // Safe because libyaml's pointers to the parser and to the input end with yaml_parser_delete, before either goes.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else {
            throw YAMLDocument.Failure(line: nil, message: "cannot be read: out of memory")
        }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        return try bytes.withUnsafeBufferPointer { input throws(YAMLDocument.Failure) in
            yaml_parser_set_input_string(parser, input.baseAddress, input.count)
            var events = YAMLEvents(parser: parser, input: input)
            return try body(&events)
        }
    }

    /// The next event; ``Event/Kind/streamEnd`` again and again at the end.
    mutating func next() throws(YAMLDocument.Failure) -> Event {
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
            defer { yaml_event_delete(&event) }
            if let kind = YAMLEvents.kind(of: event) {
                return Event(
                    kind: kind,
                    hasTag: YAMLEvents.hasTag(event),
                    line: Int(clamping: event.start_mark.line) + 1
                )
            }
        }
    }

    /// What an event means here; nil for one to be skipped.
    private static func kind(of event: yaml_event_t) -> Event.Kind? {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_ALIAS_EVENT: return .alias
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .scalar(String(decoding: bytes, as: UTF8.self), quoted: scalar.style != YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT: return .sequenceStart
        case YAML_MAPPING_START_EVENT: return .mappingStart
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .end
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .streamEnd
        default: return nil
        }
    }

    private static func hasTag(_ event: yaml_event_t) -> Bool {
        switch event.type {
        case YAML_SCALAR_EVENT: event.data.scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT: event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT: event.data.mapping_start.tag != nil
        default: false
        }
    }

    private func failure() -> YAMLDocument.Failure {
        let text = parser.pointee.problem.map { String(cString: $0) } ?? "cannot be read"
        if parser.pointee.error == YAML_READER_ERROR {
            // Bytes that are not text: libyaml tells an offset alone.
            let before = input.prefix(min(parser.pointee.problem_offset, input.count))
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            return YAMLDocument.Failure(line: line, message: "no valid UTF-8 text: \(text)")
        }
        let line = Int(clamping: parser.pointee.problem_mark.line) + 1
        return YAMLDocument.Failure(line: line, message: "no valid YAML: \(text)")
    }
}
