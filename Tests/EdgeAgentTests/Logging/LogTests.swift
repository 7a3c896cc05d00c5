import EdgeAgent
import Foundation
import Synchronization
import Testing

/// Keeps events as the lines of a text log, without their time.
final class CollectingSink: LogSink {
    private let lines = Mutex<[String]>([])

    func write(_ event: LogEvent) {
        let line = LogFormat.text.line(for: event, at: UTCTime(millisecondsSince1970: 0))
        lines.withLock { $0.append(String(decoding: line.dropFirst(25).dropLast(), as: UTF8.self)) }
    }

    var all: [String] { lines.withLock { $0 } }
}

@Suite(.timeLimit(.minutes(10)))
struct LogTests {
    @Test func `an event is a level, a label, a sentence and its values in order`() {
        let sink = CollectingSink()
        let log = Log(sink: sink).labelled("mqtt")
        log.info("Connected", [.topic: "b", .client: "a", .topic: "c d"])
        #expect(sink.all == ["info mqtt: Connected topic=b client=a topic=\"c d\""])
    }

    @Test func `copies share a level that changes while they run`() {
        let sink = CollectingSink()
        let log = Log(level: .warning, sink: sink)
        let copy = log.labelled("bluetooth")
        copy.info("Before")
        log.setLevel(.debug)
        copy.debug("After")
        log.setLevel(.error)
        copy.warning("Too late")
        #expect(sink.all == ["debug bluetooth: After"])
        #expect(copy.level == .error)
    }

    @Test func `values are not made for an event that is not written`() {
        var made = 0
        func value() -> String {
            made += 1
            return "x"
        }
        let log = Log(level: .info, sink: CollectingSink())
        log.debug("Bytes", [.payload: value()])
        #expect(made == 0)
        log.info("Bytes", [.payload: value()])
        #expect(made == 1)
    }

    @Test(arguments: [
        ("word", "word"),
        ("", "\"\""),
        ("a b", "\"a b\""),
        ("a=b", "\"a=b\""),
        ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ("back\\slash", "\"back\\\\slash\""),
        ("two\nlines\r", "\"two\\nlines\\r\""),
        ("tab\there", "\"tab\\there\""),
        ("nul\0", "\"nul\\u{0}\""),
        ("esc\u{1B}[31m", "\"esc\\u{1b}[31m\""),
        ("c1\u{85}", "\"c1\\u{85}\""),
        ("sep\u{2028}\u{2029}", "\"sep\\u{2028}\\u{2029}\""),
        ("bidi\u{202E}txt\u{2066}", "\"bidi\\u{202e}txt\\u{2066}\""),
        ("zero\u{200B}", "\"zero\\u{200b}\""),
        ("tag\u{E0041}", "\"tag\\u{e0041}\""),
        ("Küche", "\"Küche\""),
        (String(decoding: [0x61, 0xFF], as: UTF8.self), "\"a\u{FFFD}\""),
    ])
    func `a value stays on its line`(value: String, written: String) {
        var line: [UInt8] = []
        LogText.appendValue(value, to: &line)
        #expect(String(decoding: line, as: UTF8.self) == written)
    }

    @Test func `a long value is cut between characters with its size`() {
        var line: [UInt8] = []
        LogText.appendValue(String(repeating: "ü", count: 35_000), to: &line, limit: 7)
        #expect(String(decoding: line, as: UTF8.self) == "\"üüü\"…(70000 bytes)")
    }

    @Test(arguments: [LogFormat.journal, .text])
    func `a line is bounded and one whatever the values are`(format: LogFormat) {
        let long = String(repeating: "\n\u{202E}", count: 10_000)
        let event = LogEvent(
            level: .warning,
            label: long,
            message: long,
            metadata: [
                .reason: long, .error: long, .detail: long, .topic: long, .client: long, .id: long, .path: long,
                .user: long, .verb: long, .state: long, .stage: long, .code: long, .signal: long, .queue: long,
            ]
        )
        let line = format.line(for: event, at: .now)
        #expect(line.count <= LogFormat.maximumLineBytes)
        #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(line.last == UInt8(ascii: "\n"))
        #expect(String(decoding: line, as: UTF8.self).hasSuffix(" …\n"))
    }

    @Test(arguments: zip(LogLevel.allCases, ["<3>", "<4>", "<5>", "<6>", "<7>"]))
    func `journald gets the level as its priority`(level: LogLevel, prefix: String) {
        let line = LogFormat.journal.line(for: LogEvent(level: level, label: "agent", message: "Started"), at: .now)
        #expect(String(decoding: line, as: UTF8.self) == prefix + "agent: Started\n")
        #expect(LogLevel(name: level.name) == level)
    }

    @Test func `payloads are written at debug alone`() {
        let sink = CollectingSink()
        let log = Log(level: .debug, sink: sink)
        log.info("Received", [.payload: "aa01", .bytes: "2"])
        log.debug("Received", [.payload: "aa01", .bytes: "2"])
        #expect(sink.all == ["info agent: Received bytes=2", "debug agent: Received payload=aa01 bytes=2"])
    }

    @Test func `the journal is told by device and inode`() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        #expect(Journald.reads(descriptor, variable: "\(status.st_dev):\(status.st_ino)"))
        for other in ["", ":", "\(status.st_dev)", "\(status.st_dev):\(status.st_ino + 1)", "a:b", "1:2:3"] {
            #expect(!Journald.reads(descriptor, variable: other))
        }
        #expect(!Journald.reads(-1, variable: "1:2"))
    }
}
