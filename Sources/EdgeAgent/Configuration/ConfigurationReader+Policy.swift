internal import BleCore
internal import YAML

extension ConfigurationReader {
    /// An alias that a rule relies on, and where it stands.
    struct PolicyAlias: Sendable {
        let alias: String
        let origin: ConfigurationProblem.Origin
        let key: String
    }

    /// Reads the list of rules.
    mutating func readPolicy(_ value: YAMLNode, from origin: ConfigurationProblem.Origin, file: String) {
        switch value.content {
        case _ where value.isNull: return
        case .refused(let reason): report(origin, key: "policy", reason)
        case .sequence(let entries):
            guard (1...Policy.maximumRules).contains(entries.count) else {
                let message = "expected 1 to \(Policy.maximumRules) rules, found \(entries.count)"
                let remedy = entries.isEmpty ? ": leave the key out to allow everything, or write deny: any" : ""
                report(origin, key: "policy", message + remedy)
                return
            }
            var rules: [PolicyRule] = []
            for (index, entry) in entries.enumerated() where problems.count < ConfigurationReader.maximumProblems {
                if let rule = readRule(entry, path: "policy[\(index)]", file: file) { rules.append(rule) }
            }
            configuration.policy = Policy(rules: rules)
            warnAboutUnreachable(rules, file: file)
        default: report(origin, key: "policy", "expected a list of rules, found \(value.kindName)")
        }
    }

    /// Sees that the aliases of the rules exist: a slip of the pen must not leave a door open.
    mutating func checkPolicy() {
        guard !problems.contains(where: { $0.key?.hasPrefix("devices") == true }) else { return }
        let aliases = configuration.devices.map(\.alias)
        for used in policyAliases where !aliases.contains(used.alias) {
            let hint = ConfigurationHint.didYouMean(used.alias, in: aliases)
            report(used.origin, key: used.key, "no device has the alias \(LogText.quoted(used.alias))" + hint)
        }
        let rules = configuration.policy?.rules ?? []
        if aliases.contains("gateway"), rules.contains(where: { $0.devices?.contains(.gateway) == true }) {
            let message = "gateway means the gateway itself: name the device with this alias by its address"
            warnings.append(ConfigurationProblem(.defaults, key: "policy", message))
        }
    }

    private mutating func readRule(_ entry: YAMLNode, path: String, file: String) -> PolicyRule? {
        let origin = ConfigurationProblem.Origin.file(file, line: entry.line)
        guard case .mapping(let pairs) = entry.content else {
            var message = "expected allow or deny with its verbs, found \(entry.kindName)"
            if case .refused(let reason) = entry.content { message = reason }
            report(origin, key: path, message)
            return nil
        }
        let before = problems.count
        var rule = PolicyRule(.deny, [], line: PolicyLine(entry.line))
        var seen: Set<String> = []
        for pair in pairs where problems.count < ConfigurationReader.maximumProblems {
            readRulePair(pair, of: &rule, path: path, file: file, &seen)
        }
        let effects = PolicyRule.Effect.allCases.filter { seen.contains($0.rawValue) }
        if effects.isEmpty { report(origin, key: path, "needs allow or deny with its verbs") }
        if effects.count > 1 { report(origin, key: path, "has allow and deny: make two rules of it") }
        guard problems.count == before, let effect = effects.first else { return nil }
        rule.effect = effect
        for problem in rule.contradictions { report(origin, key: path, problem) }
        return problems.count == before ? rule : nil
    }

    private mutating func readRulePair(
        _ pair: YAMLNode.Pair,
        of rule: inout PolicyRule,
        path: String,
        file: String,
        _ seen: inout Set<String>
    ) {
        let origin = ConfigurationProblem.Origin.file(file, line: pair.key.line)
        guard case .scalar(let name, _) = pair.key.content else {
            return report(origin, key: path, "a key must be a single word")
        }
        guard let key = ConfigurationKey.policyRule.first(where: { $0.name == name }) else {
            let hint = ConfigurationHint.didYouMean(name, in: ConfigurationKey.policyRule.map(\.name))
            return report(origin, key: "\(path).\(name)", "unknown key" + hint)
        }
        guard seen.insert(name).inserted else { return report(origin, key: "\(path).\(name)", "stands twice") }
        let place = RuleValuePlace(key: key, path: "\(path).\(name)", file: file)
        switch name {
        case "allow", "deny": rule.verbs = values(pair.value, place) { PolicyVerbs($0) }
        case "callers": rule.callers = values(pair.value, place) { PolicyCallers($0) }
        case "devices":
            rule.devices = values(pair.value, place) { PolicyDevices($0) }
            noteAliases(of: pair.value, place)
        case "services": rule.services = values(pair.value, place) { BluetoothUUID($0) }
        case "characteristics": rule.characteristics = values(pair.value, place) { BluetoothUUID($0) }
        default:
            switch pair.value.content {
            case .scalar("true", quoted: false): rule.isForAll = true
            case .scalar("false", quoted: false): rule.isForAll = false
            default: refuse(pair.value, place, index: nil)
            }
        }
    }

    /// The values of a key, which takes one or a list of them.
    private mutating func values<Value>(
        _ node: YAMLNode,
        _ place: RuleValuePlace,
        _ read: (String) -> Value?
    ) -> [Value] {
        guard case .sequence(let items) = node.content else {
            if let value = scalar(node).flatMap(read) { return [value] }
            refuse(node, place, index: nil)
            return []
        }
        guard (1...ConfigurationKey.maximumRuleValues).contains(items.count) else {
            let message = "expected 1 to \(ConfigurationKey.maximumRuleValues) values, found \(items.count)"
            report(.file(place.file, line: node.line), key: place.path, message)
            return []
        }
        var values: [Value] = []
        for (index, item) in items.enumerated() {
            if let value = scalar(item).flatMap(read) {
                values.append(value)
            } else {
                refuse(item, place, index: index)
            }
        }
        return values
    }

    private func scalar(_ node: YAMLNode) -> String? {
        if case .scalar(let text, _) = node.content, !node.isNull { text } else { nil }
    }

    private mutating func refuse(_ node: YAMLNode, _ place: RuleValuePlace, index: Int?) {
        let path = place.path + (index.map { "[\($0)]" } ?? "")
        var message = "expected \(place.key.expected), found \(node.kindName)"
        switch node.content {
        case .refused(let reason): message = reason
        case .scalar where node.isNull: message = "has no value: expected \(place.key.expected)"
        case .scalar(let text, _):
            let names = VerbName.allCases.map(\.rawValue) + PolicyVerbs.groups
            let hint = ["allow", "deny"].contains(place.key.name) ? ConfigurationHint.didYouMean(text, in: names) : ""
            message = "expected \(place.key.expected), found \(LogText.quoted(text))" + hint
        default: break
        }
        report(.file(place.file, line: node.line), key: path, message)
    }

    private mutating func noteAliases(of node: YAMLNode, _ place: RuleValuePlace) {
        let isList = if case .sequence = node.content { true } else { false }
        let items = if case .sequence(let items) = node.content { items } else { [node] }
        for (index, item) in items.enumerated() {
            guard let alias = scalar(item).flatMap({ PolicyDevices($0) })?.alias else { continue }
            let key = isList ? "\(place.path)[\(index)]" : place.path
            policyAliases.append(PolicyAlias(alias: alias, origin: .file(place.file, line: item.line), key: key))
        }
    }

    private mutating func warnAboutUnreachable(_ rules: [PolicyRule], file: String) {
        guard let last = rules.firstIndex(where: \.meetsEverything), last < rules.count - 1 else { return }
        let message = "is never asked: the rule before it meets every command"
        let origin = ConfigurationProblem.Origin.file(file, line: rules[last + 1].line.number)
        warnings.append(ConfigurationProblem(origin, key: "policy[\(last + 1)]", message))
    }
}

/// Where a value of a rule stands.
private struct RuleValuePlace {
    let key: ConfigurationKey.RuleKey
    let path: String
    let file: String
}

extension PolicyRule {
    /// What keeps the rule from ever meeting a command that it names.
    fileprivate var contradictions: [String] {
        var problems: [String] = []
        if effect == .deny, isForAll { problems.append("all has no place beside deny, which holds on all/cmd anyway") }
        let names = verbs.compactMap { if case .verb(let name) = $0 { name } else { nil } }
        if services != nil || characteristics != nil {
            for verb in names where !verb.touchesAttributes {
                problems.append("\(verb.rawValue) touches no characteristic: the rule would never meet it")
            }
        }
        guard let devices else { return problems }
        for verb in names {
            if verb.place == .gateway, !devices.contains(.gateway) {
                problems.append("\(verb.rawValue) is for the gateway, which is not among devices")
            } else if verb.place == .device, devices.allSatisfy({ $0 == .gateway }) {
                problems.append("\(verb.rawValue) is for a device, and there is only the gateway among devices")
            }
        }
        return problems
    }
}
