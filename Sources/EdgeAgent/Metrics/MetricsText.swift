internal import Frames

/// Builds a page of figures in Prometheus' text format.
///
/// Each family is written whole, with its help and type, before the next; names follow Prometheus' conventions: base
/// units, `_total` for what only grows.
package struct MetricsText {
    package enum Kind: String, Sendable { case counter, gauge }

    /// What the endpoint says that the page is.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []

    package init() { bytes.reserveCapacity(8192) }

    /// Writes a family of one value.
    package mutating func add(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double) {
        family(name, kind, help) { $0.sample(value) }
    }

    /// Writes a family of one whole number.
    package mutating func add(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: some BinaryInteger) {
        add(name, kind, help, Double(value))
    }

    /// Writes a family of one truth value, as 1 or 0.
    package mutating func add(_ name: StaticString, _ help: StaticString, _ value: Bool) {
        add(name, .gauge, help, value ? 1 : 0)
    }

    /// Writes a family with the samples that the body adds.
    package mutating func family(
        _ name: StaticString,
        _ kind: Kind,
        _ help: StaticString,
        _ body: (inout Family) -> Void
    ) {
        put("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        var family = Family(name: "\(name)", text: "")
        body(&family)
        put(family.text)
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// The samples of one family.
    package struct Family {
        fileprivate let name: String
        fileprivate var text: String

        /// Adds a sample; a label's value is escaped.
        package mutating func sample(_ value: Double, _ labels: [(name: StaticString, value: String)] = []) {
            let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += "\(name)\(list.isEmpty ? "" : "{\(list)}") \(plainDecimal(value))\n"
        }

        private static func escaped(_ text: String) -> String {
            var out = ""
            for character in text.unicodeScalars {
                switch character {
                case "\\": out += "\\\\"
                case "\"": out += "\\\""
                case "\n": out += "\\n"
                default: out.unicodeScalars.append(character)
                }
            }
            return out
        }
    }
}
