internal import BleCore
internal import Frames

/// Reads the `transact` rules of a command, with the names that they have in a command over MQTT.
struct RulesReader {
    typealias Section = ProfileSection

    private let problems: ProblemList

    init(_ reader: CommandReader) { problems = reader.problems }

    func rules(
        _ section: Section,
        _ write: AttributeSelector,
        _ mode: WriteMode,
        parse: [ParseField]
    ) -> TransactRules {
        let notify = section.section("notify").flatMap { inside in
            defer { inside.finish() }
            return inside.selector(in: write.service)
        }
        var scope: PacketScope?
        let accept = condition("accept", section) { inside in
            scope = inside.choice("on", PacketScope.self)
            return scope != nil
        }
        let timeout = section.duration("packetTimeoutMs", 1...600_000)
        var rules = TransactRules(
            write: write,
            notify: notify,
            data: [],
            mode: mode,
            accept: accept,
            complete: completion(section) ?? .first,
            fail: condition("fail", section) { _ in false },
            checksum: section.section("checksum").flatMap { checksum($0) },
            packetTimeout: timeout ?? TransactRules.defaultPacketTimeout,
            parse: parse
        )
        if let scope { rules.scope = scope }
        rules.chunk = chunk(section)
        rules.take = section.section("take").flatMap { take($0) }
        return rules
    }

    private func chunk(_ section: Section) -> Chunk {
        var chunk = Chunk()
        if let gap = section.duration("gapMs", 0...60_000) { chunk.gap = gap }
        guard let value = section.value("chunk"), value.scalar != "mtu" else { return chunk }
        guard let inside = Section(value, problems, "mtu, or a section with size, or first and then") else {
            return chunk
        }
        defer { inside.finish() }
        let size = inside.number("size", 1...512)
        let first = inside.number("first", 1...512)
        let then = inside.number("then", 1...512)
        switch (size, first, then) {
        case (let size?, nil, nil): chunk.size = .fixed(first: size, then: size)
        case (nil, let first?, let then?): chunk.size = .fixed(first: first, then: then)
        default: inside.problem(nil, "needs the key \"size\", or \"first\" and \"then\"")
        }
        return chunk
    }

    private func condition(
        _ key: String,
        _ section: Section,
        also: (Section) -> Bool
    ) -> PacketCondition? {
        guard let inside = section.section(key) else { return nil }
        defer { inside.finish() }
        let prefix = inside.bytes("prefix") ?? []
        let match = inside.section("match").flatMap { pattern($0) }
        let minBytes = inside.number("minBytes", 1...512) ?? 0
        let isEnough = also(inside)
        if !isEnough, !["prefix", "match", "minBytes"].contains(where: { inside.has($0) }) {
            inside.problem(nil, "needs one of prefix, match and minBytes")
        }
        return PacketCondition(prefix: prefix, match: match, minBytes: minBytes)
    }

    private func pattern(_ section: Section) -> BytePattern? {
        defer { section.finish() }
        let offset = section.number("offset", 0...CompletionRule.maxAnswerBytes)
        let bytes = section.needed("hex") == nil ? nil : section.bytes("hex")
        return bytes.map { BytePattern(offset: offset, bytes: $0) }
    }

    private func take(_ section: Section) -> TakeRule {
        defer { section.finish() }
        if !section.has("offset"), !section.has("length") { section.problem(nil, "needs offset or length") }
        return TakeRule(offset: section.number("offset", 0...512) ?? 0, length: section.number("length", 1...512))
    }

    private func checksum(_ section: Section) -> ChecksumRule? {
        defer { section.finish() }
        let kind = section.needed("kind") == nil ? nil : section.choice("kind", ChecksumKind.self)
        let order = section.choice("order", ChecksumRule.Order.self) ?? .big
        let from = section.number("from", 0...65_535) ?? 0
        let sends = section.flag("send") ?? false
        let verifies = section.flag("verify") ?? false
        if !sends, !verifies { section.problem(nil, "needs send or verify as true, or both") }
        return kind.map { ChecksumRule($0, order: order, from: from, sends: sends, verifies: verifies) }
    }

    /// `first`, or a section with one of the other forms.
    private func completion(_ section: Section) -> CompletionRule? {
        guard let value = section.value("complete") else { return nil }
        if value.scalar == "first" { return .first }
        if value.scalar == "never" { return .never }
        guard let inside = Section(value, problems, "first, or a section of keys") else { return nil }
        defer { inside.finish() }
        let rules: [CompletionRule?] = [
            inside.number("packets", 1...10_000).map { .packets($0) },
            inside.number("bytes", 1...CompletionRule.maxAnswerBytes).map { .bytes($0) },
            inside.section("length").flatMap { length($0) }.map { .length($0) },
            inside.bytes("suffix").map { .suffix($0) },
            inside.section("match").flatMap { pattern($0) }.map { .match($0) },
            inside.duration("idleMs", 1...600_000).map { .idle($0) },
        ]
        let given = ["packets", "bytes", "length", "suffix", "match", "idleMs"].filter { inside.has($0) }
        if given.count != 1 { inside.problem(nil, "needs one of packets, bytes, length, suffix, match and idleMs") }
        return rules.compactMap(\.self).first
    }

    private func length(_ section: Section) -> LengthField? {
        defer { section.finish() }
        let offset = section.needed("offset") == nil ? nil : section.number("offset", 0...65_535)
        let kind = section.needed("type") == nil ? nil : section.choice("type", LengthField.Kind.self)
        let adjust = section.number("adjust", -65_535...65_535) ?? 0
        guard let offset, let kind else { return nil }
        return LengthField(offset: offset, kind: kind, adjust: adjust)
    }
}
