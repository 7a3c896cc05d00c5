extension HomeComponent {
    /// What of it Home Assistant would refuse, or take in silence and not understand; each as `field: what it should be`.
    package var problems: [String] {
        var problems: [String] = []
        if !NamePattern.isItemName(key) { problems.append("key: expected 1 to 64 of a-z, 0-9, _ and -") }
        checkTopics(&problems)
        checkClass(&problems)
        checkOptions(&problems)
        checkRange(&problems)
        if category == .config, !platform.isOperated {
            problems.append("category: config is for what can be operated")
        }
        if let icon, !icon.hasPrefix("mdi:") || icon.utf8.count > 64 { problems.append("icon: expected mdi:name") }
        if let precision, platform != .sensor || !(0...10).contains(precision) {
            problems.append("precision: expected 0 to 10, for a sensor")
        }
        if let expireAfter {
            if platform != .sensor && platform != .binarySensor {
                problems.append("expireAfter: is for sensors and binary sensors")
            } else if expireAfter < 1 {
                problems.append("expireAfter: expected a whole number of seconds")
            }
        }
        return problems
    }

    /// Without a topic for its state Home Assistant would show what was sent for what is.
    private func checkTopics(_ problems: inout [String]) {
        if platform.isShown != (state != nil) {
            problems.append("state: a \(platform.rawValue) has \(platform.isShown ? "one" : "none")")
        }
        if platform.isOperated != (commandTopic != nil) {
            problems.append("command: a \(platform.rawValue) has \(platform.isOperated ? "one" : "none")")
        }
        let topics = [state?.topic, commandTopic, brightness?.commandTopic, brightness?.state.topic].compactMap(\.self)
        for topic in topics where !ConfigurationPattern.isTopic(topic) {
            problems.append("topic: \(LogText.quoted(topic)) is none to publish to")
        }
        switch (payloads, platform) {
        case (nil, _), (.switched, .switch), (.pressed, .button): break
        default: problems.append("payloads: do not fit a \(platform.rawValue)")
        }
    }

    private func checkClass(_ problems: inout [String]) {
        if let deviceClass, !platform.deviceClasses.contains(deviceClass) {
            problems.append("deviceClass: a \(platform.rawValue) has no class \(LogText.quoted(deviceClass))")
            return
        }
        if stateClass != nil, platform != .sensor { problems.append("stateClass: is for sensors") }
        guard platform == .sensor || platform == .number else {
            if unit != nil { problems.append("unit: is for sensors and numbers") }
            return
        }
        guard let deviceClass, let known = HomeUnits.sensorClasses[deviceClass] else { return }
        // The Greek letter stands for the sign too.
        let unit = (unit ?? "").map { $0 == "\u{3BC}" ? "µ" : String($0) }.joined()
        if known.units.isEmpty ? !unit.isEmpty : !known.units.contains(unit) {
            let units = known.units.sorted().map { $0.isEmpty ? "none" : $0 }.joined(separator: ", ")
            problems.append("unit: the class \(deviceClass) has \(units.isEmpty ? "none" : "one of \(units)")")
        }
        if let stateClass, !known.stateClasses.contains(stateClass) {
            problems.append("stateClass: the class \(deviceClass) is no \(stateClass.rawValue)")
        }
    }

    private func checkOptions(_ problems: inout [String]) {
        let isOfWords = platform == .select || platform == .event || (platform == .sensor && deviceClass == "enum")
        if isOfWords == options.isEmpty {
            problems.append(isOfWords ? "options: are missing" : "options: are for choices and events")
        }
        if Set(options).count < options.count { problems.append("options: stand twice") }
        if options.contains(where: { $0.isEmpty || $0.utf8.count > 255 }) {
            problems.append("options: expected 1 to 255 bytes each")
        }
        if platform == .sensor, deviceClass == "enum", stateClass != nil {
            problems.append("stateClass: words cannot be added up")
        }
    }

    private func checkRange(_ problems: inout [String]) {
        if platform == .number {
            if range == nil { problems.append("range: is missing") }
            if let range, !(range.lowerBound < range.upperBound) {
                problems.append("range: the least value is not below the greatest")
            }
            if let step, !(step >= 0.001) { problems.append("step: expected at least 0.001") }
        } else if range != nil || step != nil {
            problems.append("range: is for numbers")
        }
        if platform == .text {
            if let maximumLength, !(1...255).contains(maximumLength) {
                problems.append("maximumLength: expected 1 to 255")
            }
        } else if maximumLength != nil {
            problems.append("maximumLength: is for texts")
        }
        if let brightness {
            if platform != .light { problems.append("brightness: is for lights") }
            if brightness.scale < 1 { problems.append("brightness: expected a scale of at least 1") }
        }
    }
}
