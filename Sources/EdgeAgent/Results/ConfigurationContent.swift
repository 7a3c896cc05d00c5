import BleCore

/// The configuration that runs, as `config.get` tells it: the keys of the file as JSON, without secrets.
///
/// Of what names a secret or a way to one only `"set"` is told, of the policy only how many rules it has.
package struct ConfigurationContent: Sendable, Equatable {
    /// What is told, all or one section.
    package var configuration: Configuration
    /// The only first level that is told; nil: all.
    package var section: String?
    /// The hash of the whole, as in `info`.
    package var hash: String
    /// The paths that do not have the file's value, because of what was asked for over MQTT.
    package var changed: [String]
    /// The paths that wait for the next start.
    package var pending: [String]

    package init(
        _ configuration: Configuration,
        section: String? = nil,
        hash: String,
        changed: [String] = [],
        pending: [String] = []
    ) {
        self.configuration = configuration
        self.section = section
        self.hash = hash
        self.changed = changed
        self.pending = pending
    }

    /// The first levels that there are.
    package static let sections: [String] = {
        var names: [String] = []
        for key in ConfigurationKey.all {
            let name = String(key.path.prefix { $0 != "." })
            if !names.contains(name) { names.append(name) }
        }
        return names + ["devices", "groups", "policy"]
    }()

    var estimatedBytes: Int { 6144 + configuration.devices.count * 160 + configuration.groups.count * 128 }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.object("configuration") { writer in
            for name in Self.sections where section == nil || section == name {
                switch name {
                case "devices": writer.field("devices", array: configuration.devices) { $1.write(to: &$0) }
                case "groups":
                    writer.object("groups") { writer in
                        for group in configuration.groups {
                            writer.key(group.name)
                            writer.texts(group.members)
                        }
                    }
                case "policy":
                    guard let policy = configuration.policy else { continue }
                    writer.object("policy") { $0.field("rules", policy.rules.count) }
                default: write(name, to: &writer)
                }
            }
        }
        writer.field("hash", hash)
        writer.field("changed", texts: changed)
        writer.field("pending", texts: pending)
    }

    /// Writes a key of the first level, or a section with those below it.
    private func write(_ name: String, to writer: inout JSONWriter) {
        let keys = ConfigurationKey.all.filter { $0.path == name || $0.path.hasPrefix(name + ".") }
        if let key = keys.first, key.path == name { return write(key, as: name, to: &writer) }
        writer.key(name)
        write(keys.map { ($0.path.split(separator: ".").dropFirst(), $0) }, to: &writer)
    }

    /// Writes a section: the keys of a subsection stand together in the table.
    private func write(_ keys: [(path: ArraySlice<Substring>, key: ConfigurationKey)], to writer: inout JSONWriter) {
        writer.beginObject()
        var told: Set<Substring> = []
        for (path, key) in keys {
            guard let first = path.first, told.insert(first).inserted else { continue }
            guard path.count > 1 else {
                write(key, as: String(first), to: &writer)
                continue
            }
            writer.key(String(first))
            write(keys.filter { $0.path.first == first }.map { ($0.path.dropFirst(), $0.key) }, to: &writer)
        }
        writer.endObject()
    }

    private func write(_ key: ConfigurationKey, as name: String, to writer: inout JSONWriter) {
        guard let text = shown(key) else { return }
        writer.key(name)
        if key.isHidden {
            writer.value("set")
        } else if key.form == .plain, let number = Int64(text) {
            writer.value(number)
        } else if key.form == .plain, text == "true" || text == "false" {
            writer.value(text == "true")
        } else {
            writer.value(text)
        }
    }

    private func shown(_ key: ConfigurationKey) -> String? {
        // Who the client is has no place in a message, as in the log.
        key.path == "broker" ? configuration.broker.withoutUser.description : key.show(configuration)
    }
}

extension DeviceConfiguration {
    /// Writes the entry as the file has it.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("address", address)
        writer.field("alias", alias)
        writer.field(ifPresent: "name", name)
        writer.field(ifPresent: "intervalMs", interval.map { Int($0.milliseconds) })
        writer.field(ifPresent: "profile", profile)
        if isShared { writer.field("shared", true) }
        writer.field(ifPresent: "owner", owner)
        if !link.isEmpty {
            writer.object("link") { writer in
                writer.field(ifPresent: "policy", link.policy?.rawValue)
                writer.field(ifPresent: "idleMs", link.idle.map { Int($0.milliseconds) })
                writer.field(ifPresent: "maxAttempts", link.maxAttempts)
                writer.field(ifPresent: "rssiMin", link.rssiMin)
            }
        }
        writer.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func texts(_ texts: [String]) {
        beginArray()
        for text in texts { value(text) }
        endArray()
    }
}
