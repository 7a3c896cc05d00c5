/// How an event becomes a line.
package enum LogFormat: Sendable, Equatable {
    /// `<6>mqtt: Connected broker=localhost`: journald takes the number as priority and adds the time itself.
    case journal
    /// `2026-10-01T10:00:00.123Z info mqtt: Connected broker=localhost`: for people and plain files.
    case text

    /// The most bytes of a line with its newline: what a pipe takes in one piece, so that lines never interleave.
    package static let maximumLineBytes = 4096

    /// The line with its newline, never longer than ``maximumLineBytes``.
    package func line(for event: LogEvent, at time: UTCTime) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(160)
        switch self {
        case .journal:
            line.append(contentsOf: "<\(event.level.rawValue)>".utf8)
        case .text:
            time.append(to: &line)
            line.append(contentsOf: " \(event.level.name) ".utf8)
        }
        _ = LogText.appendEscaped(event.label, to: &line, limit: 64)
        line.append(contentsOf: ": ".utf8)
        _ = LogText.appendEscaped(event.message, to: &line, limit: 512)
        // Bytes of a payload are for debugging alone, whoever logs them.
        for (key, value) in event.metadata where key != .payload || event.level == .debug {
            let before = line.count
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: key.name.utf8)
            line.append(UInt8(ascii: "="))
            LogText.appendValue(value, to: &line)
            // Room is kept for the mark and the newline.
            if line.count > LogFormat.maximumLineBytes - 5 {
                line.removeSubrange(before...)
                line.append(contentsOf: " …".utf8)
                break
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }
}
