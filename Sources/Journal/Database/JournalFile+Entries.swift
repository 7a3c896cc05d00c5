extension JournalEntry {
    /// What it counts against the bounds.
    var bytes: Int {
        key.client.utf8.count + key.id.utf8.count + fingerprint.count + request.count + (answer?.count ?? 0) + 64
    }

    fileprivate var checksum: Int64 {
        var checksum = Checksum()
        checksum.add(number)
        checksum.add(key.client)
        checksum.add(key.isIdentified ? 1 : 0)
        checksum.add(key.id)
        checksum.add(fingerprint)
        checksum.add(expiresMs)
        checksum.add(answer ?? request)
        return checksum.value
    }
}

extension JournalFile {
    private static let columns = """
        number, progress, created_ms, expires_ms, window_ends_ms, checksum, identified, client, id, fingerprint,
        request, answer
        """

    // MARK: Changes

    /// Adds an entry, unless one of its key is there that has to stay.
    func accept(_ entry: JournalEntry) throws(JournalFailure) -> JournalAdmission {
        if let known = try find(entry.key) {
            guard known.progress == .acknowledged, known.windowEndsMs <= clock.wallMs else { return .known(known) }
            try delete(known.number, bytes: known.bytes)
        }
        try insert(entry, unacknowledged: 0)
        return .accepted
    }

    /// Adds an entry that has ended already.
    func record(
        _ entry: JournalEntry,
        _ answer: [UInt8],
        _ publications: [OutboxMessage]
    ) throws(JournalFailure) -> JournalAdmission {
        let admission = try accept(entry)
        if admission == .accepted { try end(entry.number, answer, publications) }
        return admission
    }

    func begin(_ number: Int64) throws(JournalFailure) {
        let sql = "UPDATE entry SET progress = 1 WHERE number = ? AND progress < 2"
        guard try database.run(sql, .integer(number)) == 1 else { throw .notRunning(number: number) }
    }

    func addReply(_ content: [UInt8], to number: Int64) throws(JournalFailure) {
        let running = try database.integer("SELECT 1 FROM entry WHERE number = ? AND progress < 2", .integer(number))
        guard running != nil else { throw .notRunning(number: number) }
        let sql = """
            INSERT INTO reply (entry, place, checksum, content)
            SELECT ?1, coalesce(max(place), 0) + 1, ?2, ?3 FROM reply WHERE entry = ?1
            """
        try database.run(sql, .integer(number), .integer(replyChecksum(content, number)), .blob(content))
    }

    func end(_ number: Int64, _ answer: [UInt8], _ publications: [OutboxMessage]) throws(JournalFailure) {
        guard var entry = try entry(number), entry.progress == .waiting || entry.progress == .begun else {
            throw .notRunning(number: number)
        }
        let before = entry.bytes
        entry.request = []
        entry.answer = answer
        let sql = """
            UPDATE entry SET progress = ?, unacknowledged = ?, bytes = ?, checksum = ?, request = NULL, answer = ?
            WHERE number = ?
            """
        try database.run(
            sql,
            .integer((publications.isEmpty ? JournalProgress.acknowledged : .ended).rawValue),
            .integer(Int64(publications.count)),
            .integer(Int64(entry.bytes)),
            .integer(entry.checksum),
            .blob(answer),
            .integer(number)
        )
        figures.entryBytes &+= entry.bytes - before
        if !entry.replies.isEmpty { try database.run("DELETE FROM reply WHERE entry = ?", .integer(number)) }
        for publication in publications { try insert(publication, of: number, answer: answer) }
    }

    /// Notes that one message of an entry has arrived.
    func acknowledge(_ number: Int64) throws(JournalFailure) {
        let sql = """
            UPDATE entry SET unacknowledged = unacknowledged - 1,
                progress = CASE WHEN unacknowledged <= 1 THEN 3 ELSE progress END
            WHERE number = ? AND progress = 2
            """
        try database.run(sql, .integer(number))
    }

    private func insert(_ entry: JournalEntry, unacknowledged: Int64) throws(JournalFailure) {
        let sql = """
            INSERT INTO entry (\(Self.columns), unacknowledged, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        try database.run(
            sql,
            .integer(entry.number),
            .integer(entry.progress.rawValue),
            .integer(entry.createdMs),
            .integer(entry.expiresMs),
            .integer(entry.windowEndsMs),
            .integer(entry.checksum),
            .integer(entry.key.isIdentified ? 1 : 0),
            .text(entry.key.client),
            .text(entry.key.id),
            .blob(entry.fingerprint),
            .blob(entry.request),
            .null,
            .integer(unacknowledged),
            .integer(Int64(entry.bytes))
        )
        figures.entries += 1
        figures.entryBytes &+= entry.bytes
        highestNumber = max(highestNumber, entry.number)
    }

    private func delete(_ number: Int64, bytes: Int) throws(JournalFailure) {
        try database.run("DELETE FROM entry WHERE number = ?", .integer(number))
        figures.entries -= 1
        // Wraps rather than traps: what stands in a row is only as good as the disk.
        figures.entryBytes &-= bytes
    }

    // MARK: Reads

    func find(_ key: JournalKey) throws(JournalFailure) -> JournalEntry? {
        let sql = "SELECT \(Self.columns) FROM entry WHERE client = ? AND id = ? AND identified = ?"
        let values: [SQLValue] = [.text(key.client), .text(key.id), .integer(key.isIdentified ? 1 : 0)]
        return try entries(sql, values, bytes: .max).first
    }

    func entries(
        _ filter: JournalFilter,
        after: Int64,
        limit: Int,
        bytes: Int
    ) throws(JournalFailure) -> [JournalEntry] {
        let condition =
            switch filter {
            case .unfinished: "progress < 2"
            case .ended: "progress >= 2"
            }
        let sql = "SELECT \(Self.columns) FROM entry WHERE number > ? AND \(condition) ORDER BY number LIMIT ?"
        return try entries(sql, [.integer(after), .integer(Int64(limit))], bytes: bytes)
    }

    private func entry(_ number: Int64) throws(JournalFailure) -> JournalEntry? {
        try entries("SELECT \(Self.columns) FROM entry WHERE number = ?", [.integer(number)], bytes: .max).first
    }

    private func entries(
        _ sql: String,
        _ values: [SQLValue],
        bytes: Int
    ) throws(JournalFailure) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        var sum = 0
        try database.each(sql, values) { (row) throws(JournalFailure) in
            let entry = try entry(row)
            entries.append(entry)
            sum += entry.bytes
            return sum < bytes
        }
        for index in entries.indices where entries[index].progress.rawValue < JournalProgress.ended.rawValue {
            entries[index].replies = try replies(of: entries[index].number)
        }
        return entries
    }

    private func entry(_ row: Row) throws(JournalFailure) -> JournalEntry {
        guard let progress = JournalProgress(rawValue: try row.integer(1)) else {
            throw .damaged("an entry's progress")
        }
        var entry = JournalEntry(
            number: try row.integer(0),
            key: JournalKey(client: try row.text(7), isIdentified: try row.integer(6) != 0, id: try row.text(8)),
            fingerprint: try row.blob(9),
            request: try row.optionalBlob(10) ?? [],
            createdMs: try row.integer(2),
            expiresMs: try row.integer(3),
            windowEndsMs: try row.integer(4)
        )
        entry.progress = progress
        entry.answer = try row.optionalBlob(11)
        let hasEnded = progress == .ended || progress == .acknowledged
        guard entry.checksum == (try row.integer(5)), hasEnded == (entry.answer != nil) else {
            throw .damaged("the content of entry \(entry.number)")
        }
        return entry
    }

    private func replies(of number: Int64) throws(JournalFailure) -> [[UInt8]] {
        var replies: [[UInt8]] = []
        let sql = "SELECT checksum, content FROM reply WHERE entry = ? ORDER BY place"
        try database.each(sql, [.integer(number)]) { (row) throws(JournalFailure) in
            let content = try row.blob(1)
            guard replyChecksum(content, number) == (try row.integer(0)) else {
                throw .damaged("a reply of entry \(number)")
            }
            replies.append(content)
            return true
        }
        return replies
    }

    private func replyChecksum(_ content: [UInt8], _ number: Int64) -> Int64 {
        var checksum = Checksum()
        checksum.add(number)
        checksum.add(content)
        return checksum.value
    }

    // MARK: The window

    /// Removes entries whose window is over, or that are beyond the bounds: the ones whose window ends first, as many as
    /// `limit` at once.
    func prune(_ limit: Int) throws(JournalFailure) {
        let now = clock.wallMs
        let isBeyond = isBeyondBounds
        var old: [(number: Int64, bytes: Int, windowEndsMs: Int64)] = []
        let sql = """
            SELECT number, bytes, window_ends_ms FROM entry
            WHERE progress = 3 AND window_ends_ms <= ? ORDER BY window_ends_ms LIMIT ?
            """
        let values: [SQLValue] = [.integer(isBeyond ? .max : now), .integer(Int64(limit))]
        try database.each(sql, values) { (row) throws(JournalFailure) in
            old.append((try row.integer(0), Int(try row.integer(1)), try row.integer(2)))
            return true
        }
        // A little more goes than has to, so that not each new entry has to make one go.
        for entry in old where entry.number != highestNumber {
            guard entry.windowEndsMs <= now || isBeyond && self.isBeyond(parts: 63) else { return }
            try delete(entry.number, bytes: entry.bytes)
        }
    }

    /// After how many new entries those are looked for whose window is over.
    static let pruneInterval = 64

    var isBeyondBounds: Bool { isBeyond(parts: 64) }

    /// Whether the entries are more than so many 64ths of what the bounds allow.
    private func isBeyond(parts: Int) -> Bool {
        figures.entries > settings.windowCount / 64 * parts + settings.windowCount % 64
            || figures.entryBytes > settings.windowBytes / 64 * parts + settings.windowBytes % 64
    }

    /// Moves the times of this life's rows with a wall clock that was set, so that windows and ages keep their lengths.
    ///
    /// When a command may no longer begin stays: it may be a time that its caller named.
    func followClock() throws(JournalFailure) {
        guard let step = clock.step() else { return }
        for (table, column, first) in [
            ("entry", "created_ms", "number"), ("entry", "window_ends_ms", "number"), ("message", "created_ms", "id"),
        ] {
            // A time without end, or before all times, stays what it is.
            try database.run(
                """
                UPDATE \(table) SET \(column) = \(column) + ?1
                WHERE \(first) >= ?2 AND \(column) BETWEEN -(1 << 60) AND (1 << 60)
                """,
                .integer(step),
                .integer(table == "entry" ? summary.nextNumber : nextMessage)
            )
        }
    }
}
