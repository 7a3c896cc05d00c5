/// Puts values into bytes that only this program reads: numbers little-endian, texts and bytes with their length first.
struct BlobWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ number: UInt8) { bytes.append(number) }

    mutating func put(_ number: Int64) {
        var rest = UInt64(bitPattern: number)
        for _ in 0..<8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    mutating func put(_ data: some Collection<UInt8>) {
        put(Int64(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func put(_ text: String) { put(text.utf8) }

    mutating func put(_ data: [UInt8]?) {
        put(UInt8(data == nil ? 0 : 1))
        if let data { put(data) }
    }

    mutating func put(_ text: String?) { put(text.map { Array($0.utf8) }) }
}

/// Reads what ``BlobWriter`` has written; whatever else it meets is an error, never a trap.
package struct BlobReader {
    /// The bytes are none of ours.
    package struct Failure: Error {}

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws(Failure) -> UInt8 {
        guard place < bytes.count else { throw Failure() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() throws(Failure) -> Int64 {
        guard bytes.count - place >= 8 else { throw Failure() }
        var number: UInt64 = 0
        for index in 0..<8 { number |= UInt64(bytes[place + index]) << (8 * UInt64(index)) }
        place += 8
        return Int64(bitPattern: number)
    }

    mutating func data() throws(Failure) -> [UInt8] {
        guard let count = Int(exactly: try number()), count >= 0, count <= bytes.count - place else { throw Failure() }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    mutating func text() throws(Failure) -> String {
        guard let text = String(validating: try data(), as: UTF8.self) else { throw Failure() }
        return text
    }

    mutating func optionalData() throws(Failure) -> [UInt8]? {
        switch try byte() {
        case 0: nil
        case 1: try data()
        default: throw Failure()
        }
    }

    mutating func optionalText() throws(Failure) -> String? {
        guard let data = try optionalData() else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else { throw Failure() }
        return text
    }
}
