import Glibc
import Synchronization

/// Writes events to standard error, a line each; a closed, full or stuck stream loses lines and never stops the agent.
package final class StandardErrorSink: LogSink {
    private let descriptor: Int32
    private let format: LogFormat
    private let state = Mutex(State())

    private struct State {
        /// Lines lost since the last one that was written.
        var lost = 0
    }

    /// Makes a sink for standard error; `format` absent: ``LogFormat/journal`` when journald reads it, else text.
    package init(descriptor: Int32 = STDERR_FILENO, format: LogFormat? = nil) {
        self.descriptor = descriptor
        self.format = format ?? (Journald.reads(descriptor) ? .journal : .text)
    }

    /// Writes one line, or counts it as lost when the reader does not take it.
    package func write(_ event: LogEvent) {
        let now = UTCTime.now
        let line = format.line(for: event, at: now)
        state.withLock { state in
            // A reader that is merely slow gets a moment; one that is stuck must not hold up Bluetooth at each line.
            guard isWritable(waitingMilliseconds: state.lost == 0 ? 50 : 0) else {
                state.lost += 1
                return
            }
            if state.lost > 0 {
                let note = LogEvent(
                    level: .warning,
                    label: "log",
                    message: "Lines were lost because nobody read standard error",
                    metadata: [.dropped: String(state.lost)]
                )
                guard StandardStream.write(format.line(for: note, at: now), to: descriptor) else { return }
                state.lost = 0
            }
            if !StandardStream.write(line, to: descriptor) { state.lost += 1 }
        }
    }

    private func isWritable(waitingMilliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let ready = poll(&entry, 1, waitingMilliseconds)
        return ready > 0 && entry.revents & Int16(POLLOUT) != 0
    }
}
