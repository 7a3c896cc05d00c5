import BleCore
import Frames

/// The fields of `transact`.
extension FieldReader {
    /// The most bytes of a value, and so of a packet (Bluetooth Core 5.4, Vol 3, Part F, 3.2.9).
    private static let maxPacketBytes = 512

    mutating func transact() -> TransactRules? {
        let before = problems.count
        let namesService = object["service"].map { !$0.isNull } ?? false
        let service = uuid("service")
        let write = selector("write", in: service, namesService: namesService)
        let notify = selector("notify", in: service, namesService: namesService)
        if write == nil, object["write"].map(\.isNull) ?? true {
            problem("write", expected: "a UUID within service, or a handle")
        }
        let data = neededBinary("data")
        let mode = choice("mode", WriteMode.self) ?? .auto
        let chunk = self.chunk(withGapBeside: milliseconds("gapMs", Self.gaps))
        let complete = completion() ?? .first
        let (accept, scope) = acceptance()
        let take = self.take()
        let fail = condition("fail")
        let checksum = self.checksum()
        let packetTimeout = milliseconds("packetTimeoutMs", 1...CommandDecoder.maxTimeoutMs)
        let lease = milliseconds("leaseMs", 1000...Self.longestMs)
        let parse = parseFields() ?? []
        guard problems.count == before, let write, let data else { return nil }
        let rules = TransactRules(
            write: write,
            notify: notify,
            data: data,
            mode: mode,
            chunk: chunk,
            accept: accept,
            scope: scope,
            take: take,
            complete: complete,
            fail: fail,
            checksum: checksum,
            packetTimeout: packetTimeout ?? TransactRules.defaultPacketTimeout,
            lease: lease,
            parse: parse
        )
        for (name, text) in rules.contradictions(namesCompletion: object["complete"].map { !$0.isNull } ?? false) {
            problem(name, text)
        }
        return rules
    }

    /// A characteristic: its UUID within a service, or the handle of its declaration.
    private mutating func selector(
        _ name: String,
        in service: BluetoothUUID?,
        namesService: Bool
    ) -> AttributeSelector? {
        guard let value = take(name) else { return nil }
        if let handle = value.integer.flatMap({ UInt16(exactly: $0) }), handle > 0 {
            return AttributeSelector(handle: handle, service: service)
        }
        guard let uuid = value.string.flatMap({ BluetoothUUID($0) }) else {
            problem(
                name,
                expected: "a UUID of 4, 8 or 32 hexadecimal digits, or a handle from 1 to 65535",
                found: value
            )
            return nil
        }
        guard let service else {
            if !namesService { problem("service", "needed beside the UUID in \(name)") }
            return nil
        }
        return AttributeSelector(service: service, characteristic: uuid)
    }

    private mutating func chunk(withGapBeside gap: Duration?) -> Chunk {
        let inside = object["chunk"]?.object?["gapMs"].map { !$0.isNull } ?? false
        var chunk = self.chunk() ?? Chunk()
        if let gap {
            if inside, chunk.gap != gap { problem("gapMs", "differs from chunk.gapMs: give one") }
            chunk.gap = gap
        }
        return chunk
    }

    /// `"first"`, `"never"`, or an object with one of the other forms.
    private mutating func completion() -> CompletionRule? {
        let forms = "packets, bytes, length, suffix, match and idleMs"
        guard let value = take("complete") else { return nil }
        switch value {
        case .string("first"): return .first
        case .string("never"): return .never
        case .object(let object):
            return nested("complete", object) { reader in
                let before = reader.problems.count
                let rules: [CompletionRule?] = [
                    reader.whole("packets", 1...10_000).map { .packets($0) },
                    reader.whole("bytes", 1...CompletionRule.maxAnswerBytes).map { .bytes($0) },
                    reader.lengthField().map { .length($0) },
                    reader.pattern("suffix").map { .suffix($0) },
                    reader.match().map { .match($0) },
                    reader.milliseconds("idleMs", 1...CommandDecoder.maxTimeoutMs).map { .idle($0) },
                ]
                guard reader.problems.count == before else { return nil }
                let given = rules.compactMap(\.self)
                guard given.count == 1 else {
                    reader.problem(
                        "length",
                        given.isEmpty ? "needed: give one of \(forms)" : "give only one of \(forms)"
                    )
                    return nil
                }
                return given.first
            }
        default:
            problem("complete", expected: "\"first\", \"never\", or an object with one of \(forms)", found: value)
            return nil
        }
    }

    private mutating func lengthField() -> LengthField? {
        nested("length", expected: "an object with offset and type") { reader in
            let before = reader.problems.count
            let offset = reader.whole("offset", 0...65_535)
            let kind = reader.choice("type", LengthField.Kind.self)
            let adjust = reader.whole("adjust", -CompletionRule.maxAnswerBytes...CompletionRule.maxAnswerBytes) ?? 0
            guard reader.problems.count == before else { return nil }
            if offset == nil { reader.problem("offset", expected: "a whole number from 0 to 65535") }
            if kind == nil {
                let kinds = LengthField.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                reader.problem("type", expected: "one of \(kinds)")
            }
            guard let offset, let kind else { return nil }
            return LengthField(offset: offset, kind: kind, adjust: adjust)
        }
    }

    /// Bytes to look for: at least one.
    private mutating func pattern(_ name: String) -> [UInt8]? {
        guard let bytes = binary(name) else { return nil }
        guard (1...Self.maxPacketBytes).contains(bytes.count) else {
            problem(name, "expected 1 to \(Self.maxPacketBytes) bytes, found \(bytes.count)")
            return nil
        }
        return bytes
    }

    /// `{"offset":1,"hex":"81"}`, also with `base64` or `utf8`; without `offset` anywhere.
    private mutating func match() -> BytePattern? {
        nested("match", expected: "an object with offset and one of hex, base64 and utf8") { reader in
            let before = reader.problems.count
            let offset = reader.whole("offset", 0...CompletionRule.maxAnswerBytes)
            guard let bytes = reader.binaryMembers(), reader.problems.count == before else { return nil }
            guard (1...Self.maxPacketBytes).contains(bytes.count) else {
                reader.problem("hex", "expected 1 to \(Self.maxPacketBytes) bytes, found \(bytes.count)")
                return nil
            }
            return BytePattern(offset: offset, bytes: bytes)
        }
    }

    private mutating func acceptance() -> (condition: PacketCondition?, scope: PacketScope?) {
        var scope: PacketScope?
        let condition = condition("accept") { reader in
            scope = reader.choice("on", PacketScope.self)
            return scope != nil
        }
        return (condition, scope)
    }

    /// An object with `prefix`, `match` and `minBytes`, of which one suffices, or none when `also` finds something.
    private mutating func condition(
        _ name: String,
        also: (inout FieldReader) -> Bool = { _ in false }
    ) -> PacketCondition? {
        nested(name, expected: "an object with prefix, match or minBytes") { reader in
            let before = reader.problems.count
            let prefix = reader.pattern("prefix")
            let match = reader.match()
            let minBytes = reader.whole("minBytes", 1...Self.maxPacketBytes)
            let isEnough = also(&reader)
            guard reader.problems.count == before else { return nil }
            guard prefix != nil || match != nil || minBytes != nil || isEnough else {
                reader.problem("prefix", "needed: give prefix, match or minBytes")
                return nil
            }
            return PacketCondition(prefix: prefix ?? [], match: match, minBytes: minBytes ?? 0)
        }
    }

    private mutating func take() -> TakeRule? {
        nested("take", expected: "an object with offset or length") { reader in
            let before = reader.problems.count
            let offset = reader.whole("offset", 0...Self.maxPacketBytes)
            let length = reader.whole("length", 1...Self.maxPacketBytes)
            guard reader.problems.count == before else { return nil }
            guard offset != nil || length != nil else {
                reader.problem("offset", "needed: give offset or length")
                return nil
            }
            return TakeRule(offset: offset ?? 0, length: length)
        }
    }

    private mutating func checksum() -> ChecksumRule? {
        nested("checksum", expected: "an object with kind, and send or verify") { reader in
            let before = reader.problems.count
            let kind = reader.choice("kind", ChecksumKind.self)
            let order = reader.choice("order", ChecksumRule.Order.self) ?? .big
            let from = reader.whole("from", 0...65_535) ?? 0
            let sends = reader.flag("send") ?? false
            let verifies = reader.flag("verify") ?? false
            guard reader.problems.count == before else { return nil }
            if !sends, !verifies { reader.problem("send", "needed: give send or verify as true, or both") }
            guard let kind else {
                let kinds = ChecksumKind.allCases.map(\.rawValue).joined(separator: ", ")
                reader.problem("kind", expected: "one of \(kinds)")
                return nil
            }
            return ChecksumRule(kind, order: order, from: from, sends: sends, verifies: verifies)
        }
    }
}
