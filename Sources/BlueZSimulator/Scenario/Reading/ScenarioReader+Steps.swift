internal import DBus
internal import YAML

/// Lists of steps.
extension ScenarioReader {
    private typealias Step = ScenarioStep

    /// Reads a list of steps; `hasCall` says whether there is a call to be answered, whose device is `this`.
    func steps(_ value: Value, hasCall: Bool) -> [ScenarioStep] {
        value.items(problems).compactMap { item in
            if let word = item.scalar { return plainStep(word, item, hasCall) }
            guard let section = ScenarioSection(item, problems) else { return nil }
            guard section.keys.count == 1, let key = section.keys.first, let content = section.value(key) else {
                problems.add(item.line, item.path, "a step has one key, not \(section.keys.count)")
                return nil
            }
            return step(key, content, hasCall)
        }
    }

    private func plainStep(_ word: String, _ item: Value, _ hasCall: Bool) -> ScenarioStep? {
        switch word {
        case "carryOut":
            if !hasCall { return noCall(item, word) }
            return .carryOut(.usual)
        case "leaveBus": return .world(.leaveBus)
        case "killBus": return .world(.killBus)
        case "stopBus": return .world(.stopBus)
        case "returnToBus": return .world(.returnToBus)
        default:
            problems.add(
                item.line,
                item.path,
                "unknown step \"\(word.prefix(60))\"; alone stand: carryOut, leaveBus, killBus, stopBus, returnToBus"
            )
            return nil
        }
    }

    private func step(_ key: String, _ value: Value, _ hasCall: Bool) -> ScenarioStep? {
        switch key {
        case "carryOut", "reply", "error":
            return hasCall ? answer(key, value) : noCall(value, key)
        case "wait": return Scalars.number(value, 0...3_600_000, problems).map { .wait(.milliseconds($0)) }
        case "signal": return signal(value, hasCall).map { .signal($0) }
        case "event": return Scalars.text(value, problems).map { .event($0) }
        case "enable": return Scalars.text(value, problems).map { .setFault($0, isEnabled: true) }
        case "disable": return Scalars.text(value, problems).map { .setFault($0, isEnabled: false) }
        default: return world(key, value, hasCall).map { .world($0) }
        }
    }

    private func noCall(_ value: Value, _ key: String) -> ScenarioStep? {
        problems.add(value.line, value.path, "there is no call here that \"\(key)\" could answer")
        return nil
    }

    private func answer(_ key: String, _ value: Value) -> ScenarioStep? {
        switch key {
        case "reply":
            let items = value.items(problems)
            let values = items.compactMap { TypedValues(problems: problems).typed($0) }
            return values.count == items.count ? .reply(values) : nil
        case "error":
            guard let section = ScenarioSection(value, problems) else { return nil }
            let name = section.needed("name").flatMap { errorName($0) }
            let text = section.value("text").flatMap { $0.node.isNull ? "" : Scalars.text($0, problems) } ?? ""
            section.finish()
            return name.map { .fail(BluezError(name: $0, message: text)) }
        default:
            if case .mapping = value.node.content, let section = ScenarioSection(value, problems) {
                let delay = section.needed("lateMs").flatMap { Scalars.number($0, 0...3_600_000, problems) }
                section.finish()
                return delay.map { .carryOut(.late(.milliseconds($0))) }
            }
            return choice(value, ["none": Step.AnswerMode.none, "twice": .twice, "usual": .usual]).map { .carryOut($0) }
        }
    }

    /// The whole name of an error, or its last part when it is one of bluetoothd's.
    private func errorName(_ value: Value) -> String? {
        guard let text = value.scalar else { return Scalars.refuse(value, "an error's name", problems) }
        let name = text.contains(".") ? text : "org.bluez.Error." + text
        let isValid =
            name.utf8.count <= 255 && !name.hasSuffix(".")
            && name.split(separator: ".").allSatisfy { part in
                part.utf8.first.map { !(0x30...0x39).contains($0) } == true
                    && part.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                            || $0 == 0x5F
                    }
            }
        guard isValid, !name.hasPrefix("."), !name.contains("..") else {
            return Scalars.refuse(value, "an error's name, as org.bluez.Error.Failed or Failed", problems)
        }
        return name
    }

    private func signal(_ value: Value, _ hasCall: Bool) -> ScenarioStep.RawSignal? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        guard let (place, usual) = place(section, hasCall) else {
            section.finish()
            return nil
        }
        let given = section.text("interface")
        let interface = given.map { $0.contains(".") ? $0 : "org.bluez." + $0 } ?? usual
        var changed: [ScenarioStep.RawSignal.Property] = []
        if let properties = section.section("changed") {
            for (name, value) in properties.everything() {
                let content = TypedValues(problems: problems).property(value, name, of: interface ?? "")
                if let content { changed.append(.init(name: name, value: content)) }
            }
        }
        let invalidated = section.items("invalidated").compactMap { Scalars.text($0, problems) }
        section.finish()
        guard let interface else {
            problems.add(section.line, section.path, "needs the key \"interface\"")
            return nil
        }
        if changed.isEmpty, invalidated.isEmpty, !section.keys.contains("changed") {
            problems.add(section.line, section.path, "needs \"changed\" or \"invalidated\"")
        }
        return .init(object: place, interface: interface, changed: changed, invalidated: invalidated)
    }

    /// The object of a signal, with the interface that it most likely is about.
    private func place(_ section: ScenarioSection, _ hasCall: Bool) -> (ScenarioStep.Place, interface: String?)? {
        let path = section.value("path")
        let device = section.value("device")
        let characteristic = section.uuid("characteristic")
        if let path {
            if device != nil || characteristic != nil {
                problems.add(section.line, section.path, "\"path\" goes with neither \"device\" nor \"characteristic\"")
            }
            let found = path.scalar.flatMap { ObjectPath($0) }
            return found.map { (.path($0), nil) } ?? Scalars.refuse(path, "an object path", problems)
        }
        if device == nil, characteristic == nil {
            if hasCall { return (.called, nil) }
            problems.add(section.line, section.path, "needs \"device\" or \"path\"")
            return nil
        }
        guard let target = device.map({ self.target($0, hasCall) }) ?? (hasCall ? .called : nil) else {
            if device == nil { problems.add(section.line, section.path, "needs the key \"device\"") }
            return nil
        }
        if let characteristic {
            return (.characteristic(characteristic, of: target), SimulatedCharacteristic.table.name)
        }
        return (.device(target), SimulatedDevice.table.name)
    }

    /// A device: an address, or `this` where there is a call.
    func target(_ value: Value, _ hasCall: Bool) -> DeviceTarget? {
        if value.scalar == "this" {
            if hasCall { return .called }
            problems.add(value.line, value.path, "there is no call here whose device could be \"this\"")
            return nil
        }
        return Scalars.address(value, problems).map { .address($0) }
    }
}
