/// Reads one YAML document over libyaml into nodes that keep their lines.
///
/// Aliases, tags and deep nesting are refused where they stand, so that no small file becomes a large tree.
package enum YAMLDocument {
    /// The most bytes that are read.
    package static let maximumBytes = 1_048_576
    /// The deepest nesting that is read unless the reader says otherwise.
    package static let maximumDepth = 12

    /// A text that is no YAML, or more than one document.
    package struct Failure: Error, Equatable {
        /// The line, from 1; nil when it is not known.
        package let line: Int?
        package let message: String
    }

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: the text, in UTF-8.
    ///   - maximumDepth: the deepest nesting that is read.
    /// - Returns: the root of the only document; nil when the text holds none.
    /// - Throws: ``Failure`` when the text is too large, is nested too deeply, is no YAML or holds a second document.
    package static func parse(
        _ bytes: [UInt8],
        maximumDepth: Int = YAMLDocument.maximumDepth
    ) throws(Failure) -> YAMLNode? {
        guard bytes.count <= maximumBytes else {
            throw Failure(line: nil, message: "is larger than \(maximumBytes) bytes")
        }
        return try YAMLEvents.with(bytes) { (events: inout YAMLEvents) throws(Failure) -> YAMLNode? in
            guard case .documentStart = try events.next().kind else { return nil }
            let root = try node(try events.next(), levels: maximumDepth, &events)
            let next = try events.next()
            if case .documentStart = next.kind {
                throw Failure(line: next.line, message: "a second document starts here; one is expected")
            }
            return root
        }
    }

    /// Builds the node that begins with an event and may have so many levels below it.
    private static func node(
        _ event: YAMLEvents.Event,
        levels: Int,
        _ events: inout YAMLEvents
    ) throws(Failure) -> YAMLNode {
        // Ended here and not at the end of the text: libyaml's time grows with the square of the depth.
        guard levels >= 0 else { throw Failure(line: event.line, message: "is nested too deeply") }
        switch event.kind {
        case .alias:
            return YAMLNode(content: .refused("is an alias (*…): write the value out"), line: event.line)
        case .scalar(let text, let quoted):
            return YAMLNode(content: event.hasTag ? refusedTag : .scalar(text, quoted: quoted), line: event.line)
        case .sequenceStart:
            var items: [YAMLNode] = []
            while true {
                let next = try events.next()
                if case .end = next.kind { break }
                items.append(try node(next, levels: levels - 1, &events))
            }
            return YAMLNode(content: event.hasTag ? refusedTag : .sequence(items), line: event.line)
        case .mappingStart:
            var pairs: [YAMLNode.Pair] = []
            while true {
                let next = try events.next()
                if case .end = next.kind { break }
                let key = try node(next, levels: levels - 1, &events)
                let value = try node(try events.next(), levels: levels - 1, &events)
                pairs.append(YAMLNode.Pair(key: key, value: value))
            }
            return YAMLNode(content: event.hasTag ? refusedTag : .mapping(pairs), line: event.line)
        case .documentStart, .end, .streamEnd:
            throw Failure(line: event.line, message: "no valid YAML: a value is missing")
        }
    }

    private static let refusedTag = YAMLNode.Content.refused("has a tag (!…): write the plain value")
}
