import EventLoop
import Foundation
import Glibc
import Journal
import TestSupport
import Testing

/// A directory of a test, gone after it.
func withDirectory<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    var template = Array("/tmp/journal-test-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw SystemFailure("mkdtemp") }
    defer { remove(directory: path) }
    return try await body(path)
}

private func remove(directory: String) {
    // What stays behind in /tmp harms nobody; a file system in it may be busy for a moment longer.
    try? FileManager.default.removeItem(atPath: directory)
}

/// Opens a journal on a loop of its own, and closes it after the body.
func withJournal<Value>(
    _ settings: JournalSettings,
    _ body: (TestJournal) async throws -> Value
) async throws -> Value {
    let loop = try EventLoop.startThread()
    defer { loop.stop() }
    let journal = try await TestJournal(settings, loop)
    do {
        let value = try await body(journal)
        await journal.close()
        return value
    } catch {
        await journal.close()
        throw error
    }
}

/// A journal as tests use it: each call goes to the loop and waits for what comes of it.
final class TestJournal: @unchecked Sendable {
    // Safe because: `store` is touched in closures on the loop alone.
    let store: JournalStore
    let loop: EventLoop
    /// Each state that it took.
    let states = Log<JournalState>()

    init(_ settings: JournalSettings, _ loop: EventLoop) async throws {
        store = JournalStore(settings, loop: loop)
        self.loop = loop
        await onLoop { [self] in
            store.onState = { [states] in states.append($0) }
            store.open()
        }
        // The first state says whether it could be opened.
        _ = try await states.first(1)
    }

    func onLoop<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await handedOver { done in
            loop.execute { done(work()) }
        }
    }

    /// Makes a request and waits for its completion.
    func ask<Value: Sendable>(
        _ request:
            @escaping @Sendable (JournalStore, @escaping @Sendable (Result<Value, JournalFailure>) -> Void) -> Void
    ) async -> Result<Value, JournalFailure> {
        await handedOver { done in
            loop.execute { [self] in request(store, done) }
        }
    }

    var state: JournalState { get async { await onLoop { [self] in store.state } } }

    /// Waits until it is in a state.
    func wait(for wanted: JournalState) async throws {
        while true {
            let seen = states.all.count
            if await state == wanted { return }
            _ = try await states.first(seen + 1)
        }
    }

    var summary: JournalSummary? { get async { await onLoop { [self] in store.summary } } }
    var figures: JournalFigures { get async { await onLoop { [self] in store.figures } } }
    func newNumber() async -> Int64 { await onLoop { [self] in store.newNumber() } }
    func newMessageID() async -> Int64 { await onLoop { [self] in store.newMessageID() } }

    @discardableResult
    func close(within patience: Duration = .seconds(20)) async -> Bool {
        await handedOver { done in
            loop.execute { [self] in store.close(within: patience, done) }
        }
    }

    // MARK: Commands

    func accept(_ entry: JournalEntry) async throws -> JournalAdmission {
        try await ask { $0.accept(entry, $1) }.get()
    }

    func begin(_ number: Int64) async throws { try await ask { $0.begin(number, $1) }.get() }

    func addReply(_ reply: [UInt8], to number: Int64) async throws {
        try await ask { $0.addReply(reply, to: number, $1) }.get()
    }

    func end(_ number: Int64, answer: [UInt8], publications: [OutboxMessage] = []) async throws {
        try await ask { $0.end(number, answer: answer, publications: publications, $1) }.get()
    }

    func record(
        _ entry: JournalEntry,
        answer: [UInt8],
        publications: [OutboxMessage] = []
    ) async throws -> JournalAdmission {
        try await ask { $0.record(entry, answer: answer, publications: publications, $1) }.get()
    }

    func find(_ key: JournalKey) async throws -> JournalEntry? { try await ask { $0.find(key, $1) }.get() }

    /// All pages of entries.
    func entries(_ filter: JournalFilter, limit: Int = 256, bytes: Int = 1 << 20) async throws -> [JournalEntry] {
        var all: [JournalEntry] = []
        while true {
            let after = all.last?.number ?? 0
            let page = try await ask { $0.entries(filter, after: after, limit: limit, bytes: bytes, $1) }.get()
            if page.isEmpty { return all }
            #expect(page.count <= limit)
            all += page
        }
    }

    // MARK: Outbox

    func append(_ message: OutboxMessage) async throws { try await ask { $0.append(message, $1) }.get() }

    func remove(_ ids: [Int64]) async throws { try await ask { $0.remove(ids, $1) }.get() }

    /// All pages of messages.
    func messages(limit: Int = 256, bytes: Int = 1 << 20) async throws -> [OutboxMessage] {
        var all: [OutboxMessage] = []
        while true {
            let after = all.last?.id ?? 0
            let page = try await ask { $0.messages(after: after, limit: limit, bytes: bytes, $1) }.get()
            if page.isEmpty { return all }
            #expect(page.count <= limit)
            all += page
        }
    }
}

/// What requests throw, for comparison.
func failure(_ work: () async throws -> Void) async -> JournalFailure? {
    do {
        try await work()
        return nil
    } catch {
        return error as? JournalFailure
    }
}

/// An entry with content that follows from its number.
func entry(
    _ number: Int64,
    client: String = "anna",
    id: String? = nil,
    isBegun: Bool = false,
    requestBytes: Int = 40,
    createdMs: Int64 = 1_000_000,
    windowEndsMs: Int64 = .max
) -> JournalEntry {
    JournalEntry(
        number: number,
        key: JournalKey(client: client, isIdentified: true, id: id ?? "id-\(number)"),
        fingerprint: content(number, 32),
        request: content(number &+ 1, requestBytes),
        isBegun: isBegun,
        createdMs: createdMs,
        expiresMs: createdMs + 600_000,
        windowEndsMs: windowEndsMs
    )
}

/// The time at which messages are made that no test grows old.
private let now = JournalClock.system.wallMs()

/// A message with content that follows from its id.
func message(
    _ id: Int64,
    _ messageClass: OutboxClass,
    bytes: Int = 50,
    createdMs: Int64 = now
) -> OutboxMessage {
    OutboxMessage(
        id: id,
        messageClass: messageClass,
        createdMs: createdMs,
        head: content(id, 20),
        payload: content(id &+ 7, bytes)
    )
}

/// Bytes that follow from a seed.
func content(_ seed: Int64, _ count: Int) -> [UInt8] {
    (0..<Int64(count)).map { UInt8(truncatingIfNeeded: (seed &+ 1) &* 31 &+ $0 &* 7) }
}

/// The bytes of a file.
func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

/// Clocks that a test moves.
final class ManualClocks: Sendable {
    private let state: Locked<(wall: Int64, steady: Int64)>

    init(wallMs: Int64) { state = Locked((wallMs, 5000)) }

    var clock: JournalClock {
        JournalClock(
            wallMs: { [state] in state.withLock { $0.wall } },
            steadyMs: { [state] in state.withLock { $0.steady } }
        )
    }

    /// Lets time go by.
    func pass(_ milliseconds: Int64) {
        state.withLock { $0 = ($0.wall + milliseconds, $0.steady + milliseconds) }
    }

    /// Sets the wall clock.
    func set(_ wallMs: Int64) { state.withLock { $0.wall = wallMs } }
}
