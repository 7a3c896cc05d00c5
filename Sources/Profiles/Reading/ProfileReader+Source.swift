internal import BleCore
internal import Frames

extension ProfileReader {
    func source(_ value: Value) -> ValueSource? {
        guard let section = Section(value, problems, "a source, which is a section of keys") else { return nil }
        let known = ["characteristic", "manufacturer", "serviceData", "name"]
        let given = known.filter { section.has($0) }
        if given.count != 1 { section.problem(nil, "needs one of \(known.joined(separator: ", "))") }
        let place = place(section)
        let isAdvertised = if case .characteristic? = place { false } else { true }
        var source = ValueSource(place ?? .name, shape: shape(section))
        source.conditions = section.conditions()
        source.address = section.section("address").map { address($0) }
        if source.address != nil, !isAdvertised { section.problem("address", "only of advertisements") }
        source.checksum = section.section("checksum").flatMap { checksum($0) }
        if let fields = section.needed("fields") {
            source.layout = fields.items(problems, most: 256, "fields").compactMap {
                element($0, isAdvertised: isAdvertised)
            }
        }
        section.finish()
        return place == nil ? nil : source
    }

    private func place(_ section: Section) -> ValueSource.Place? {
        if let value = section.value("manufacturer") { return company(value).map { .manufacturer($0.company) } }
        if let value = section.value("serviceData") { return section.uuid(value).map { .serviceData($0) } }
        if section.has("name") { return section.flag("name") == true ? .name : nil }
        return section.section("characteristic").flatMap { characteristic($0) }
    }

    private func characteristic(_ section: Section) -> ValueSource.Place? {
        defer { section.finish() }
        let selector = section.selector()
        let acquisition = Acquisition(
            notifies: section.flag("notify") ?? false,
            readsAtConnect: section.flag("atConnect") ?? false,
            interval: section.duration("everyMs", 1000...86_400_000)
        )
        if acquisition == Acquisition() { section.problem(nil, "needs one of notify, atConnect and everyMs") }
        return selector.map { .characteristic($0, acquisition) }
    }

    private func address(_ section: Section) -> OwnAddress {
        defer { section.finish() }
        let offset = section.needed("offset") == nil ? nil : section.number("offset", 0...512)
        return OwnAddress(offset: offset ?? 0, isReversed: section.flag("reversed") ?? false)
    }

    private func checksum(_ section: Section) -> PlacedChecksum? {
        defer { section.finish() }
        let kind = section.needed("kind") == nil ? nil : section.choice("kind", ChecksumKind.self)
        let order = section.choice("order", ChecksumRule.Order.self) ?? .big
        let from = section.number("from", 0...65_535) ?? 0
        let at = section.number("at", 0...65_535)
        if let at, at < from { section.problem("at", "lies before from") }
        return kind.map {
            PlacedChecksum(ChecksumRule($0, order: order, from: from, sends: false, verifies: true), at: at)
        }
    }

    /// One step of a layout: `skip`, `objects`, or a field.
    private func element(_ value: Value, isAdvertised: Bool) -> LayoutElement? {
        guard let section = Section(value, problems, "a field, which is a section of keys") else { return nil }
        defer { section.finish() }
        let conditions = section.conditions()
        if section.has("skip") {
            return section.number("skip", 1...65_535).map { LayoutElement(.skip($0), when: conditions) }
        }
        if let value = section.value("objects") {
            guard let objects = Section(value, problems) else { return nil }
            return table(objects, isAdvertised: isAdvertised).map { LayoutElement(.objects($0), when: conditions) }
        }
        return field(section, isAdvertised: isAdvertised, isInTable: false).map {
            LayoutElement(.field($0), when: conditions)
        }
    }

    private func table(_ section: Section, isAdvertised: Bool) -> ObjectTable? {
        defer { section.finish() }
        let header = section.needed("header") == nil ? nil : section.choice("header", ObjectTable.Header.self)
        let isOrdered = section.flag("ordered") ?? false
        var objects: [Int: ObjectLayout] = [:]
        let most = header == .idLength ? 0xFFFF : 0xFF
        if let value = section.needed("table"), let table = Section(value, problems) {
            for (key, value) in table.everything() {
                guard let id = Section.integer(key), (0...most).contains(id) else {
                    problems.add(value.line, value.path, "expected an id from 0 to \(most), as 0x02")
                    continue
                }
                if objects[id] != nil { problems.add(value.line, value.path, "the id stands twice") }
                objects[id] = object(value, header: header ?? .id, isAdvertised: isAdvertised)
            }
        }
        return header.map { ObjectTable($0, objects: objects, isOrdered: isOrdered) }
    }

    /// An object: one field, a list of fields, or so many bytes to skip.
    private func object(_ value: Value, header: ObjectTable.Header, isAdvertised: Bool) -> ObjectLayout? {
        var fields: [LayoutField] = []
        var end = 0
        var isOpen = false
        for item in value.oneOrMore(problems, most: 32, "fields") {
            guard let section = Section(item, problems, "a field, which is a section of keys") else { return nil }
            defer { section.finish() }
            if section.has("skip") {
                end += section.number("skip", 1...255) ?? 0
                continue
            }
            guard var field = field(section, isAdvertised: isAdvertised, isInTable: true) else { return nil }
            if !field.isPlaced { field.field.offset = end }
            if let width = field.width { end = max(end, field.field.offset + width) } else { isOpen = true }
            for more in field.plus + (field.event?.details ?? []) { end = max(end, more.end) }
            fields.append(field)
        }
        switch header {
        case .id: return ObjectLayout(fields: fields, length: isOpen ? nil : end, isCounted: isOpen)
        case .idLength: return ObjectLayout(fields: fields, length: isOpen ? nil : end)
        case .packed: return ObjectLayout(fields: fields)
        }
    }
}
