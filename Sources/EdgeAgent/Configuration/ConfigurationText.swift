internal import BleCore
internal import Cryptography
internal import Frames

/// The effective configuration as text: what `check-config` prints and what the configuration's hash covers.
package enum ConfigurationText {
    /// A YAML file that sets every value; it can be read again, and holds no secret.
    package static func yaml(_ configuration: Configuration) -> String {
        var lines: [String] = []
        var section: [Substring] = []
        for key in ConfigurationKey.all {
            guard let value = key.show(configuration) else { continue }
            let parts = key.path.split(separator: ".").dropLast()
            let common = zip(section, parts).prefix { $0 == $1 }.count
            for (depth, name) in parts.enumerated().dropFirst(common) {
                if depth == 0 { lines.append("") }
                lines.append(indent(depth) + name + ":")
            }
            section = Array(parts)
            lines.append(indent(parts.count) + key.name + ": " + (key.form == .plain ? value : scalar(value)))
            if key.path == "mqtt.passwordFile", let password = configuration.mqtt.password {
                lines.append(indent(parts.count) + "# its content: \(password)")
            }
        }
        if !configuration.devices.isEmpty { lines += ["", "devices:"] }
        for device in configuration.devices {
            lines.append("  - address: " + scalar(device.address))
            lines.append("    alias: " + scalar(device.alias))
            if let name = device.name { lines.append("    name: " + scalar(name)) }
            if let interval = device.interval { lines.append("    intervalMs: \(interval.milliseconds)") }
            if let profile = device.profile { lines.append("    profile: " + scalar(profile)) }
            if device.isShared { lines.append("    shared: true") }
            if let owner = device.owner { lines.append("    owner: " + scalar(owner)) }
            lines += self.lines(device.link)
        }
        if !configuration.groups.isEmpty { lines += ["", "groups:"] }
        for group in configuration.groups {
            let members = group.members.map { scalar($0) }.joined(separator: ", ")
            lines.append("  \(scalar(group.name)): [\(members)]")
        }
        if let policy = configuration.policy { lines += ["", "policy:"] + self.lines(policy) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ link: LinkSettings) -> [String] {
        guard !link.isEmpty else { return [] }
        let values = [
            ("policy", link.policy?.rawValue), ("idleMs", link.idle.map { String($0.milliseconds) }),
            ("maxAttempts", link.maxAttempts.map { String($0) }), ("rssiMin", link.rssiMin.map { String($0) }),
        ]
        return ["    link:"] + values.compactMap { name, value in value.map { "      \(name): \($0)" } }
    }

    /// SHA-256 of ``yaml(_:)`` in lower-case hex digits: equal for configurations that mean the same.
    package static func hash(_ configuration: Configuration) -> String {
        Hex.text(Digest.sha256(Array(yaml(configuration).utf8)))
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    private static let ambiguous: Set<String> = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"]

    /// A text as an entry of a list in brackets.
    static func listed(_ text: String) -> String {
        let written = scalar(text)
        let isPlain = written.utf8.allSatisfy { !"[],{}".utf8.contains($0) }
        return isPlain || written.hasPrefix("\"") ? written : "\"\(written)\""
    }

    /// A text as a YAML scalar: bare when no reader could take it for anything else, else in double quotes.
    static func scalar(_ text: String) -> String {
        let bytes = text.utf8
        let isBare =
            bytes.first.map { isLetter($0) || $0 == UInt8(ascii: "/") } == true
            && bytes.allSatisfy { isLetter($0) || ($0 >= 0x30 && $0 <= 0x39) || "/_.:@%-[]~".utf8.contains($0) }
            && bytes.last != UInt8(ascii: ":") && !ambiguous.contains(text.lowercased())
        guard !isBare else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            default:
                // YAML allows most characters as they are; what a terminal might act on is escaped.
                if scalar.properties.generalCategory.isSafe {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
                }
            }
        }
        return quoted + "\""
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
}

extension Unicode.GeneralCategory {
    fileprivate var isSafe: Bool {
        switch self {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
