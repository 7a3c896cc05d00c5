import Glibc

/// What reads each kind of input from outside.
private let kinds: [(name: String, run: @Sendable (UnsafeRawBufferPointer) -> Void)] = [
    ("command", CommandFuzz.run),
    ("configuration", ConfigurationFuzz.run),
    ("profile", ProfileFuzz.run),
    ("decoder", DecoderFuzz.run),
    ("transact", TransactFuzz.run),
    ("scenario", ScenarioFuzz.run),
    ("journal", JournalFuzz.run),
    ("state", StateFuzz.run),
    ("dbus", DBusFuzz.run),
]

/// The one that `FUZZ` names.
private let run: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let wanted = getenv("FUZZ").map { String(cString: $0) } ?? ""
    guard let kind = kinds.first(where: { $0.name == wanted }) else {
        print("FUZZ has to be one of \(kinds.map(\.name).joined(separator: ", "))")
        exit(64)
    }
    return kind.run
}()

/// What libFuzzer, which has the main function, calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    run(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

/// Takes an input apart from its beginning on; what is missing is 0 or empty.
struct Input {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func choice<Element>(_ elements: [Element]) -> Element { elements[Int(byte()) % elements.count] }

    /// So many bytes, or what is left.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// What stands before the next zero, which goes too.
    mutating func part() -> [UInt8] {
        let part = Array(rest.prefix { $0 != 0 })
        rest = rest.dropFirst(part.count + 1)
        return part
    }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }
}
