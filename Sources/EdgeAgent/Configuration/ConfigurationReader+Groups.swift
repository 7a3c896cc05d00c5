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
            report(origin, key: path, "\(message), found \(pair.value.kindName)")
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
            guard !members.contains(member) else {
                report(origin, key: place, "\(LogText.quoted(member)) stands twice in the group")
                continue
            }
            members.append(member)
            memberOrigins.append((member, place, origin))
        }
        configuration.groups.append(GroupConfiguration(name: name, members: members))
    }

    private static func member(_ text: String) -> String? {
        if ConfigurationPattern.isAlias(text) { return text }
        return ConfigurationPattern.address(text)
    }

    /// Sees that every alias in a group is one of `devices`.
    mutating func checkGroups() {
        let aliases = Set(configuration.devices.map(\.alias))
        for (member, place, origin) in memberOrigins
        where ConfigurationPattern.isAlias(member) && !aliases.contains(member) {
            report(origin, key: place, "no device in devices has the alias \(LogText.quoted(member))")
        }
    }
}
