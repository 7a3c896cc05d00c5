internal import EdgeAgent
internal import Glibc
internal import Synchronization

/// Where a command prints: results to the standard output, the rest to the standard error.
///
/// Nothing that came over MQTT reaches a terminal unescaped.
package final class ControlOutput: Sendable {
    /// Whether results are printed as JSON.
    let isJSON: Bool
    /// Whether somebody looks at the standard output.
    let isTerminal: Bool
    private let showsProgress: Bool
    private let progress = Mutex("")
    private let isBroken = Mutex(false)

    init(isJSON: Bool) {
        self.isJSON = isJSON
        isTerminal = isatty(STDOUT_FILENO) == 1
        showsProgress = isatty(STDERR_FILENO) == 1 && !isJSON
    }

    /// Whether the reader of the standard output has gone: then there is nobody to go on for.
    var isReaderGone: Bool { isBroken.withLock(\.self) }

    /// Prints a line.
    func line(_ text: String) { raw(text + "\n") }

    /// Prints the bytes of a JSON text and ends the line.
    func json(_ bytes: [UInt8]) { raw(String(decoding: bytes, as: UTF8.self) + "\n") }

    /// Prints as it is, terminal controls too.
    func raw(_ text: String) {
        clearProgress()
        if !StandardStream.output(text) { isBroken.withLock { $0 = true } }
    }

    /// Tells the person, beside the result.
    func note(_ text: String) {
        clearProgress()
        StandardStream.error("edge-agent ctl: \(text)\n")
    }

    /// Asks for an answer on the same line.
    func ask(_ text: String) {
        clearProgress()
        StandardStream.error("\(text) ")
    }

    /// Shows how far a command is, on one line of a terminal that the next one replaces.
    func progress(_ text: String) {
        guard showsProgress else { return }
        let changed = progress.withLock { shown in
            defer { shown = text }
            return shown != text
        }
        if changed { StandardStream.error("\r\u{1B}[K\(Cell.plain(text).prefix(Self.columns - 1))") }
    }

    /// Takes the line away.
    func clearProgress() {
        let wasShown = progress.withLock { shown in
            defer { shown = "" }
            return !shown.isEmpty
        }
        if wasShown { StandardStream.error("\r\u{1B}[K") }
    }

    /// The terminal's width; 80 where it is not known.
    static var columns: Int { size.columns }
    /// The terminal's height; 24 where it is not known.
    static var rows: Int { size.rows }

    private static var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 2, size.ws_col > 10 else {
            return (24, 80)
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }
}
