internal import Frames

extension CommandReader {
    /// The frame: bytes in hexadecimal with `{argument}` and `{length}` between them.
    func template(_ section: Section, _ arguments: [CommandArgument]) -> FrameTemplate? {
        let length = section.section("length").flatMap { lengthField($0) }
        guard section.needed("frame") != nil else { return nil }
        let form = "bytes in hexadecimal with {argument} and {length} between them, as \"aa 01 {level}\""
        guard let parts = section.form("frame", form, { Self.parts($0) }) else { return nil }
        var used: Set<String> = []
        for part in parts {
            guard case .argument(let name) = part else { continue }
            if !arguments.contains(where: { $0.name == name }) {
                section.problem("frame", "there is no argument \(quoted(name))")
            }
            used.insert(name)
        }
        for argument in arguments where !used.contains(argument.name) {
            section.problem("args", "\(quoted(argument.name)) does not stand in frame")
        }
        if parts.contains(.length), length == nil {
            section.problem("frame", "{length} needs the key \"length\", which says how it is written")
        }
        if !parts.contains(.length), length != nil { section.problem("length", "{length} does not stand in frame") }
        return FrameTemplate(parts, length: length)
    }

    private func lengthField(_ section: Section) -> LengthField? {
        defer { section.finish() }
        let kind = section.needed("type") == nil ? nil : section.choice("type", LengthField.Kind.self)
        let adjust = section.number("adjust", -512...512) ?? 0
        return kind.map { LengthField(offset: 0, kind: $0, adjust: adjust) }
    }

    private static func parts(_ text: String) -> [FrameTemplate.Part]? {
        var parts: [FrameTemplate.Part] = []
        var rest = text[...]
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" }
            rest = rest.dropFirst(literal.count)
            guard let bytes = Section.bytes(String(literal)) else { return nil }
            if !bytes.isEmpty { parts.append(.bytes(bytes)) }
            guard !rest.isEmpty else { break }
            guard let end = rest.firstIndex(of: "}") else { return nil }
            let name = String(rest[rest.index(after: rest.startIndex)..<end])
            guard Section.isName(name) else { return nil }
            parts.append(name == "length" ? .length : .argument(name))
            rest = rest[rest.index(after: end)...]
        }
        return parts.isEmpty || parts.count > 256 ? nil : parts
    }
}
