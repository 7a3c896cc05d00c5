internal import Glibc

/// Looks at a journal without changing anything: neither the file nor its log is written, and nothing is locked.
package enum JournalInspection {
    /// The schema version that this program writes.
    package static var knownVersion: Int64 { JournalSchema.current.version }

    /// Looks at the journal of a directory; blocks as a disk does.
    ///
    /// - Parameters:
    ///   - directory: where the journal is.
    ///   - isQuiet: nobody works with it, so that all of the file can be read and checked; else its head alone is.
    /// - Returns: its schema version, 0 for one that is not written yet; nil when there is no journal.
    /// - Throws: ``JournalFailure`` when an agent could not work with it.
    package static func look(in directory: String, isQuiet: Bool) throws(JournalFailure) -> Int64? {
        let path = directory + "/journal.sqlite"
        guard let head = try head(of: path) else { return nil }
        guard !head.isEmpty else { return 0 }
        guard head.count == 100, head.prefix(16).elementsEqual(Array("SQLite format 3".utf8) + [0]) else {
            throw .damaged("it is no file of SQLite's")
        }
        func number(_ place: Int) -> Int64 {
            head[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) }
        }
        let (version, application) = (number(60), number(68))
        // As long as all of it is in the log, the file says nothing.
        if version == 0, application == 0 { return 0 }
        guard application == JournalSchema.application else { throw .foreign }
        let known = knownVersion
        guard version <= known else { throw .newer(version: version, known: known) }
        if isQuiet { try check(path) }
        return version
    }

    private static func head(of path: String) throws(JournalFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw errno == EISDIR ? .foreign : .system(errno) }
        return Array(bytes.prefix(count))
    }

    private static func check(_ path: String) throws(JournalFailure) {
        let database = try Database(unchanged: path)
        defer { database.close(asItIs: true) }
        try database.each("PRAGMA quick_check(1)", []) { (row) throws(JournalFailure) in
            let text = try row.text(0)
            guard text == "ok" else { throw .damaged(text) }
            return false
        }
    }
}
