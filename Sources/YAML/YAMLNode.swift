/// A node of a YAML document with its line.
package struct YAMLNode: Sendable {
    /// What a node holds.
    package enum Content: Sendable {
        /// A text; `quoted` when it stood in quotes or as a block, so that `"5"` is told from `5`.
        case scalar(String, quoted: Bool)
        case sequence([YAMLNode])
        case mapping([Pair])
        /// YAML that is not to be used, and why.
        case refused(String)
    }

    /// A key with its value.
    package struct Pair: Sendable {
        package let key: YAMLNode
        package let value: YAMLNode

        package init(key: YAMLNode, value: YAMLNode) {
            self.key = key
            self.value = value
        }
    }

    package let content: Content
    /// The line, from 1.
    package let line: Int

    /// The text of a scalar without quotes that stands for nothing: empty, `~` or `null`.
    package var isNull: Bool {
        if case .scalar(let text, quoted: false) = content {
            ["", "~", "null", "Null", "NULL"].contains(text)
        } else {
            false
        }
    }

    /// What kind of node it is, for a message.
    package var kindName: String {
        switch content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a section"
        case .refused: "something else"
        }
    }
}

extension YAMLNode {
    /// A node that was written in another form than YAML.
    package init(_ content: Content, line: Int = 0) {
        self.init(content: content, line: line)
    }

    /// A single value that stands for a part of another one, such as a key that is a number.
    package static func scalar(_ text: String, line: Int) -> YAMLNode {
        YAMLNode(content: .scalar(text, quoted: false), line: line)
    }
}
