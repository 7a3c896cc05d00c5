/// What to tell somebody who wrote a key that does not exist.
enum ConfigurationHint {
    /// The words behind "unknown key": a likely cause or the nearest name; empty when nothing is near.
    static func text(forUnknown name: String, in section: String) -> String {
        if let known = causes[name.lowercased()] { return ": " + known }
        let siblings = ConfigurationKey.all.filter { $0.section == section }.map(\.name)
        let subsections = ConfigurationKey.sections.filter { parent(of: $0) == section }.map { lastPart(of: $0) }
        let near = didYouMean(
            name,
            in: siblings + subsections + (section.isEmpty ? ["devices", "groups", "policy"] : [])
        )
        guard near.isEmpty else { return near }
        // The right name in the wrong section.
        guard let key = ConfigurationKey.all.first(where: { $0.name == name }) else { return "" }
        return ": did you mean \(key.path)?"
    }

    /// `: did you mean …?` or nothing.
    static func didYouMean(_ name: String, in candidates: [String]) -> String {
        Suggestion.nearest(to: name, in: candidates).map { ": did you mean \($0)?" } ?? ""
    }

    private static let causes: [String: String] = {
        let broker = "the broker is set as a whole with broker: mqtt[s]://[user@]host[:port]"
        let password = "a password is never written here: put it into a file and name that with mqtt.passwordFile"
        return [
            "password": password, "pass": password, "passwd": password, "secret": password,
            "host": broker, "hostname": broker, "server": broker, "url": broker, "port": broker,
            "tls": "TLS is on with broker: mqtts://host[:port]; mqtt.caFile, mqtt.certificateFile, mqtt.keyFile and "
                + "mqtt.tlsMinimum refine it",
            "ssl": "TLS is on with broker: mqtts://host[:port]",
            "user": "did you mean mqtt.username?",
            "<<": "merge keys are not accepted",
        ]
    }()

    private static func parent(of section: String) -> String {
        section.split(separator: ".").dropLast().joined(separator: ".")
    }

    private static func lastPart(of section: String) -> String {
        section.split(separator: ".").last.map(String.init) ?? ""
    }
}
