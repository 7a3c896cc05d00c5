import CYAML

/// Reads one YAML document over libyaml into nodes that keep their lines.
///
/// Anchors with aliases, tags and deep nesting are refused where they stand, so that no small file becomes a large tree.
package enum YAMLDocument {
    /// The most bytes that are read.
    package static let maximumBytes = 1_048_576
    private static let maximumDepth = 12

    /// A text that is no YAML, or more than one document.
    package struct Failure: Error, Equatable {
        /// The line, from 1; nil when it is not known.
        package let line: Int?
        package let message: String
    }

    /// The root of the only document; nil when the text holds none.
    ///
    /// - Throws: ``Failure`` when the text is too large, is no YAML or holds a second document.
    package static func parse(_ bytes: [UInt8]) throws(Failure) -> YAMLNode? {
        guard bytes.count <= maximumBytes else {
            throw Failure(line: nil, message: "is larger than \(maximumBytes) bytes")
        }
        var parser = yaml_parser_t()
        // libyaml keeps pointers to the parser and to the input: both stay where they are until the end.
        let result = withUnsafeMutablePointer(to: &parser) { parser in
            bytes.withUnsafeBufferPointer { input in load(parser, input) }
        }
        return try result.get()
    }

    private static func load(
        _ parser: UnsafeMutablePointer<yaml_parser_t>,
        _ input: UnsafeBufferPointer<UInt8>
    ) -> Result<YAMLNode?, Failure> {
        guard yaml_parser_initialize(parser) == 1 else { return .failure(Failure(line: nil, message: "out of memory")) }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, input.baseAddress, input.count)

        var document = yaml_document_t()
        guard yaml_parser_load(parser, &document) == 1 else { return .failure(failure(of: parser, input)) }
        let root = withUnsafeMutablePointer(to: &document) { tree(of: $0) }
        yaml_document_delete(&document)
        guard let root else { return .success(nil) }

        var next = yaml_document_t()
        guard yaml_parser_load(parser, &next) == 1 else { return .failure(failure(of: parser, input)) }
        defer { yaml_document_delete(&next) }
        if yaml_document_get_root_node(&next) != nil {
            let line = Int(clamping: next.start_mark.line) + 1
            return .failure(Failure(line: line, message: "a second document starts here; one is expected"))
        }
        return .success(root)
    }

    private static func failure(
        of parser: UnsafeMutablePointer<yaml_parser_t>,
        _ input: UnsafeBufferPointer<UInt8>
    ) -> Failure {
        let text = parser.pointee.problem.map { String(cString: $0) } ?? "cannot be read"
        if parser.pointee.error == YAML_READER_ERROR {
            // Bytes that are not text: libyaml tells an offset alone.
            let before = input.prefix(min(parser.pointee.problem_offset, input.count))
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            return Failure(line: line, message: "no valid UTF-8 text: \(text)")
        }
        let line = Int(clamping: parser.pointee.problem_mark.line) + 1
        return Failure(line: line, message: "no valid YAML: \(text)")
    }

    private static func tree(of document: UnsafeMutablePointer<yaml_document_t>) -> YAMLNode? {
        guard yaml_document_get_root_node(document) != nil else { return nil }
        var builder = TreeBuilder(document: document)
        return builder.node(1, depth: 0, line: 1)
    }

    /// Copies libyaml's table of nodes into a tree, each node once.
    private struct TreeBuilder {
        let document: UnsafeMutablePointer<yaml_document_t>
        var seen: Set<Int32> = []

        init(document: UnsafeMutablePointer<yaml_document_t>) { self.document = document }

        mutating func node(_ index: Int32, depth: Int, line parentLine: Int) -> YAMLNode {
            guard let node = yaml_document_get_node(document, index)?.pointee else {
                return YAMLNode(content: .refused("is missing"), line: parentLine)
            }
            // An alias has no node of its own: it is a second reference to the anchor's node.
            guard seen.insert(index).inserted else {
                return YAMLNode(content: .refused("is an alias (*…): write the value out"), line: parentLine)
            }
            let line = Int(clamping: node.start_mark.line) + 1
            guard depth < YAMLDocument.maximumDepth else {
                return YAMLNode(content: .refused("is nested too deeply"), line: line)
            }
            if let tag = node.tag, !TreeBuilder.isPlainTag(tag) {
                return YAMLNode(content: .refused("has a tag (!…): write the plain value"), line: line)
            }
            switch node.type {
            case YAML_SCALAR_NODE:
                let scalar = node.data.scalar
                let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
                let text = String(decoding: bytes, as: UTF8.self)
                return YAMLNode(content: .scalar(text, quoted: scalar.style != YAML_PLAIN_SCALAR_STYLE), line: line)
            case YAML_SEQUENCE_NODE:
                let items = node.data.sequence.items
                var nodes: [YAMLNode] = []
                for item in TreeBuilder.table(items.start, items.top) {
                    nodes.append(self.node(item, depth: depth + 1, line: line))
                }
                return YAMLNode(content: .sequence(nodes), line: line)
            case YAML_MAPPING_NODE:
                let pairs = node.data.mapping.pairs
                var nodes: [YAMLNode.Pair] = []
                for pair in TreeBuilder.table(pairs.start, pairs.top) {
                    let key = self.node(pair.key, depth: depth + 1, line: line)
                    nodes.append(
                        YAMLNode.Pair(key: key, value: self.node(pair.value, depth: depth + 1, line: key.line))
                    )
                }
                return YAMLNode(content: .mapping(nodes), line: line)
            default:
                return YAMLNode(content: .refused("is missing"), line: line)
            }
        }

        /// Whether a tag is the one that libyaml gives to a node without any.
        private static func isPlainTag(_ tag: UnsafeMutablePointer<UInt8>) -> Bool {
            let text = tag.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            return ["tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"].contains(text)
        }

        /// The filled part of one of libyaml's stacks.
        private static func table<Item>(
            _ start: UnsafeMutablePointer<Item>?,
            _ top: UnsafeMutablePointer<Item>?
        ) -> UnsafeBufferPointer<Item> {
            guard let start, let top else { return UnsafeBufferPointer(start: nil, count: 0) }
            return UnsafeBufferPointer(start: start, count: top - start)
        }
    }
}
