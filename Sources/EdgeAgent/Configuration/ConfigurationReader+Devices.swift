internal import YAML

extension ConfigurationReader {
    /// Reads the list of devices.
    mutating func readDevices(_ value: YAMLNode, from origin: ConfigurationProblem.Origin, file: String) {
        switch value.content {
        case _ where value.isNull: return
        case .refused(let reason): report(origin, key: "devices", reason)
        case .sequence(let entries):
            guard entries.count <= ConfigurationKey.maximumDevices else {
                let message = "expected at most \(ConfigurationKey.maximumDevices) devices, found \(entries.count)"
                report(origin, key: "devices", message)
                return
            }
            var names = UsedNames()
            for (index, entry) in entries.enumerated() where problems.count < ConfigurationReader.maximumProblems {
                readDevice(entry, path: "devices[\(index)]", file: file, &names)
            }
        default: report(origin, key: "devices", "expected a list of devices, found \(value.kindName)")
        }
    }

    /// The lines where each alias and address stood first.
    private struct UsedNames {
        var aliases: [String: Int] = [:]
        var addresses: [String: Int] = [:]
    }

    private mutating func readDevice(_ entry: YAMLNode, path: String, file: String, _ names: inout UsedNames) {
        let origin = ConfigurationProblem.Origin.file(file, line: entry.line)
        guard case .mapping(let pairs) = entry.content else {
            var message = "expected an address and an alias, found \(entry.kindName)"
            if case .refused(let reason) = entry.content { message = reason }
            report(origin, key: path, message)
            return
        }
        let values = readDeviceKeys(pairs, path: path, file: file)
        let link = pairs.first { $0.key.isScalar("link") }.flatMap {
            readDeviceLink($0, path: "\(path).link", file: file)
        }
        for key in ConfigurationKey.device where key.isRequired && values[key.name] == nil {
            report(origin, key: "\(path).\(key.name)", "is missing: \(key.expected)")
        }
        var device = DeviceConfiguration(address: "", alias: "")
        var isComplete = true
        for key in ConfigurationKey.device {
            guard case .value(let text, let line)? = values[key.name] else {
                isComplete = isComplete && !key.isRequired
                continue
            }
            guard let accepted = ConfigurationReader.accepted(text, for: key) else {
                isComplete = false
                let message = "expected \(key.expected), found \(LogText.quoted(text))"
                report(.file(file, line: line), key: "\(path).\(key.name)", message)
                continue
            }
            switch key.name {
            case "address":
                device.address = accepted
                isComplete = claim(accepted, line, &names.addresses, path: "\(path).address", file: file) && isComplete
            case "alias":
                device.alias = accepted
                isComplete = claim(accepted, line, &names.aliases, path: "\(path).alias", file: file) && isComplete
            case "intervalMs": device.interval = Int(accepted).map { .milliseconds($0) }
            case "profile": device.profile = accepted
            case "shared": device.isShared = accepted == "true"
            case "owner": device.owner = accepted
            default: device.name = accepted
            }
        }
        if let link { device.link = link }
        if isComplete { configuration.devices.append(device) }
    }

    /// What stands for a key of a device; a value that was refused is there, so that it is not called missing.
    private enum DeviceValue {
        case value(String, line: Int)
        case refused
    }

    private mutating func readDeviceKeys(
        _ pairs: [YAMLNode.Pair],
        path: String,
        file: String
    ) -> [String: DeviceValue] {
        var values: [String: DeviceValue] = [:]
        for pair in pairs where problems.count < ConfigurationReader.maximumProblems {
            let origin = ConfigurationProblem.Origin.file(file, line: pair.key.line)
            guard case .scalar(let name, _) = pair.key.content else {
                report(origin, key: path, "a key must be a single word")
                continue
            }
            let key = ConfigurationKey.device.first { $0.name == name }
            guard key != nil || name == "link" else {
                let hint = ConfigurationHint.didYouMean(name, in: ConfigurationKey.device.map(\.name) + ["link"])
                report(origin, key: "\(path).\(name)", "unknown key" + hint)
                continue
            }
            guard values[name] == nil else {
                report(origin, key: "\(path).\(name)", "stands twice")
                continue
            }
            values[name] = .refused
            // A section of its own.
            guard let key else { continue }
            switch pair.value.content {
            case .scalar(let text, _) where !pair.value.isNull: values[name] = .value(text, line: pair.value.line)
            case .scalar: report(origin, key: "\(path).\(name)", "has no value: expected \(key.expected)")
            case .refused(let reason): report(origin, key: "\(path).\(name)", reason)
            default:
                let message = "expected \(key.expected), found \(pair.value.kindName)"
                report(origin, key: "\(path).\(name)", message)
            }
        }
        return values
    }

    private static func accepted(_ text: String, for key: ConfigurationKey.DeviceKey) -> String? {
        switch key.name {
        case "address": ConfigurationPattern.address(text)
        case "alias": ConfigurationPattern.isAlias(text) ? text : nil
        case "intervalMs": isInterval(text) ? text : nil
        case "profile": NamePattern.isGateway(text) ? text : nil
        case "shared": text == "true" || text == "false" ? text : nil
        case "owner": ConfigurationPattern.isGateway(text) ? text : nil
        default: (1...256).contains(text.utf8.count) && !ConfigurationPattern.hasControlCharacters(text) ? text : nil
        }
    }

    private static func isInterval(_ text: String) -> Bool {
        let number = ConfigurationKey.wholeNumber(ConfigurationKey.Scalar(text: text, quoted: false))
        return number.map { (1000...604_800_000).contains($0) } ?? false
    }

    /// Notes a name that only one device may have; false when another has it.
    private mutating func claim(
        _ name: String,
        _ line: Int,
        _ used: inout [String: Int],
        path: String,
        file: String
    ) -> Bool {
        if let first = used[name] {
            report(
                .file(file, line: line),
                key: path,
                "\(LogText.quoted(name)) is taken by "
                    + (isRemote ? "another device" : "the device in line \(first)")
            )
            return false
        }
        used[name] = line
        return true
    }
}
