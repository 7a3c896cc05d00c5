internal import DBus
internal import YAML

extension Scenario {
    /// The deepest nesting of a scenario.
    private static let depth = 16

    /// Reads a scenario file.
    ///
    /// - Throws: ``ScenarioProblems`` with all that is wrong.
    package static func parse(_ text: [UInt8]) throws(ScenarioProblems) -> Scenario {
        try read(text) { root, problems in ScenarioReader(problems).scenario(root) } ?? Scenario()
    }

    /// Reads one fault, as it stands in the list `faults`.
    ///
    /// - Throws: ``ScenarioProblems`` with all that is wrong.
    package static func parseFault(_ text: [UInt8]) throws(ScenarioProblems) -> Fault {
        let fault: Fault? = try read(text) { root, problems in ScenarioReader(problems).fault(root) }
        guard let fault else {
            throw ScenarioProblems(problems: [ScenarioProblem(line: nil, key: "", message: "there is no fault here")])
        }
        return fault
    }

    /// Reads a list of steps, as they stand in `events`.
    ///
    /// - Throws: ``ScenarioProblems`` with all that is wrong.
    package static func parseSteps(_ text: [UInt8]) throws(ScenarioProblems) -> [ScenarioStep] {
        try read(text) { root, problems in ScenarioReader(problems).steps(root, hasCall: false) } ?? []
    }

    private static func read<Result>(
        _ text: [UInt8],
        _ body: (ScenarioSection.Value, ProblemList) -> Result?
    ) throws(ScenarioProblems) -> Result? {
        let problems = ProblemList()
        var result: Result?
        do throws(YAMLDocument.Failure) {
            if let root = try YAMLDocument.parse(text, maximumDepth: depth), !root.isNull {
                result = body(ScenarioSection.Value(node: root, line: root.line, path: ""), problems)
            }
        } catch {
            problems.add(error.line, "", error.message)
        }
        guard problems.problems.isEmpty else {
            // Names are checked last; people read from the top.
            let sorted = problems.problems.enumerated().sorted {
                ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
            }
            throw ScenarioProblems(problems: sorted.map(\.element))
        }
        return result
    }
}

/// Builds a scenario from a file's nodes and notes everything that is wrong.
struct ScenarioReader {
    typealias Value = ScenarioSection.Value

    let problems: ProblemList

    init(_ problems: ProblemList) { self.problems = problems }

    func scenario(_ root: Value) -> Scenario? {
        guard let section = ScenarioSection(root, problems) else { return nil }
        var scenario = Scenario()
        _ = section.text("description")
        scenario.settings = settings(section)
        scenario.isPresent = section.flag("bluetoothd") ?? true
        scenario.watchesBus = section.flag("watchBus") ?? false
        scenario.adapters = adapters(section)
        addDevices(section, to: &scenario.adapters)
        scenario.faults = section.items("faults").compactMap { fault($0) }
        scenario.timeline = section.items("timeline").compactMap { timelineEntry($0) }
        if let events = section.section("events") {
            for (name, value) in events.everything() { scenario.events[name] = steps(value, hasCall: false) }
        }
        section.finish()
        checkNames(scenario, section)
        return scenario
    }

    private func settings(_ section: ScenarioSection) -> SimulatorSettings {
        var settings = SimulatorSettings()
        if let times = section.section("times") {
            if times.flag("realistic") ?? false { settings = .realistic }
            take(times.duration("disconnectMs"), &settings.disconnectDelay)
            take(times.duration("connectTimeoutMs"), &settings.connectTimeout)
            take(times.duration("resolveMs"), &settings.resolveDelay)
            take(times.duration("attMs"), &settings.attDelay)
            take(times.duration("temporaryMs"), &settings.temporaryTimeout)
            take(times.duration("pairingMs"), &settings.pairingTimeout)
            take(times.duration("relinkMs"), &settings.relinkDelay)
            take(times.duration("lingerMs"), &settings.lingerDelay)
            times.finish()
        }
        take(section.number("seed", 0...Int.max).map { UInt64($0) }, &settings.seed)
        settings.silentConnectEvery = section.number("silentConnectEvery", 1...1_000_000)
        return settings
    }

    private func adapters(_ section: ScenarioSection) -> [AdapterModel] {
        guard let value = section.value("adapters") else { return [AdapterModel(devices: [])] }
        var adapters: [AdapterModel] = []
        for item in value.items(problems) {
            guard let entry = ScenarioSection(item, problems) else { continue }
            var adapter = AdapterModel(index: entry.number("index", 0...255) ?? adapters.count, devices: [])
            // Adapters differ in their addresses, too.
            adapter.address =
                "00:1A:7D:DA:71:" + hex(0x10 &+ UInt8(truncatingIfNeeded: adapter.index), digits: 2).uppercased()
            take(entry.value("address").flatMap { Scalars.address($0, problems) }, &adapter.address)
            take(entry.text("name"), &adapter.name)
            take(entry.flag("powered"), &adapter.isPowered)
            take(entry.flag("blocked"), &adapter.isBlocked)
            take(entry.flag("scannedByOthers"), &adapter.isScannedByOthers)
            take(entry.flag("monitor"), &adapter.hasMonitor)
            adapter.linkLimit = entry.section("links").flatMap(linkLimit)
            if adapter.isBlocked, adapter.isPowered {
                if entry.keys.contains("powered") {
                    problems.add(entry.line, entry.path, "a blocked adapter cannot be powered")
                }
                adapter.isPowered = false
            }
            entry.finish()
            guard !adapters.contains(where: { $0.index == adapter.index }) else {
                problems.add(entry.line, entry.path, "there is an adapter \(adapter.index) before this one")
                continue
            }
            adapters.append(adapter)
        }
        return adapters
    }

    private func linkLimit(_ section: ScenarioSection) -> LinkLimit? {
        defer { section.finish() }
        guard let count = section.needed("max").flatMap({ Scalars.number($0, 1...255, problems) }) else { return nil }
        return LinkLimit(count, releaseDelay: section.duration("releaseMs") ?? .zero)
    }

    private func addDevices(_ section: ScenarioSection, to adapters: inout [AdapterModel]) {
        for item in section.items("devices") {
            guard let (device, index) = device(item) else { continue }
            guard let position = adapters.firstIndex(where: { $0.index == index }) else {
                problems.add(item.line, item.path, "there is no adapter \(index)")
                continue
            }
            guard !adapters[position].devices.contains(where: { $0.address == device.address }) else {
                problems.add(item.line, item.path, "there is a device \(device.address) before this one")
                continue
            }
            adapters[position].devices.append(device)
        }
    }

    private func timelineEntry(_ value: Value) -> Scenario.TimelineEntry? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        let at = section.duration("atMs") ?? .zero
        let every = section.number("everyMs", 1...3_600_000).map { Duration.milliseconds($0) }
        let rounds = section.number("rounds", 1...1_000_000)
        if rounds != nil, every == nil { problems.add(section.line, section.path, "\"rounds\" needs \"everyMs\"") }
        let steps = section.needed("steps").map { self.steps($0, hasCall: false) } ?? []
        section.finish()
        return Scenario.TimelineEntry(at: at, every: every, rounds: rounds, steps: steps)
    }

    /// Names must lead somewhere: an event that is run, a fault that is switched.
    private func checkNames(_ scenario: Scenario, _ section: ScenarioSection) {
        let faults = scenario.faults.compactMap(\.name)
        for (index, name) in faults.enumerated() where faults[..<index].contains(name) {
            problems.add(section.value("faults")?.line, "faults", "two faults are called \"\(name)\"")
        }
        func check(_ steps: [ScenarioStep], _ key: String) {
            let line = section.value(key)?.line
            for step in steps {
                switch step {
                case .event(let name) where scenario.events[name] == nil:
                    problems.add(line, key, "there is no event \"\(name)\"")
                case .setFault(let name, _) where !faults.contains(name):
                    problems.add(line, key, "there is no fault \"\(name)\"")
                default: break
                }
            }
        }
        for fault in scenario.faults { check(fault.steps, "faults") }
        for entry in scenario.timeline { check(entry.steps, "timeline") }
        for (_, steps) in scenario.events.sorted(by: { $0.key < $1.key }) { check(steps, "events") }
    }

    func take<Result>(_ value: Result?, _ place: inout Result) {
        if let value { place = value }
    }
}
