internal import YAML

/// Steps about the world around bluetoothd.
extension ScenarioReader {
    func world(_ key: String, _ value: Value, _ hasCall: Bool) -> WorldEvent? {
        switch key {
        case "link": return target(value, hasCall).map { .link($0) }
        case "drop": return target(value, hasCall).map { .drop($0) }
        case "resolve": return target(value, hasCall).map { .resolve($0) }
        case "vanish": return target(value, hasCall).map { .vanish($0) }
        case "loseKeys": return target(value, hasCall).map { .loseKeys($0) }
        case "pair": return target(value, hasCall).map { .pair($0) }
        case "type": return type(value, hasCall)
        case "forgetRssi": return target(value, hasCall).map { .forgetRSSI($0) }
        case "appear": return appear(value, hasCall)
        case "reach", "advertise": return deviceSwitch(key, value, hasCall)
        case "notify": return notify(value, hasCall)
        case "power", "block": return adapterSwitch(key, value)
        case "unplug": return Scalars.number(value, 0...255, problems).map { .unplug(adapter: $0) }
        case "plug": return plug(value)
        default:
            problems.add(value.line, value.path, "unknown step; there are: \(Self.names.joined(separator: ", "))")
            return nil
        }
    }

    /// All steps, as a message lists them.
    static let names = [
        "wait", "carryOut", "reply", "error", "signal", "event", "enable", "disable", "link", "drop", "resolve",
        "vanish", "appear", "reach", "advertise", "notify", "loseKeys", "pair", "type", "forgetRssi", "power", "block",
        "unplug", "plug",
        "leaveBus", "killBus", "stopBus", "returnToBus",
    ]

    private func appear(_ value: Value, _ hasCall: Bool) -> WorldEvent? {
        guard case .mapping = value.node.content, let section = ScenarioSection(value, problems) else {
            return target(value, hasCall).map { .appear($0, adapter: nil) }
        }
        let device = section.needed("device").flatMap { target($0, hasCall) }
        let adapter = section.number("adapter", 0...255)
        section.finish()
        return device.map { .appear($0, adapter: adapter) }
    }

    private func deviceSwitch(_ key: String, _ value: Value, _ hasCall: Bool) -> WorldEvent? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        defer { section.finish() }
        let all = key == "advertise" && !section.keys.contains("device")
        let device = all ? nil : section.needed("device").flatMap { target($0, hasCall) }
        let isOn = section.needed("enabled").flatMap { Scalars.flag($0, problems) }
        guard let isOn, all || device != nil else { return nil }
        if key == "advertise" { return .advertise(device, isOn) }
        return device.map { .reach($0, isOn) }
    }

    private func notify(_ value: Value, _ hasCall: Bool) -> WorldEvent? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        defer { section.finish() }
        let device = section.needed("device").flatMap { target($0, hasCall) }
        let characteristic = section.needed("characteristic").flatMap { Scalars.uuid($0, problems) }
        let bytes = section.needed("value").flatMap { Scalars.bytes($0, problems) }
        guard let device, let characteristic, let bytes else { return nil }
        return .notify(device, characteristic: characteristic, value: bytes)
    }

    private func type(_ value: Value, _ hasCall: Bool) -> WorldEvent? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        defer { section.finish() }
        let device = section.needed("device").flatMap { target($0, hasCall) }
        let passkey = section.needed("passkey").flatMap { Scalars.number($0, 0...999_999, problems) }
        guard let device, let passkey else { return nil }
        return .type(device, passkey: UInt32(passkey))
    }

    private func adapterSwitch(_ key: String, _ value: Value) -> WorldEvent? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        defer { section.finish() }
        let adapter = section.number("adapter", 0...255) ?? 0
        guard let isOn = section.needed("enabled").flatMap({ Scalars.flag($0, problems) }) else { return nil }
        return key == "power" ? .power(adapter: adapter, isOn) : .block(adapter: adapter, isOn)
    }

    private func plug(_ value: Value) -> WorldEvent? {
        guard case .mapping = value.node.content, let section = ScenarioSection(value, problems) else {
            return Scalars.number(value, 0...255, problems).map { .plug(adapter: $0, number: $0) }
        }
        defer { section.finish() }
        let adapter = section.needed("adapter").flatMap { Scalars.number($0, 0...255, problems) }
        let number = section.number("as", 0...255)
        return adapter.map { .plug(adapter: $0, number: number ?? $0) }
    }
}
