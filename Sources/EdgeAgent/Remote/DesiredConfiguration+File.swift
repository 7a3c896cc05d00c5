internal import YAML

extension DesiredConfiguration {
    /// Makes what is published of the content of a file: JSON as it is, YAML as JSON.
    ///
    /// - Throws: ``RemoteProblems`` when it is neither.
    package init(file bytes: [UInt8]) throws(RemoteProblems) {
        let reader = JSONReader(maxBytes: Self.maxBytes, maxDepth: Self.maxDepth)
        // What is JSON needs no other reading, and what is none may be YAML.
        if bytes.first == UInt8(ascii: "{"), (try? reader.read(bytes)) != nil, let desired = Self(bytes) {
            self = desired
            return
        }
        let root: YAMLNode
        do throws(YAMLDocument.Failure) {
            root = try YAMLDocument.parse(bytes) ?? YAMLNode(.mapping([]))
        } catch {
            throw RemoteProblems([.init(key: nil, "line \(error.line ?? 0): \(error.message)")])
        }
        guard case .mapping = root.content else {
            throw RemoteProblems([.init(key: nil, "expected keys with values, found \(root.kindName)")])
        }
        var writer = JSONWriter(capacity: bytes.count * 2)
        try writer.write(root, depth: 0)
        guard let desired = Self(writer.bytes), desired.payload.count <= Self.maxBytes else {
            throw RemoteProblems([.init(key: nil, "has more than \(Self.maxBytes) bytes")])
        }
        self = desired
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ node: YAMLNode, depth: Int) throws(RemoteProblems) {
        guard depth < DesiredConfiguration.maxDepth else {
            throw RemoteProblems([.init(key: nil, "line \(node.line): nested too deep")])
        }
        switch node.content {
        case .refused(let reason): throw RemoteProblems([.init(key: nil, "line \(node.line): \(reason)")])
        case .scalar where node.isNull: null()
        case .scalar("true", quoted: false): value(true)
        case .scalar("false", quoted: false): value(false)
        case .scalar(let text, let quoted):
            // An address may look like a number, and lose its zeros as one.
            if !quoted, let number = Int64(text), String(number) == text { value(number) } else { value(text) }
        case .sequence(let elements):
            beginArray()
            for element in elements { try write(element, depth: depth + 1) }
            endArray()
        case .mapping(let pairs):
            beginObject()
            for pair in pairs {
                guard case .scalar(let name, _) = pair.key.content else {
                    throw RemoteProblems([.init(key: nil, "line \(pair.key.line): a key must be a single word")])
                }
                key(name)
                try write(pair.value, depth: depth + 1)
            }
            endObject()
        }
    }
}
