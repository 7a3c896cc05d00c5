internal import BleCore
package import EventLoop
internal import Glibc

/// Writes events to a file of their own, a line each, off the thread that has them.
///
/// The file is opened again when another one stands at its path: what renames it may go on at once, and what cuts it off
/// in place is fine too. While it cannot be written its lines go to the fallback; when the disk does not keep up, the
/// last ones are lost and counted.
package final class AuditFile: LogSink {
    /// Who speaks in the lines.
    package static let label = "audit"
    /// The most lines that wait for the disk.
    package static let mostWaiting = 4096
    /// About as many bytes go to the disk at once.
    private static let batchBytes = 65_536

    private let path: String
    private let worker: Worker
    private let fallback: any LogSink
    private let queue = Locked(Queue())
    /// Used by the one drain that runs.
    private let handle: Locked<AuditFileHandle>

    private struct Queue {
        var waiting: [Entry] = []
        var lost = 0
        var isDraining = false
        /// Told when nothing waits any more.
        var listeners: [@Sendable () -> Void] = []
    }

    private struct Entry: Sendable {
        let event: LogEvent
        let time: UTCTime
    }

    /// Makes a sink for a path; the file is opened with the first line.
    package init(_ path: String, worker: Worker, fallback: any LogSink) {
        self.path = path
        self.worker = worker
        self.fallback = fallback
        handle = Locked(AuditFileHandle(path: path))
    }

    /// Takes one event; never waits for the disk.
    package func write(_ event: LogEvent) {
        let entry = Entry(event: event, time: .now)
        let starts = queue.withLock { queue in
            guard queue.waiting.count < Self.mostWaiting else {
                queue.lost += 1
                return false
            }
            queue.waiting.append(entry)
            defer { queue.isDraining = true }
            return !queue.isDraining
        }
        if starts { worker.start { self.drain() } }
    }

    /// Calls back, on any thread, once all that was taken before is written or given to the fallback.
    package func whenWritten(_ listener: @escaping @Sendable () -> Void) {
        let isIdle = queue.withLock { queue in
            if queue.isDraining { queue.listeners.append(listener) }
            return !queue.isDraining
        }
        if isIdle { listener() }
    }

    private func drain() {
        while true {
            let (entries, lost, listeners) = queue.withLock { queue in
                let entries = queue.waiting
                let lost = queue.lost
                queue.waiting = []
                queue.lost = 0
                guard entries.isEmpty, lost == 0 else { return (entries, lost, [@Sendable () -> Void]()) }
                queue.isDraining = false
                defer { queue.listeners = [] }
                return (entries, lost, queue.listeners)
            }
            if entries.isEmpty, lost == 0 {
                for listener in listeners { listener() }
                return
            }
            write(entries)
            if lost > 0 { write([Entry(event: Self.note(lost: lost), time: .now)]) }
        }
    }

    private func write(_ entries: [Entry]) {
        var rest = entries[...]
        while !rest.isEmpty {
            var bytes: [UInt8] = []
            var count = 0
            for entry in rest {
                guard bytes.count < Self.batchBytes else { break }
                bytes += LogFormat.text.line(for: entry.event, at: entry.time)
                count += 1
            }
            write(bytes, of: rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    private func write(_ bytes: [UInt8], of entries: ArraySlice<Entry>) {
        let (problem, wasFailing) = handle.withLock { handle in
            let wasFailing = handle.isFailing
            return (handle.write(bytes), wasFailing)
        }
        guard let problem else {
            if wasFailing { tell(.notice, "Audit file is written again", [.path: path]) }
            return
        }
        if !wasFailing {
            tell(.error, "Audit file cannot be written: its lines go here", [.path: path, .error: problem])
        }
        for entry in entries { fallback.write(entry.event) }
    }

    private func tell(_ level: LogLevel, _ message: String, _ metadata: KeyValuePairs<LogKey, String>) {
        fallback.write(LogEvent(level: level, label: Self.label, message: message, metadata: metadata))
    }

    private static func note(lost: Int) -> LogEvent {
        LogEvent(
            level: .warning,
            label: label,
            message: "Lines were lost because the disk did not keep up",
            metadata: [.dropped: String(lost)]
        )
    }
}
