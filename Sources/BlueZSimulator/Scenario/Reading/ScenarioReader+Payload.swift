internal import YAML

/// Bytes that may change from one time to the next.
extension ScenarioReader {
    /// Bytes in hexadecimal, or a list of parts.
    func payload(_ value: Value) -> PayloadModel? {
        guard case .sequence = value.node.content else { return Scalars.bytes(value, problems).map { .fixed($0) } }
        return PayloadModel(parts: value.items(problems).compactMap { part($0) })
    }

    private func part(_ value: Value) -> PayloadModel.Part? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        var part: PayloadModel.Part?
        guard section.keys.count == 1 else {
            problems.add(section.line, section.path, "expected one key: hex, utf8, counter or walk")
            return nil
        }
        if let bytes = section.bytes("hex") { part = .bytes(bytes) }
        if let text = section.text("utf8") { part = .bytes(Array(text.utf8)) }
        if let counter = section.section("counter") { part = self.counter(counter) }
        if let walk = section.section("walk") { part = self.walk(walk) }
        section.finish()
        return part
    }

    private func counter(_ section: ScenarioSection) -> PayloadModel.Part {
        defer { section.finish() }
        return .counter(integer(section), every: every(section))
    }

    private func walk(_ section: ScenarioSection) -> PayloadModel.Part? {
        defer { section.finish() }
        let format = integer(section)
        let limits = -(1 << 53)...(1 << 53)
        let low = section.needed("min").flatMap { Scalars.number($0, limits, problems) }
        let high = section.needed("max").flatMap { Scalars.number($0, limits, problems) }
        let start = section.number("from", limits)
        let step = section.number("step", 0...(1 << 53)) ?? 1
        let every = every(section)
        guard let low, let high else { return nil }
        guard low <= high else {
            problems.add(section.line, section.path, "\"min\" is greater than \"max\"")
            return nil
        }
        return .walk(format, from: Int64(start ?? low), in: Int64(low)...Int64(high), step: Int64(step), every: every)
    }

    private func integer(_ section: ScenarioSection) -> PayloadModel.Integer {
        PayloadModel.Integer(bytes: section.number("bytes", 1...8) ?? 1, bigEndian: section.flag("bigEndian") ?? false)
    }

    private func every(_ section: ScenarioSection) -> UInt64 {
        UInt64(section.number("every", 1...1_000_000) ?? 1)
    }
}
