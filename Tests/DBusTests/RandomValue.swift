import DBus

/// Makes values of every shape from a seed.
struct RandomValue {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func number(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(bound, 1)
    }

    mutating func value(depth: Int = 4) -> DBusValue {
        switch number(below: depth > 0 ? 17 : 13) {
        case 0...12: return basic(number(below: 13))
        case 13: return .variant(value(depth: depth - 1))
        case 14: return .structure((0...number(below: 3)).map { _ in value(depth: depth - 1) })
        case 15:
            let key = basic(number(below: 12))
            let entries = (0..<number(below: 4)).map { _ in
                DBusValue.Entry(basic(like: key), .variant(value(depth: depth - 1)))
            }
            return .dictionary(key: key.signature, value: "v", entries)
        default:
            let element = value(depth: depth - 1)
            // Only an array of bytes has a form of its own.
            guard element.signature != "y" else { return .bytes(bytes()) }
            return .array(of: element.signature, [DBusValue](repeating: element, count: number(below: 4)))
        }
    }

    private mutating func basic(like value: DBusValue) -> DBusValue {
        while true {
            let candidate = basic(number(below: 12))
            if candidate.signature == value.signature { return candidate }
        }
    }

    private mutating func bits() -> UInt64 {
        // The ends of a range are where mistakes are.
        let edges: [UInt64] = [0, 1, .max, 1 << 63, 0x7F, 0x80, 0x7FFF, 0x8000, 0x7FFF_FFFF, 0x8000_0000]
        return number(below: 2) == 0 ? edges[number(below: edges.count)] : UInt64(number(below: .max))
    }

    private mutating func bytes() -> [UInt8] {
        (0..<number(below: 40)).map { _ in UInt8(truncatingIfNeeded: number(below: 256)) }
    }

    private mutating func text() -> String {
        let texts = [
            "", "a", "naïve", "\u{10FFFF}", "日本", "line\nbreak", String(repeating: "x", count: 5000), "\u{FFFD}",
        ]
        return texts[number(below: texts.count)]
    }

    private mutating func basic(_ kind: Int) -> DBusValue {
        switch kind {
        case 0: .byte(UInt8(truncatingIfNeeded: bits()))
        case 1: .bool(number(below: 2) == 1)
        case 2: .int16(Int16(truncatingIfNeeded: bits()))
        case 3: .uint16(UInt16(truncatingIfNeeded: bits()))
        case 4: .int32(Int32(truncatingIfNeeded: bits()))
        case 5: .uint32(UInt32(truncatingIfNeeded: bits()))
        case 6: .int64(Int64(bitPattern: bits()))
        case 7: .uint64(bits())
        case 8: .double(Double(Int64(bitPattern: bits())) / 3)
        case 9: .string(text())
        case 10: .path(ObjectPath(["/", "/a", "/org/bluez/hci0/dev_00"][number(below: 3)]) ?? .root)
        case 11: .signature(["", "a{sv}", "(ii)", "y"][number(below: 4)])
        default: .bytes(bytes())
        }
    }
}
