internal import YAML

extension ConfigurationReader {
    /// Reads the section `link` of a device; nil when something is wrong with it.
    mutating func readDeviceLink(_ pair: YAMLNode.Pair, path: String, file: String) -> LinkSettings? {
        let origin = ConfigurationProblem.Origin.file(file, line: pair.key.line)
        switch pair.value.content {
        // A section of which every line is commented out.
        case _ where pair.value.isNull: return nil
        case .mapping(let pairs):
            var settings = LinkSettings()
            var seen: Set<String> = []
            var isSound = true
            for pair in pairs where problems.count < ConfigurationReader.maximumProblems {
                isSound = readDeviceLink(pair, into: &settings, &seen, path: path, file: file) && isSound
            }
            return isSound ? settings : nil
        case .refused(let reason): report(origin, key: path, reason)
        default: report(origin, key: path, "expected a section of keys, found \(pair.value.kindName)")
        }
        return nil
    }

    private mutating func readDeviceLink(
        _ pair: YAMLNode.Pair,
        into settings: inout LinkSettings,
        _ seen: inout Set<String>,
        path: String,
        file: String
    ) -> Bool {
        let origin = ConfigurationProblem.Origin.file(file, line: pair.key.line)
        guard case .scalar(let name, _) = pair.key.content else {
            report(origin, key: path, "a key must be a single word")
            return false
        }
        guard let key = ConfigurationKey.deviceLink.first(where: { $0.name == name }) else {
            let hint = ConfigurationHint.didYouMean(name, in: ConfigurationKey.deviceLink.map(\.name))
            report(origin, key: "\(path).\(name)", "unknown key" + hint)
            return false
        }
        guard seen.insert(name).inserted else {
            report(origin, key: "\(path).\(name)", "stands twice")
            return false
        }
        guard case .scalar(let text, let quoted) = pair.value.content, !pair.value.isNull else {
            report(origin, key: "\(path).\(name)", "expected \(key.expected), found \(pair.value.kindName)")
            return false
        }
        let number = ConfigurationKey.wholeNumber(ConfigurationKey.Scalar(text: text, quoted: quoted))
        switch (name, number) {
        case ("policy", _): settings.policy = LinkRules.Policy(rawValue: text)
        case ("idleMs", let number?) where LinkSettings.idleMs.contains(number): settings.idle = .milliseconds(number)
        case ("maxAttempts", let number?) where LinkSettings.attempts.contains(number): settings.maxAttempts = number
        case ("rssiMin", let number?) where LinkSettings.rssi.contains(number): settings.rssiMin = number
        default: break
        }
        guard settings.has(name) else {
            report(origin, key: "\(path).\(name)", "expected \(key.expected), found \(LogText.quoted(text))")
            return false
        }
        return true
    }
}

extension YAMLNode {
    /// Whether it is this word.
    func isScalar(_ text: String) -> Bool { if case .scalar(text, _) = content { true } else { false } }
}

extension LinkSettings {
    fileprivate func has(_ key: String) -> Bool {
        switch key {
        case "policy": policy != nil
        case "idleMs": idle != nil
        case "maxAttempts": maxAttempts != nil
        default: rssiMin != nil
        }
    }
}
