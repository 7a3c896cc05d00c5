/// The faults that hold, with what has come of each.
///
/// The first that fits a call is the one that happens; all count the calls that fit them.
struct FaultTable {
    struct Entry {
        let fault: Fault
        var isEnabled: Bool
        /// How many calls have fitted.
        var count = 0
        /// How many of them it was applied to.
        var applied = 0
    }

    private(set) var entries: [Entry]

    init(_ faults: [Fault]) { entries = faults.map { Entry(fault: $0, isEnabled: $0.isEnabled) } }

    /// Adds a fault before all others; one of the same name is replaced.
    mutating func add(_ fault: Fault) {
        if let name = fault.name { remove(name) }
        entries.insert(Entry(fault: fault, isEnabled: fault.isEnabled), at: 0)
    }

    /// - Returns: whether there was one of that name.
    @discardableResult
    mutating func remove(_ name: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.fault.name == name }
        return entries.count < count
    }

    mutating func removeAll() { entries = [] }

    /// Switches a fault; its calls are counted anew.
    ///
    /// - Returns: whether there is one of that name.
    @discardableResult
    mutating func set(_ name: String, isEnabled: Bool) -> Bool {
        guard let index = entries.firstIndex(where: { $0.fault.name == name }) else { return false }
        entries[index].isEnabled = isEnabled
        entries[index].count = 0
        return true
    }

    /// The steps of the fault that a call meets, if any.
    mutating func take(_ call: ReceivedCall, uuid: String?) -> [ScenarioStep]? {
        var found: [ScenarioStep]?
        for index in entries.indices where entries[index].isEnabled {
            let fault = entries[index].fault
            if let until = fault.until, until.matches(call, uuid: uuid) {
                entries[index].isEnabled = false
                continue
            }
            guard fault.pattern.matches(call, uuid: uuid) else { continue }
            entries[index].count += 1
            guard found == nil, fault.calls.contains(entries[index].count) else { continue }
            entries[index].applied += 1
            found = fault.steps
        }
        return found
    }
}
