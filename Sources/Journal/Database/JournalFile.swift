internal import Glibc

/// The open file of a journal: life, transactions and room; its tables are in extensions.
///
/// Of the journal's thread.
final class JournalFile {
    let database: Database
    let settings: JournalSettings
    /// Counts of what the file holds; taken back with a transaction.
    var figures = JournalFigures()
    private(set) var summary = JournalSummary()
    private(set) var nextMessage: Int64 = 1
    /// The entry with the highest number stays, so that numbers grow from life to life.
    var highestNumber: Int64 = 0
    var clock: ClockWatch
    var addedSincePrune = 0
    /// Pages of the file that are free for what comes.
    private var freePages = 0

    /// Small pages: a command changes a few bytes in each of ten, and whole pages are written.
    static let pageBytes = 2048
    /// Pages in the log at which it is copied into the file in a quiet moment, and in any case: each costs two syncs.
    private static let restfulLog = (1 << 20) / pageBytes
    private static let fullLog = (8 << 20) / pageBytes

    /// Opens the file, or makes it, and brings it to the present layout.
    init(_ settings: JournalSettings) throws(JournalFailure) {
        self.settings = settings
        clock = ClockWatch(settings.clock)
        let path = settings.directory + "/journal.sqlite"
        try Self.prepare(path, in: settings.directory)
        database = try Database(path: path)
        do throws(JournalFailure) {
            try start()
        } catch {
            database.close(asItIs: true)
            throw error
        }
    }

    /// Makes the file where there is none, for its owner alone; SQLite would make it as the umask says.
    private static func prepare(_ path: String, in directory: String) throws(JournalFailure) {
        var status = stat()
        let exists = stat(path, &status) == 0
        guard !exists || status.st_mode & S_IFMT == S_IFREG else { throw .foreign }
        // SQLite would take an empty file for a new one and remove the log.
        var log = stat()
        guard exists && status.st_size > 0 || stat(path + "-wal", &log) != 0 || log.st_size == 0 else {
            throw .damaged("the file is empty, its log is not")
        }
        if exists { return }
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(errno) }
        Glibc.close(descriptor)
        // A power cut must not take the name from what is synced later.
        let parent = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else { throw .system(errno) }
        defer { Glibc.close(parent) }
        guard fsync(parent) == 0 else { throw .system(errno) }
    }

    private func start() throws(JournalFailure) {
        guard !database.isReadOnly else { throw .readOnly }
        // Alone with the file: no shared memory, no lock a transaction. Files that are mapped can raise SIGBUS.
        try database.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = FAST; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;
            PRAGMA wal_autocheckpoint = 0
            """
        )
        try migrate()
        try database.execute("PRAGMA max_page_count = \(max(64, settings.fileBytes / Self.pageBytes))")
        try database.each("PRAGMA quick_check(1)", []) { (row) throws(JournalFailure) in
            let text = try row.text(0)
            guard text == "ok" else { throw .damaged(text) }
            return false
        }
        try count()
    }

    private func count() throws(JournalFailure) {
        try database.each("SELECT count(*), coalesce(sum(bytes), 0), coalesce(max(number), 0) FROM entry", []) {
            (row) throws(JournalFailure) in
            figures.entries = Int(try row.integer(0))
            figures.entryBytes = try sane(row.integer(1))
            highestNumber = Int64(try sane(row.integer(2)))
            return false
        }
        try database.each("SELECT class, count(*), sum(bytes) FROM message GROUP BY class", []) {
            (row) throws(JournalFailure) in
            let messageClass = try messageClass(row.integer(0))
            figures[messageClass].count = Int(try row.integer(1))
            figures[messageClass].bytes = try sane(row.integer(2))
            return true
        }
        for messageClass in OutboxClass.allCases {
            figures[messageClass].dropped = try sane(note(.dropped(messageClass)) ?? 0)
        }
        summary.nextNumber = highestNumber + 1
        summary.unfinished = Int(try database.integer("SELECT count(*) FROM entry WHERE progress < 2") ?? 0)
        nextMessage = Int64(try sane(database.integer("SELECT max(id) FROM message") ?? 0)) + 1
        let times = [
            try database.integer("SELECT max(created_ms) FROM entry"),
            try database.integer("SELECT max(created_ms) FROM message"),
            try note(.closed),
        ]
        summary.newestMs = times.compactMap(\.self).max()
        try measure()
    }

    /// A count that can be counted on from here.
    private func sane(_ count: Int64) throws(JournalFailure) -> Int {
        guard (0..<1 << 60).contains(count) else { throw .damaged("a count of \(count)") }
        return Int(count)
    }

    /// Closes the file; what is in the log goes into it when it is whole.
    func close(asItIs: Bool) {
        do throws(JournalFailure) {
            if !asItIs {
                try transaction { () throws(JournalFailure) in try setNote(.closed, settings.clock.wallMs()) }
                // The log stays as long as it has become; the next life begins it anew.
                try database.execute("PRAGMA journal_size_limit = -1")
            }
        } catch {
            // The time of the end is of use, but nothing that was promised.
        }
        database.close(asItIs: asItIs)
    }

    // MARK: Transactions

    /// Runs the body as a whole, or not at all.
    func transaction(_ body: () throws(JournalFailure) -> Void) throws(JournalFailure) {
        guard !database.hasMoved else { throw .moved }
        let before = (figures, highestNumber, freePages, clock)
        do throws(JournalFailure) {
            try database.run("BEGIN")
            try body()
            try database.run("COMMIT")
        } catch {
            (figures, highestNumber, freePages, clock) = before
            takeBack()
            throw error
        }
        figures.commits += 1
    }

    private func takeBack() {
        // SQLite takes a transaction back itself when the disk fails it.
        guard database.isInTransaction else { return }
        do throws(JournalFailure) {
            try database.run("ROLLBACK")
        } catch {
            // What failed before tells more; the transaction is over in any case.
        }
    }

    // MARK: Room

    /// Makes sure that the reserve is there before something new is taken on.
    ///
    /// Only here the file grows as it is filled, and the log goes into it at once: a page that stands in the log alone
    /// could not be copied on a full disk, and then the log would have no end.
    func makeRoom() throws(JournalFailure) {
        let wanted = reservePages
        guard freePages < wanted else { return }
        do throws(JournalFailure) {
            // The larger the file, the larger its steps, as each is written twice.
            try grow(by: max(wanted, figures.fileBytes / Self.pageBytes / 8))
        } catch {
            guard !error.isPermanent else { throw error }
            // It may have been too much, or the log that found no room.
            shortenLog()
            try grow(by: max(8, wanted - freePages))
        }
        guard freePages >= wanted else { throw .full }
    }

    private func grow(by growth: Int) throws(JournalFailure) {
        // What fails is taken back, and that takes room itself: what cannot succeed is not begun.
        guard hasRoom(for: 2 * growth * Self.pageBytes) else { throw .full }
        do throws(JournalFailure) {
            try transaction { () throws(JournalFailure) in
                try database.run("DELETE FROM reserve")
                // The pages that are free are taken first: the file grows by what is more.
                let bytes = (freePages + growth) * Self.pageBytes
                try database.run("INSERT INTO reserve VALUES (zeroblob(?))", .integer(Int64(bytes)))
            }
            try database.checkpoint()
        } catch {
            try takeBackGrowth(growth)
            throw error
        }
        try transaction { () throws(JournalFailure) in
            try database.run("DELETE FROM reserve")
            try measure()
        }
    }

    /// Whether the file system has so many bytes, as far as it tells.
    private func hasRoom(for bytes: Int) -> Bool {
        var status = statvfs()
        guard statvfs(settings.directory, &status) == 0 else { return true }
        let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflow || free >= UInt64(max(0, bytes))
    }

    /// Makes the file as small again as it was, so that all pages that are in use have a place in it.
    private func takeBackGrowth(_ growth: Int) throws(JournalFailure) {
        guard try database.integer("SELECT 1 FROM reserve") != nil else { return }
        try transaction { () throws(JournalFailure) in
            try database.run("DELETE FROM reserve")
            try database.each("PRAGMA incremental_vacuum(\(growth))", []) { _ in true }
            try measure()
        }
        try database.checkpoint()
    }

    private var reservePages: Int { max(32, settings.reserveBytes / Self.pageBytes) }

    /// Tries whether the file can be written again.
    func probe() throws(JournalFailure) {
        try transaction { () throws(JournalFailure) in
            try prune(1024)
            try setNote(.closed, settings.clock.wallMs())
            try measure()
        }
        try makeRoom()
        try database.checkpoint()
    }

    /// Looks how large the file is and how much of it is free; within a transaction it is one read.
    func measure() throws(JournalFailure) {
        freePages = Int(try database.integer("PRAGMA freelist_count") ?? 0)
        figures.fileBytes = Int(try database.integer("PRAGMA page_count") ?? 0) * Self.pageBytes
    }

    /// Whether there is something to do for a time in which nobody wants anything.
    var isUntidy: Bool { database.pagesWritten() >= Self.restfulLog || isLoose }

    /// Whether much of the file is free.
    private var isLoose: Bool {
        freePages > 3 * reservePages && freePages * 4 > figures.fileBytes / Self.pageBytes
    }

    /// Does one step of what keeps the files small.
    func tidy() throws(JournalFailure) {
        guard isLoose else { return try database.checkpoint() }
        try transaction { () throws(JournalFailure) in
            try database.each("PRAGMA incremental_vacuum(64)", []) { _ in true }
            try measure()
        }
    }

    /// Copies the log into the file when it has become long.
    func boundLog() throws(JournalFailure) {
        if database.pagesWritten() >= Self.fullLog { try database.checkpoint() }
    }

    /// Copies the log into the file if that can be: what comes next then needs no new room in the log.
    func shortenLog() {
        do throws(JournalFailure) {
            try database.checkpoint()
        } catch {
            // What comes next tells whether it needed the room.
        }
    }
}
