/// The layout of the file as the steps that lead to it: each makes the next version of the one before.
///
/// A step that has shipped is never changed.
package struct JournalSchema: Sendable {
    /// The statements of each step; the first makes version 1 of an empty file.
    package var steps: [String]

    package init(steps: [String]) { self.steps = steps }

    /// The version that this agent writes.
    package var version: Int64 { Int64(steps.count) }

    /// The layout of this agent.
    package static let current = JournalSchema(steps: [first])

    /// `application_id` of the file: "EdgJ".
    static let application: Int64 = 0x4564_674A

    // Numbers come before texts and blobs, so that looking through rows does not read the pages that hold the rest.
    private static let first = """
        CREATE TABLE entry (
            number INTEGER PRIMARY KEY,
            progress INTEGER NOT NULL,
            unacknowledged INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            expires_ms INTEGER NOT NULL,
            window_ends_ms INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            identified INTEGER NOT NULL,
            client TEXT NOT NULL,
            id TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            request BLOB,
            answer BLOB
        ) STRICT;
        CREATE UNIQUE INDEX entry_key ON entry (client, id, identified);
        CREATE INDEX entry_acknowledged ON entry (window_ends_ms) WHERE progress = 3;
        CREATE TABLE reply (
            entry INTEGER NOT NULL,
            place INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (entry, place)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE message (
            id INTEGER PRIMARY KEY,
            class INTEGER NOT NULL,
            entry INTEGER,
            created_ms INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            head BLOB NOT NULL,
            payload BLOB
        ) STRICT;
        CREATE INDEX message_class ON message (class, id) WHERE class > 0;
        CREATE TABLE note (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE reserve (content BLOB NOT NULL) STRICT;
        """
}
