internal import YAML

extension ConfigurationReader {
    /// The most groups, and the most members of one.
    static let maximumGroups = 256
    static let maximumMembers = 256

    /// Reads the mapping of groups to lists of their members.
    mutating func readGroups(_ value: YAMLNode, from origin: ConfigurationProblem.Origin, file: String) {
        switch value.content {
        case _ where value.isNull: return
        case .refused(let reason): report(origin, key: "groups", reason)
        case .mapping(let pairs):
            guard pairs.count <= Self.maximumGroups else {
                let message = "expected at most \(Self.maximumGroups) groups, found \(pairs.count)"
                report(origin, key: "groups", message)
                return
            }
            var lines: [String: Int] = [:]
            for pair in pairs where problems.count < Self.maximumProblems {
                readGroup(pair, file: file, &lines)
            }
        default:
            report(origin, key: "groups", "expected names with lists of devices, found \(value.kindName)")
        }
    }

    private mutating func readGroup(_ pair: YAMLNode.Pair, file: String, _ lines: inout [String: Int]) {
        let origin = ConfigurationProblem.Origin.file(file, line: pair.key.line)
        guard case .scalar(let name, _) = pair.key.content, GroupName(name) != nil else {
            let message = "a group's name has 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or digit"
            report(origin, key: "groups", message)
            return
        }
        let path = "groups.\(name)"
        if let first = lines[name] {
            report(origin, key: path, "stands twice, first in line \(first)")
            return
        }
        lines[name] = pair.key.line
        guard case .sequence(let entries) = pair.value.content, (1...Self.maximumMembers).contains(entries.count) else {
            let message = "expected a list of 1 to \(Self.maximumMembers) aliases or addresses"
            report(origin, key: path, "\(message), found \(Self.found(pair.value))")
            return
        }
        var members: [String] = []
        for (index, entry) in entries.enumerated() where problems.count < Self.maximumProblems {
            let place = "\(path)[\(index)]"
            let origin = ConfigurationProblem.Origin.file(file, line: entry.line)
            guard case .scalar(let text, _) = entry.content, let member = Self.member(text) else {
                report(origin, key: place, "expected an alias or a Bluetooth address")
                continue
            }
            members.append(member)
            memberOrigins.append(GroupMember(group: name, text: member, path: place, origin: origin))
        }
        configuration.groups.append(GroupConfiguration(name: name, members: members))
    }

    private static func found(_ value: YAMLNode) -> String {
        if value.isNull { return "nothing" }
        guard case .sequence(let entries) = value.content else { return value.kindName }
        return entries.isEmpty ? "an empty list" : "a list of \(entries.count)"
    }

    private static func member(_ text: String) -> String? {
        if ConfigurationPattern.isAlias(text) { return text }
        return ConfigurationPattern.address(text)
    }

    /// Sees that every alias in a group is one of `devices`, and that no device is in a group twice, by whatever name.
    mutating func checkGroups() {
        // What is wrong with a device is told there; its alias is missing for no other reason.
        guard !problems.contains(where: { $0.key?.hasPrefix("devices") ?? false }) else { return }
        let addresses = Dictionary(
            configuration.devices.map { ($0.alias, $0.address) },
            uniquingKeysWith: { first, _ in first }
        )
        var known: Set<[String]> = []
        for member in memberOrigins where problems.count < Self.maximumProblems {
            let isAlias = ConfigurationPattern.isAlias(member.text)
            guard let address = isAlias ? addresses[member.text] : member.text else {
                let message = "no device in devices has the alias \(LogText.quoted(member.text))"
                report(member.origin, key: member.path, message)
                continue
            }
            if !known.insert([member.group, address]).inserted {
                let message = "\(LogText.quoted(member.text)) is in the group already"
                report(member.origin, key: member.path, message)
            }
        }
    }
}

/// A member of a group, and where it stands.
struct GroupMember: Sendable {
    let group: String
    /// An alias, or an address of 12 lower-case hex digits.
    let text: String
    let path: String
    let origin: ConfigurationProblem.Origin
}
