internal import Glibc

/// Why the journal cannot keep or tell something; says nothing of its content.
package enum JournalFailure: Error, Equatable, Sendable, CustomStringConvertible {
    // Faults of the store. Down to `inUse` they pass with their cause, the others stay until a restart.

    /// The disk, a quota or the journal's own bound is full.
    case full
    /// The file or its file system may only be read.
    case readOnly
    /// The disk refused something: SQLite's extended code and `errno`, 0 where there is none.
    case inputOutput(code: Int32, errno: Int32)
    /// The disk has not answered for a while.
    case slow
    /// Another process has the file open.
    case inUse
    /// The file holds what cannot be; it is left as it is.
    case damaged(String)
    /// A newer agent has written the file.
    case newer(version: Int64, known: Int64)
    /// The file is somebody else's.
    case foreign
    /// The file was moved or removed under the journal.
    case moved

    // Faults of one request.

    /// No entry with this number that has not ended.
    case notRunning(number: Int64)
    /// The number or key of an entry, or the id of a message, stands in the journal already.
    case taken
    /// A message of more bytes than its class may hold.
    case tooLarge
    /// Too many requests wait for the disk.
    case busy
    /// The journal is not open yet, or is being closed.
    case closed

    /// What an `errno` means here, and SQLite's code where it failed.
    static func system(_ errno: Int32, code: Int32 = 0) -> JournalFailure {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS: .readOnly
        default: .inputOutput(code: code, errno: errno)
        }
    }

    /// Whether only a restart, or somebody's hand, can help.
    package var isPermanent: Bool {
        switch self {
        case .damaged, .newer, .foreign, .moved: true
        default: false
        }
    }

    /// Whether the journal as a whole is at fault, not the request.
    package var isOfStore: Bool {
        switch self {
        case .notRunning, .taken, .tooLarge, .busy, .closed: false
        default: true
        }
    }

    package var description: String {
        switch self {
        case .full: "the disk is full, or the journal at its bound"
        case .readOnly: "the journal may only be read"
        case .inputOutput(let code, let errno):
            "the disk refused access to the journal (SQLite \(code)\(errno == 0 ? "" : ", " + Self.text(errno)))"
        case .slow: "the disk has not answered in time"
        case .inUse: "another process uses the journal"
        case .damaged(let what): "the journal is damaged (\(what)); move it away to start a new one"
        case .newer(let version, let known):
            "the journal has schema version \(version), this agent knows versions up to \(known); "
                + "install the newer version, or move the journal away to start a new one"
        case .foreign: "the file is not a journal of this agent"
        case .moved: "the journal was moved or removed"
        case .notRunning(let number): "no command \(number) is waiting or running"
        case .taken: "the number or key is taken"
        case .tooLarge: "the message is larger than its class may hold"
        case .busy: "too much waits for the disk"
        case .closed: "the journal is closed"
        }
    }

    private static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}

/// How a journal is.
package enum JournalState: Equatable, Sendable {
    /// Not open yet: requests are refused.
    case opening
    case working
    /// Nothing new is accepted; what has been accepted may still end where the fault lets it.
    case failed(JournalFailure)
    case closed
}
