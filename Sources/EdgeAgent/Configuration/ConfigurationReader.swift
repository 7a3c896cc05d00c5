internal import YAML

/// Puts a configuration together from the defaults, a file and flags, and collects everything that is wrong.
///
/// A value that is refused leaves its default in place, so that reading goes on and all problems come out together.
package struct ConfigurationReader: Sendable {
    /// The values so far; of use only while ``problems`` is empty.
    package internal(set) var configuration: Configuration
    /// What was wrong, in the order of the file, then of the flags.
    package internal(set) var problems: [ConfigurationProblem] = []
    /// What is not wrong but worth a line in the log; as bounded and free of secrets as a problem.
    package internal(set) var warnings: [ConfigurationProblem] = []

    /// After so many problems reading ends: the file is no configuration.
    package static let maximumProblems = 100

    /// Who set a key, by its path.
    var origins: [String: ConfigurationProblem.Origin] = [:]
    /// The keys whose value was refused: no check of theirs against others makes sense.
    var refused: Set<String> = []
    /// The aliases that the policy relies on, to be looked up when the devices are known.
    var policyAliases: [PolicyAlias] = []

    /// Whether what is read came over MQTT: then only what may be changed so is taken.
    var isRemote = false

    /// Where each member of a group stands.
    var memberOrigins: [GroupMember] = []

    /// Why a key is not taken over MQTT.
    package static let notRemote = "cannot be changed over MQTT: the gateway's own file alone sets it"

    /// Starts with a configuration that has been checked, for what is asked for over MQTT.
    init(over base: Configuration) {
        configuration = base
        isRemote = true
    }

    /// Starts with the defaults.
    package init(defaultGateway: String) { configuration = Configuration(gateway: defaultGateway) }

    /// Reads the content of a YAML file; `path` is its name in problems.
    package mutating func read(yaml bytes: [UInt8], path: String) {
        do throws(YAMLDocument.Failure) {
            guard let root = try YAMLDocument.parse(bytes), !root.isNull else { return }
            guard case .mapping(let pairs) = root.content else {
                let message = "expected keys with values, as \"gateway: shop-3\", found \(root.kindName)"
                problems.append(ConfigurationProblem(.file(path, line: root.line), key: nil, message))
                return
            }
            readSection("", pairs, file: path)
        } catch {
            problems.append(ConfigurationProblem(.file(path, line: error.line), key: nil, error.message))
        }
    }

    /// Takes the value of a flag, which goes before the file's; a relative path counts from the working directory.
    package mutating func read(flag: String, value: String) {
        guard let key = ConfigurationKey.all.first(where: { $0.flag == flag }) else {
            problems.append(ConfigurationProblem(.flag(flag), key: nil, "unknown flag"))
            return
        }
        let isRelativePath = key.form == .path && !value.isEmpty && !value.hasPrefix("/")
        let text = isRelativePath ? WorkingDirectory.path + "/" + value : value
        take(ConfigurationKey.Scalar(text: text, quoted: false), for: key, from: .flag(flag))
    }

    mutating func readSection(_ section: String, _ pairs: [YAMLNode.Pair], file: String) {
        var lines: [String: Int] = [:]
        for pair in pairs {
            guard problems.count < ConfigurationReader.maximumProblems else { return }
            let origin = ConfigurationProblem.Origin.file(file, line: pair.key.line)
            guard case .scalar(let name, _) = pair.key.content else {
                let place = section.isEmpty ? nil : section
                problems.append(ConfigurationProblem(origin, key: place, "a key must be a single word"))
                continue
            }
            let path = section.isEmpty ? name : "\(section).\(name)"
            if let first = lines[name] {
                report(origin, key: path, "stands twice, first in line \(first)")
                continue
            }
            lines[name] = pair.key.line
            if isRemote, ConfigurationKey.remoteChange(of: path) == .never {
                report(origin, key: path, Self.notRemote)
                continue
            }
            if let key = ConfigurationKey.all.first(where: { $0.path == path }) {
                readValue(pair.value, for: key, from: origin)
            } else if ConfigurationKey.sections.contains(path) {
                readSubsection(path, pair.value, from: origin, file: file)
            } else if path == "devices" {
                readDevices(pair.value, from: origin, file: file)
            } else if path == "groups" {
                readGroups(pair.value, from: origin, file: file)
            } else if path == "policy" {
                readPolicy(pair.value, from: origin, file: file)
            } else {
                report(origin, key: path, "unknown key" + ConfigurationHint.text(forUnknown: name, in: section))
            }
        }
    }

    private mutating func readSubsection(
        _ path: String,
        _ value: YAMLNode,
        from origin: ConfigurationProblem.Origin,
        file: String
    ) {
        switch value.content {
        case .mapping(let pairs): readSection(path, pairs, file: file)
        // A section of which every line is commented out.
        case _ where value.isNull: break
        case .refused(let reason): report(origin, key: path, reason)
        default: report(origin, key: path, "expected a section of keys, found \(value.kindName)")
        }
    }

    private mutating func readValue(
        _ value: YAMLNode,
        for key: ConfigurationKey,
        from origin: ConfigurationProblem.Origin
    ) {
        switch value.content {
        case .scalar(let text, let quoted):
            if value.isNull {
                refuse(origin, key: key.path, "has no value: leave the key out for its default, else \(key.expected)")
            } else {
                take(ConfigurationKey.Scalar(text: text, quoted: quoted), for: key, from: origin)
            }
        case .refused(let reason): refuse(origin, key: key.path, reason)
        case .sequence(let entries) where key.readList != nil: readList(entries, for: key, from: origin)
        default: refuse(origin, key: key.path, "expected \(key.expected), found \(value.kindName)")
        }
    }

    private mutating func readList(
        _ entries: [YAMLNode],
        for key: ConfigurationKey,
        from origin: ConfigurationProblem.Origin
    ) {
        let texts = entries.compactMap { entry -> String? in
            if case .scalar(let text, _) = entry.content { text } else { nil }
        }
        guard texts.count == entries.count, let read = key.readList else {
            return refuse(origin, key: key.path, "expected \(key.expected), found a list of other things")
        }
        switch read(texts, &configuration) {
        case nil:
            origins[key.path] = origin
            refused.remove(key.path)
        case .mismatch: refuse(origin, key: key.path, "expected \(key.expected)")
        case .explained(let explanation): refuse(origin, key: key.path, explanation)
        }
    }

    private mutating func take(
        _ scalar: ConfigurationKey.Scalar,
        for key: ConfigurationKey,
        from origin: ConfigurationProblem.Origin
    ) {
        switch key.read(scalar, &configuration) {
        case nil:
            origins[key.path] = origin
            // A flag mends what the file has wrong, for later checks; the file's problem stays reported.
            refused.remove(key.path)
        case .mismatch:
            // Somebody may have written the password where its file's name belongs.
            let found = key.form == .path ? "" : ", found \(LogText.quoted(scalar.text))"
            let quotes = scalar.quoted && key.form == .plain ? " without quotes" : ""
            refuse(origin, key: key.path, "expected \(key.expected)\(quotes)\(found)")
        case .explained(let explanation):
            refuse(origin, key: key.path, explanation)
        }
    }

    /// Adds a problem of a key in the table.
    mutating func refuse(_ origin: ConfigurationProblem.Origin, key: String, _ message: String) {
        refused.insert(key)
        problems.append(ConfigurationProblem(origin, key: key, message))
    }

    /// Adds a problem whose key may be any text of the file.
    mutating func report(_ origin: ConfigurationProblem.Origin, key: String, _ message: String) {
        var text: [UInt8] = []
        if !LogText.appendEscaped(key, to: &text, limit: 96) { text.append(contentsOf: "…".utf8) }
        problems.append(ConfigurationProblem(origin, key: String(decoding: text, as: UTF8.self), message))
    }
}

extension ConfigurationKey {
    /// The paths of all sections.
    static let sections: Set<String> = Set(all.map(\.section)).subtracting([""])
}
