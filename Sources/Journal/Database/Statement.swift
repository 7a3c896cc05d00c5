internal import CSQLite

/// A value that goes into a statement.
enum SQLValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null

    init(_ blob: [UInt8]?) { self = blob.map { .blob($0) } ?? .null }
    init(_ integer: Int64?) { self = integer.map { .integer($0) } ?? .null }
}

/// One prepared statement; ends with its database.
final class Statement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    func finalize() { sqlite3_finalize(handle) }

    func step() -> Int32 { sqlite3_step(handle) }

    /// Makes it ready for the next time, and lets go of what was bound.
    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
        case .null: return sqlite3_bind_null(handle, index)
        case .text(var text):
            // With its length, as a text may hold a NUL.
            return text.withUTF8 { bytes in
                guard let start = bytes.baseAddress else {
                    return sqlite3_bind_text(handle, index, "", 0, csqlite_copies())
                }
                return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_bind_text(handle, index, $0, Int32(clamping: bytes.count), csqlite_copies())
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes {
                // No address would be a null.
                guard let start = $0.baseAddress, !$0.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return sqlite3_bind_blob(handle, index, start, Int32(clamping: $0.count), csqlite_copies())
            }
        }
    }

    func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of a text or blob.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }
}

/// The row that a statement is at; to be read before the next step.
struct Row {
    private let statement: Statement

    init(_ statement: Statement) { self.statement = statement }

    func isNull(_ column: Int32) -> Bool { statement.type(column) == SQLITE_NULL }

    func integer(_ column: Int32) throws(JournalFailure) -> Int64 {
        try check(column, SQLITE_INTEGER)
        return statement.integer(column)
    }

    func text(_ column: Int32) throws(JournalFailure) -> String {
        try check(column, SQLITE_TEXT)
        return String(decoding: statement.bytes(column), as: UTF8.self)
    }

    func blob(_ column: Int32) throws(JournalFailure) -> [UInt8] {
        try check(column, SQLITE_BLOB)
        return Array(statement.bytes(column))
    }

    /// A blob that may be absent.
    func optionalBlob(_ column: Int32) throws(JournalFailure) -> [UInt8]? {
        isNull(column) ? nil : try blob(column)
    }

    // The tables are strict: another type is what became of a page.
    private func check(_ column: Int32, _ type: Int32) throws(JournalFailure) {
        guard statement.type(column) == type else { throw .damaged("a column of another type") }
    }
}
