internal import Frames

/// The values and events that a profile's sources yield, collected while they are read.
final class NameTable {
    private(set) var values: [ValueDescription] = []
    private(set) var events: [EventDescription] = []
    /// Names of brightness values that displays mention.
    private(set) var brightness: [(name: String, line: Int, path: String)] = []
    private var needs: [(name: String, line: Int, path: String)] = []
    private let problems: ProblemList

    init(_ problems: ProblemList) { self.problems = problems }

    /// What else is said of a field.
    struct Traits {
        var isState: Bool
        var isAdvertised: Bool
        var isRepeatable: Bool
        var display: ReadDisplay
    }

    /// Takes the value or the event that a field yields.
    func add(_ field: LayoutField, _ traits: Traits, in section: ProfileSection) {
        let name = field.field.name
        if let other = field.needs { needs.append((other, section.line, "\(section.path).needs")) }
        if case .shown(let display) = traits.display, let other = display.brightness {
            brightness.append((other, section.line, "\(section.path).display.brightness"))
        }
        guard field.event == nil else { return addEvent(field, traits, section) }
        if events.contains(where: { $0.name == name }) {
            return section.problem("name", "\(quoted(name)) is an event, too")
        }
        if let place = values.firstIndex(where: { $0.name == name }) {
            let known = values[place]
            if known.kind != field.kind {
                section.problem("name", "\(quoted(name)) is a \(known.kind.rawValue) elsewhere")
            }
            if let unit = field.field.unit, !known.units.contains(unit) { values[place].units.append(unit) }
            if traits.isAdvertised != known.isAdvertised { values[place].isAdvertised = false }
            if traits.isRepeatable { values[place].isRepeatable = true }
            if case .shown(let display) = traits.display { values[place].display = display }
            return
        }
        var value = ValueDescription(name, kind: field.kind, unit: field.field.unit)
        value.minimum = field.minimum
        value.maximum = field.maximum
        value.options = field.kind == .text ? field.meanings : []
        value.isState = traits.isState
        value.isAdvertised = traits.isAdvertised
        value.isRepeatable = traits.isRepeatable
        value.display =
            switch traits.display {
            case .shown(let display): display
            case .hidden: nil
            case .standard: traits.isState ? Display(field.kind == .bool ? .binarySensor : .sensor) : nil
            }
        values.append(value)
    }

    private func addEvent(_ field: LayoutField, _ traits: Traits, _ section: ProfileSection) {
        let name = field.field.name
        if values.contains(where: { $0.name == name }) {
            return section.problem("name", "\(quoted(name)) is a value, too")
        }
        var event = events.first { $0.name == name } ?? EventDescription(name, types: [])
        event.types += field.meanings.filter { !event.types.contains($0) }
        switch traits.display {
        case .shown(let display): event.display = display
        case .hidden: event.display = nil
        case .standard: event.display = event.display ?? Display(.event)
        }
        events.removeAll { $0.name == name }
        events.append(event)
    }

    /// Values that others need have to exist.
    func checkNeeds() {
        for (name, line, path) in needs where !values.contains(where: { $0.name == name }) {
            problems.add(line, path, "there is no value \(quoted(name)) in the sources")
        }
    }
}

extension LayoutField {
    /// What the value is in JSON.
    var kind: ValueDescription.Kind {
        if format != nil { return .text }
        if isExhaustive {
            let meanings = field.map.map(\.meaning).filter { $0 != .null }
            let areTruths = meanings.allSatisfy { if case .bool = $0 { true } else { false } }
            return areTruths ? .bool : .text
        }
        switch field.type.nature {
        case .number: return .number
        case .bool: return .bool
        case .text: return .text
        }
    }

    /// The texts that it may be.
    var meanings: [String] {
        field.map.compactMap { if case .text(let text) = $0.meaning { text } else { nil } }.reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    /// Whether the value is one of the meanings, or null: no number stands beside texts.
    var isExhaustive: Bool {
        field.map.contains { entry in
            switch entry.meaning {
            case .text, .bool: true
            case .null, .number: false
            }
        }
    }
}
