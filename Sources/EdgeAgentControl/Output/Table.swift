internal import EdgeAgent

/// Texts for a terminal: on one line, and without controls.
enum Cell {
    /// The text with everything escaped that could move the cursor.
    static func plain(_ text: String, limit: Int = 512) -> String {
        var bytes: [UInt8] = []
        let isWhole = LogText.appendEscaped(text, to: &bytes, limit: limit, isBare: true)
        return String(decoding: bytes, as: UTF8.self) + (isWhole ? "" : "…")
    }

    /// A member as a cell: `-` when it is missing or null.
    static func of(_ value: JSONValue?, limit: Int = 64) -> String {
        switch value {
        case nil, .null: "-"
        case .string(let text): text.isEmpty ? "-" : plain(text, limit: limit)
        case .bool(let flag): flag ? "yes" : "no"
        case .integer(let number): String(number)
        case .some(let value): plain(JSONWriter.text(value), limit: limit)
        }
    }

    /// The time of day of an RFC 3339 text, to the second.
    static func time(_ value: JSONValue?) -> String {
        guard let text = value?.string, text.utf8.count >= 19 else { return of(value) }
        return plain(String(text.dropFirst(11).prefix(8)))
    }
}

/// Rows under a heading, in columns as wide as their widest cell.
struct Table {
    let heading: [String]
    var rows: [[String]] = []

    init(_ heading: String...) { self.heading = heading }

    /// The lines, the heading first.
    var lines: [String] {
        let all = [heading] + rows
        let widths = heading.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
