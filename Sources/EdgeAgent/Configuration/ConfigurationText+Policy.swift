import BleCore

extension ConfigurationText {
    /// The rules as lines that can be read again.
    static func lines(_ policy: Policy) -> [String] {
        policy.rules.flatMap { rule in
            var pairs: [(name: String, values: [String])] = [(rule.effect.rawValue, rule.verbs.map(\.text))]
            let lists = [
                ("callers", rule.callers?.map(\.text)), ("devices", rule.devices?.map(\.text)),
                ("services", rule.services?.map(\.description)),
                ("characteristics", rule.characteristics?.map(\.description)),
            ]
            for (name, values) in lists { if let values { pairs.append((name, values)) } }
            var lines = pairs.map { "\($0.name): [" + $0.values.map(scalar).joined(separator: ", ") + "]" }
            if rule.isForAll { lines.append("all: true") }
            return lines.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
        }
    }
}
