internal import YAML

extension ConfigurationReader {
    /// Puts what is asked for over MQTT on top of a configuration that has been checked; both are of one form.
    ///
    /// - Parameters:
    ///   - desired: The keys of the file as JSON, as `{"mqtt":{"keepAliveSeconds":60}}`.
    ///   - base: What file, flags and defaults say.
    /// - Returns: The whole, or everything that is wrong with it.
    package static func combine(
        _ desired: JSONObject,
        over base: Configuration
    ) -> Result<Configuration, RemoteProblems> {
        var reader = ConfigurationReader(over: base)
        reader.read(desired)
        return reader.problems.isEmpty ? .success(reader.configuration) : .failure(RemoteProblems(reader.problems))
    }

    private mutating func read(_ desired: JSONObject) {
        let base = configuration
        let names = Set(desired.entries.map(\.key))
        if names.contains("devices") {
            configuration.devices = []
            // A rule goes by names: another name for a device, or another device of a name, would go round it.
            if base.policy?.namesDevices == true {
                report(
                    .defaults,
                    key: "devices",
                    "cannot be changed over MQTT while a rule of the policy names devices"
                )
            }
        }
        if names.contains("groups") { configuration.groups = [] }
        readSection("", desired.pairs, file: "")
        guard problems.isEmpty else { return }
        if !names.contains("groups") { keepMembers() }
        checkBounds()
        checkGroups()
    }

    /// The groups of the file have to be right with the devices that were asked for.
    private mutating func keepMembers() {
        for group in configuration.groups {
            for (index, member) in group.members.enumerated() {
                let path = "groups.\(group.name)[\(index)]"
                memberOrigins.append(GroupMember(group: group.name, text: member, path: path, origin: .defaults))
            }
        }
    }
}

/// Everything that is wrong with what was asked for over MQTT.
package struct RemoteProblems: Error, Sendable, Equatable {
    /// One thing: the key's path, nil for the whole; and what is wrong and expected.
    package struct Problem: Sendable, Equatable {
        package var key: String?
        package var text: String

        package init(key: String?, _ text: String) {
            self.key = key
            self.text = text
        }
    }

    package var list: [Problem]

    package init(_ list: [Problem]) { self.list = list }

    init(_ problems: [ConfigurationProblem]) {
        list = problems.map { Problem(key: $0.key, $0.message) }
    }
}

extension Policy {
    /// Whether a rule goes by the names of devices.
    var namesDevices: Bool {
        rules.contains { rule in rule.devices?.contains { $0 != .gateway } == true }
    }
}

extension JSONObject {
    /// The same as a section of the file.
    fileprivate var pairs: [YAMLNode.Pair] {
        entries.map { YAMLNode.Pair(key: YAMLNode(.scalar($0.key, quoted: true)), value: $0.value.node) }
    }
}

extension JSONValue {
    /// The same as it would stand in the file.
    fileprivate var node: YAMLNode {
        switch self {
        case .null: YAMLNode(.scalar("null", quoted: false))
        case .bool(let value): YAMLNode(.scalar(value ? "true" : "false", quoted: false))
        case .integer(let value): YAMLNode(.scalar(String(value), quoted: false))
        case .real(let value): YAMLNode(.scalar("\(value)", quoted: false))
        case .string(let text): YAMLNode(.scalar(text, quoted: true))
        case .array(let elements): YAMLNode(.sequence(elements.map(\.node)))
        case .object(let object): YAMLNode(.mapping(object.pairs))
        }
    }
}
