import Synchronization

/// Writes events to a sink: a level, a label, a fixed sentence and named values in order.
///
/// ```swift
/// log.info("Device connected", [.device: "a1b2c3d4e5f6", .durationMs: "840"])
/// ```
///
/// Copies share one sink and one level. Values may come from anywhere; the sink keeps each event on one bounded line.
/// Bytes of a payload go out at ``LogLevel/debug`` alone, secrets never.
package struct Log: Sendable {
    /// Who speaks, as `mqtt` or `bluetooth`.
    package let label: String
    private let threshold: Threshold
    /// Where the events go.
    package let sink: any LogSink

    /// The level, shared by every copy of a log.
    private final class Threshold: Sendable {
        let level: Atomic<UInt8>

        init(_ level: LogLevel) { self.level = Atomic(level.rawValue) }
    }

    /// Makes a log of its own level.
    package init(label: String = "agent", level: LogLevel = .info, sink: any LogSink) {
        self.label = label
        self.threshold = Threshold(level)
        self.sink = sink
    }

    private init(label: String, threshold: Threshold, sink: any LogSink) {
        self.label = label
        self.threshold = threshold
        self.sink = sink
    }

    /// The same log under another label.
    package func labelled(_ label: String) -> Log { Log(label: label, threshold: threshold, sink: sink) }

    /// The most verbose level that is written.
    package var level: LogLevel { LogLevel(rawValue: threshold.level.load(ordering: .relaxed)) ?? .info }

    /// Changes the level at once, for every copy.
    package func setLevel(_ level: LogLevel) { threshold.level.store(level.rawValue, ordering: .relaxed) }

    /// Tells whether an event of that level would be written.
    package func isEnabled(_ level: LogLevel) -> Bool { level.rawValue <= threshold.level.load(ordering: .relaxed) }

    /// Writes an event; `metadata` is evaluated only when its level is written.
    package func write(
        _ level: LogLevel,
        _ message: StaticString,
        _ metadata: @autoclosure () -> KeyValuePairs<LogKey, String> = [:]
    ) {
        guard isEnabled(level) else { return }
        sink.write(LogEvent(level: level, label: label, message: message.text, metadata: metadata()))
    }

    /// Writes an event of values that are gathered first.
    package func write(_ level: LogLevel, _ message: StaticString, fields: [LogEvent.Field]) {
        guard isEnabled(level) else { return }
        sink.write(LogEvent(level: level, label: label, message: message.text, fields: fields))
    }

    /// Writes that a person must act.
    package func error(_ message: StaticString, _ metadata: @autoclosure () -> KeyValuePairs<LogKey, String> = [:]) {
        write(.error, message, metadata())
    }

    /// Writes that the agent goes on with less.
    package func warning(_ message: StaticString, _ metadata: @autoclosure () -> KeyValuePairs<LogKey, String> = [:]) {
        write(.warning, message, metadata())
    }

    /// Writes something rare that is worth seeing.
    package func notice(_ message: StaticString, _ metadata: @autoclosure () -> KeyValuePairs<LogKey, String> = [:]) {
        write(.notice, message, metadata())
    }

    /// Writes a change of state.
    package func info(_ message: StaticString, _ metadata: @autoclosure () -> KeyValuePairs<LogKey, String> = [:]) {
        write(.info, message, metadata())
    }

    /// Writes what goes over the wires.
    package func debug(_ message: StaticString, _ metadata: @autoclosure () -> KeyValuePairs<LogKey, String> = [:]) {
        write(.debug, message, metadata())
    }
}

extension StaticString {
    fileprivate var text: String { withUTF8Buffer { String(decoding: $0, as: UTF8.self) } }
}
