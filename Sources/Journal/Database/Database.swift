internal import CSQLite
internal import Glibc

/// One SQLite file and the statements prepared for it; of one thread.
final class Database {
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// Opens a file for this process alone.
    convenience init(path: String) throws(JournalFailure) {
        try self.init(name: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        // A file that nobody tampers with does not need it; one that somebody does gets no help.
        _ = csqlite_set_flag(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        // The log keeps its length when the file is closed: what it holds on a full disk it need not ask for again.
        var keeps: Int32 = 1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keeps)
    }

    /// Opens a file to be read as it stands: its log is left out, and nothing is written or locked.
    convenience init(unchanged path: String) throws(JournalFailure) {
        var name = "file:"
        // What a URI would take for something else.
        for character in path {
            switch character {
            case "%": name += "%25"
            case "?": name += "%3f"
            case "#": name += "%23"
            default: name.append(character)
            }
        }
        try self.init(name: name + "?immutable=1", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    private init(name: String, flags: Int32) throws(JournalFailure) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let opened else { throw .inputOutput(code: code, errno: ENOMEM) }
        handle = opened
        guard code == SQLITE_OK else {
            let failure = failure(code)
            sqlite3_close(handle)
            throw failure
        }
        _ = csqlite_set_flag(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    /// Closes the file.
    ///
    /// - Parameter asItIs: nothing is written any more, and the log stays as evidence.
    func close(asItIs: Bool) {
        if asItIs { _ = csqlite_set_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }
        for statement in statements.values { statement.finalize() }
        statements = [:]
        sqlite3_close(handle)
    }

    // MARK: Statements

    /// Runs statements without values or rows.
    func execute(_ sql: String) throws(JournalFailure) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement to its end.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(JournalFailure) -> Int {
        try each(sql, values) { _ in true }
        return Int(sqlite3_changes(handle))
    }

    /// Reads one value.
    ///
    /// - Returns: nil when there is no row, or a null in it.
    func integer(_ sql: String, _ values: SQLValue...) throws(JournalFailure) -> Int64? {
        var found: Int64?
        try each(sql, values) { (row) throws(JournalFailure) in
            found = row.isNull(0) ? nil : try row.integer(0)
            return false
        }
        return found
    }

    /// Hands each row to the body until there is none, or the body does not want another.
    func each(
        _ sql: String,
        _ values: [SQLValue],
        _ body: (Row) throws(JournalFailure) -> Bool
    ) throws(JournalFailure) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let code = statement.bind(value, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw failure(code) }
        }
        errno = 0
        while true {
            let code = statement.step()
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw failure(code) }
                return
            }
            guard try body(Row(statement)) else { return }
        }
    }

    private func prepared(_ sql: String) throws(JournalFailure) -> Statement {
        if let known = statements[sql] { return known }
        var made: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made else { throw failure(code) }
        let statement = Statement(made)
        statements[sql] = statement
        return statement
    }

    // MARK: The file

    /// Whether a transaction is open; SQLite itself takes some back when they fail.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file could only be opened for reading.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether another file, or none, has the file's name by now.
    var hasMoved: Bool {
        var moved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
    }

    /// Pages written to the log since this was last asked with `clear`.
    func pagesWritten(clear: Bool = false) -> Int {
        var pages: Int32 = 0
        var most: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &most, clear ? 1 : 0)
        return Int(pages)
    }

    /// Copies the log into the file, so that it starts again at its beginning.
    func checkpoint() throws(JournalFailure) {
        errno = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
        _ = pagesWritten(clear: true)
    }

    /// What a code of SQLite means here; for the call that has just failed.
    func failure(_ code: Int32) -> JournalFailure {
        let system = errno
        switch code & 0xff {
        case SQLITE_FULL: return .full
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH: return .taken
        case SQLITE_TOOBIG: return .tooLarge
        // A plain error is a table or column that is not there.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: return .damaged(String(cString: sqlite3_errmsg(handle)))
        case SQLITE_BUSY, SQLITE_LOCKED: return .inUse
        case SQLITE_READONLY: return code == Int32(CSQLITE_READONLY_DBMOVED.rawValue) ? .moved : .readOnly
        default: break
        }
        // SQLite does not note what a write to the log met.
        let noted = sqlite3_system_errno(handle)
        return .system(noted == 0 ? system : noted, code: code)
    }
}
