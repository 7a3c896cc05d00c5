extension JournalFile {
    /// Brings an older or empty file to the present layout, in one transaction.
    ///
    /// Nothing is written to a file that is not ours, or newer than this agent.
    func migrate() throws(JournalFailure) {
        let schema = settings.schema
        let application = try database.integer("PRAGMA application_id") ?? 0
        let version = try database.integer("PRAGMA user_version") ?? 0
        let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        let isNew = application == 0 && version == 0 && tables == 0
        guard isNew || application == JournalSchema.application else { throw .foreign }
        guard version <= schema.version else { throw .newer(version: version, known: schema.version) }
        guard isNew || version > 0 else { throw .damaged("schema version \(version)") }
        // Before the first table: pages that become free can be given back later, in small steps.
        if isNew { try database.execute("PRAGMA page_size = \(Self.pageBytes); PRAGMA auto_vacuum = INCREMENTAL") }
        try useLog()
        guard version < schema.version else { return }
        try transaction { () throws(JournalFailure) in
            for step in schema.steps[Int(version)...] { try database.execute(step) }
            try database.execute(
                """
                PRAGMA application_id = \(JournalSchema.application);
                PRAGMA user_version = \(schema.version)
                """
            )
        }
    }

    /// Write-ahead log, as safe as asked for.
    ///
    /// NORMAL syncs before and after a checkpoint, so that a power cut takes the last groups at most; FULL syncs the log
    /// at each commit. OFF would be as good against kill -9, but a power cut could damage the file.
    private func useLog() throws(JournalFailure) {
        var mode = ""
        try database.each("PRAGMA journal_mode = WAL", []) { (row) throws(JournalFailure) in
            mode = try row.text(0)
            return false
        }
        guard mode == "wal" else { throw .readOnly }
        let level = settings.durability == .power ? "FULL" : "NORMAL"
        try database.execute("PRAGMA synchronous = \(level); PRAGMA journal_size_limit = \(16 << 20)")
    }

    // MARK: Notes

    /// Single numbers that the file keeps.
    enum Note {
        /// When the journal was closed last.
        case closed
        /// How many messages of a class were given up.
        case dropped(OutboxClass)

        var name: String {
            switch self {
            case .closed: "closed"
            case .dropped(let messageClass): "dropped \(messageClass.rawValue)"
            }
        }
    }

    func note(_ note: Note) throws(JournalFailure) -> Int64? {
        try database.integer("SELECT value FROM note WHERE name = ?", .text(note.name))
    }

    func setNote(_ note: Note, _ value: Int64) throws(JournalFailure) {
        try database.run("INSERT OR REPLACE INTO note VALUES (?, ?)", .text(note.name), .integer(value))
    }
}
