internal import Frames

extension ProfileReader {
    /// A value with its layout, and what is said of it beside.
    func field(_ section: Section, isAdvertised: Bool, isInTable: Bool) -> LayoutField? {
        let isPlaced = section.has("offset")
        let parsed = section.parseField()
        var field = LayoutField(parsed ?? ParseField("", type: .u8), isPlaced: isPlaced)
        field.signBit = section.number("sign", 0...63)
        field.divisor = section.number("divide", 2...Int.max).map { UInt64($0) }
        field.modulus = section.number("modulo", 2...Int.max).map { UInt64($0) }
        if let plus = section.value("plus") {
            field.plus = plus.oneOrMore(problems, most: 8, "numbers").compactMap { number($0, named: false) }
        }
        field.curve = section.section("curve").flatMap { curve($0) }
        field.format = section.choice("format", ValueFormat.self)
        field.minimum = section.decimal("min")
        field.maximum = section.decimal("max")
        field.needs = section.name("needs")
        field.isRequired = section.flag("required") ?? false
        let isSeries = section.flag("repeat") ?? false
        field.isRepeatable = isSeries && !isInTable
        field.event = event(section)
        let isState = section.flag("state") ?? true
        let display = section.display(standardComponent(field))
        guard parsed != nil else { return nil }
        check(field, section)
        if isSeries, !isInTable, field.width == nil { section.problem("repeat", "needs a length") }
        let traits = NameTable.Traits(
            isState: isState,
            isAdvertised: isAdvertised,
            isRepeatable: isSeries && isInTable,
            display: display
        )
        names.add(field, traits, in: section)
        return field
    }

    private func standardComponent(_ field: LayoutField) -> Display.Component {
        if field.event != nil { return .event }
        return field.kind == .bool ? .binarySensor : .sensor
    }

    /// A number that is part of another value.
    private func number(_ value: Value, named: Bool) -> ParseField? {
        guard let section = Section(value, problems) else { return nil }
        defer { section.finish() }
        guard let field = section.parseField(named: named) else { return nil }
        if field.type.nature != .number { section.problem("type", "expected a number's type") }
        return field
    }

    private func curve(_ section: Section) -> ValueCurve? {
        defer { section.finish() }
        let top = section.needed("top") == nil ? nil : section.number("top", 1...1_000_000_000)
        let steps = section.needed("steps") == nil ? nil : section.number("steps", 1...65_535)
        guard let top, let steps else { return nil }
        return .exponential(top: top, steps: steps)
    }

    /// `event: true`, or a section with `details`.
    private func event(_ section: Section) -> EventRole? {
        guard let value = section.value("event") else { return nil }
        if value.scalar == "true" { return EventRole() }
        guard let inside = Section(value, problems, "true, or a section with details") else { return nil }
        defer { inside.finish() }
        let details = inside.needed("details")?.items(problems, most: 8, "numbers") ?? []
        return EventRole(details: details.compactMap { number($0, named: true) })
    }

    /// What cannot be fulfilled together.
    private func check(_ field: LayoutField, _ section: Section) {
        let type = field.field.type
        let isWhole = type.integer.map { !$0.isSigned } ?? false
        let arithmetic = [
            ("sign", field.signBit != nil), ("divide", field.divisor != nil), ("modulo", field.modulus != nil),
        ].filter(\.1).map(\.0)
        for key in arithmetic where !isWhole { section.problem(key, "only of unsigned whole numbers") }
        if let sign = field.signBit, let format = type.integer, sign >= 8 * format.width {
            section.problem("sign", "\(type.rawValue) has only \(8 * format.width) bits")
        }
        if type.nature != .number {
            for key in ["plus", "curve", "min", "max"] where section.has(key) {
                section.problem(key, "\(type.rawValue) is not a number")
            }
        }
        if let least = field.minimum, let most = field.maximum, most < least {
            section.problem("max", "is less than min")
        }
        if let format = field.format { check(format, field, section) }
        if field.event != nil {
            if field.meanings.isEmpty { section.problem("event", "needs map with a text for what happens") }
            for key in ["state", "needs", "repeat"] where section.has(key) { section.problem(key, "not of an event") }
        }
    }

    private func check(_ format: ValueFormat, _ field: LayoutField, _ section: Section) {
        let needed: (type: String, length: Int?) =
            switch format {
            case .uuid: ("hex", 16)
            case .address, .addressReversed: ("hex", 6)
            case .datetime: ("hex", 7)
            case .eddystoneURL: ("hex", nil)
            case .time: ("a whole number", nil)
            }
        let fits = format == .time ? field.field.type.integer != nil : field.field.type == .hex
        if !fits { section.problem("format", "\(format.rawValue) is of \(needed.type)") }
        if let length = needed.length, field.field.length != length {
            section.problem("format", "\(format.rawValue) has \(length) bytes: set length")
        }
        for key in ["scale", "add", "sign", "divide", "modulo", "plus", "curve", "min", "max", "map"]
        where section.has(key) { section.problem(key, "not beside format") }
    }
}
