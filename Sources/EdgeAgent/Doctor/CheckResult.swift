/// What came of a check.
package enum CheckStatus: String, CaseIterable, Sendable {
    case ok
    /// It works, and something should be mended all the same.
    case warning
    case failed
    /// It could not be done, or was not asked for.
    case skipped

    /// As it stands in plain output.
    package var word: String { self == .failed ? "FAILED" : rawValue }
}

/// What a check has found.
package struct Finding: Sendable, Equatable {
    package var status: CheckStatus
    /// What is the case, one line; never holds a secret.
    package var text: String
    /// What to do: a command line to type, or a key of the configuration; nil when all is well.
    package var mend: String?

    package static func ok(_ text: String) -> Finding { Finding(status: .ok, text: text) }
    package static func warning(_ text: String, mend: String) -> Finding {
        Finding(status: .warning, text: text, mend: mend)
    }
    package static func failed(_ text: String, mend: String) -> Finding {
        Finding(status: .failed, text: text, mend: mend)
    }
    package static func skipped(_ text: String) -> Finding { Finding(status: .skipped, text: text) }
}

/// A check and what it has found.
package struct CheckResult: Sendable, Equatable {
    package var name: CheckName
    package var finding: Finding

    package init(_ name: CheckName, _ finding: Finding) {
        self.name = name
        self.finding = finding
    }

    /// One line, and a second one with what to do; ends with a newline.
    package var text: String {
        let room = String(repeating: " ", count: Self.width - name.rawValue.utf8.count)
        var text = "\(name.rawValue)\(room)\(finding.status.word): \(Self.shown(finding.text))\n"
        if let mend = finding.mend {
            text += String(repeating: " ", count: Self.width) + "mend: \(Self.shown(mend))\n"
        }
        return text
    }

    private static let width = (CheckName.allCases.map(\.rawValue.utf8.count).max() ?? 0) + 2

    /// What others have said may hold anything: it stays on its line.
    private static func shown(_ text: String) -> String {
        var bytes: [UInt8] = []
        let isWhole = LogText.appendEscaped(text, to: &bytes, limit: 1024, isBare: true)
        return String(decoding: bytes, as: UTF8.self) + (isWhole ? "" : "…")
    }

    /// About how many bytes the object will have.
    static let estimatedBytes = 320

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("name", name.rawValue)
        writer.field("status", finding.status.rawValue)
        writer.field("text", finding.text)
        writer.field(orNull: "mend", finding.mend)
        writer.endObject()
    }

    /// All of them as one JSON object on a line: `{"ok":false,"checks":[{"name":…,"status":…,"text":…,"mend":null}]}`.
    package static func json(_ results: [CheckResult]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        write(results, to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    static func write(_ results: [CheckResult], to writer: inout JSONWriter) {
        writer.field("ok", areWell(results))
        writer.field("checks", array: results) { $1.write(to: &$0) }
    }

    /// Whether nothing has failed.
    package static func areWell(_ results: [CheckResult]) -> Bool {
        results.allSatisfy { $0.finding.status != .failed }
    }
}
