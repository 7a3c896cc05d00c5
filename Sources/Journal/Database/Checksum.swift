/// FNV-1a of 64 bits over what a row holds: SQLite itself does not notice when stored content changes.
struct Checksum {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    /// As it is kept in a column.
    var value: Int64 { Int64(bitPattern: state) }

    mutating func add(_ bytes: [UInt8]) {
        add(Int64(bytes.count))
        for byte in bytes { mix(byte) }
    }

    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        for byte in text.utf8 { mix(byte) }
    }

    mutating func add(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }

    private mutating func mix(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}
