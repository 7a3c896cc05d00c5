extension FieldReader {
    /// Reads the fields of `log.level`.
    mutating func logLevel() -> VerbRequest? {
        let before = problems.count
        let names = LogLevel.allCases.map(\.name).joined(separator: ", ")
        let level = form("level", expected: "one of \(names)") { text in
            LogLevel.allCases.first { $0.name == text }
        }
        let span = milliseconds("forMs", LogLevelRequest.spans)
        if level == nil, problems.count == before { problem("level", expected: "one of \(names)") }
        return level.map { .logLevel(LogLevelRequest(level: $0, span: span)) }
    }

    /// Reads the fields of `config.get`.
    mutating func configGet() -> VerbRequest {
        let names = ConfigurationContent.sections
        let section = form("section", expected: "one of \(names.joined(separator: ", "))") { text in
            names.first { $0 == text }
        }
        return .configGet(ConfigGetRequest(section: section))
    }
}
