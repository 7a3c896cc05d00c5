internal import DBus

/// Faults and the calls that they are for.
extension ScenarioReader {
    func fault(_ value: Value) -> Fault? {
        guard let section = ScenarioSection(value, problems) else { return nil }
        let name = section.text("name")
        let pattern = pattern(section)
        let calls = calls(section)
        let until = section.section("until").map { section in
            defer { section.finish() }
            return self.pattern(section)
        }
        let isEnabled = section.flag("enabled") ?? true
        if !isEnabled, name == nil {
            problems.add(section.line, section.path, "nobody can enable a fault without a name")
        }
        let steps = section.needed("steps").map { self.steps($0, hasCall: true) } ?? []
        section.finish()
        var fault = Fault(name: name, pattern, calls: calls, until: until, steps: steps)
        fault.isEnabled = isEnabled
        return fault
    }

    /// The keys that say which calls are meant; a section without any of them is a problem.
    private func pattern(_ section: ScenarioSection) -> CallPattern {
        let keys = ["path", "device", "uuid", "interface", "member", "client", "argument"]
        if !section.keys.contains(where: keys.contains) {
            problems.add(
                section.line,
                section.path,
                "says of no call: give at least one of \(keys.joined(separator: ", "))"
            )
        }
        var pattern = CallPattern()
        pattern.path = section.text("path")
        pattern.device = section.value("device").flatMap { Scalars.address($0, problems) }
        pattern.uuid = section.uuid("uuid")
        pattern.interface = section.text("interface")
        pattern.member = section.text("member")
        pattern.client = section.text("client")
        pattern.argument = section.text("argument")
        return pattern
    }

    /// `nth`, or `from` and `to`; all calls without them.
    private func calls(_ section: ScenarioSection) -> ClosedRange<Int> {
        let most = 1_000_000_000
        let nth = section.number("nth", 1...most)
        let from = section.number("from", 1...most)
        let to = section.number("to", 1...most)
        if let nth {
            if from != nil || to != nil {
                problems.add(section.line, section.path, "\"nth\" goes with neither \"from\" nor \"to\"")
            }
            return nth...nth
        }
        let first = from ?? 1
        guard let to else { return first...Int.max }
        guard first <= to else {
            problems.add(section.line, section.path, "\"from\" is greater than \"to\"")
            return 1...1
        }
        return first...to
    }
}
