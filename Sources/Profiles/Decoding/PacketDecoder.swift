internal import Frames

/// Something that was read in a sequence of objects.
///
/// A class: fields are large to copy.
private final class FoundObject {
    let field: LayoutField
    let value: ParsedValue
    let bytes: [UInt8]

    init(_ field: LayoutField, _ value: ParsedValue, _ bytes: [UInt8]) {
        self.field = field
        self.value = value
        self.bytes = bytes
    }
}

/// Reads one packet by the layout of its source.
struct PacketDecoder {
    let profile: Profile
    private(set) var values: [DecodedValue] = []
    private(set) var events: [DecodedEvent] = []
    private(set) var warnings: [String] = []
    /// Values that mean nothing without another one.
    private var needs: [(name: String, other: String)] = []

    /// Why a packet is none.
    private enum Flaw: Error { case cut, required }

    init(_ profile: Profile) { self.profile = profile }

    /// Whether the bytes are such as the source has.
    static func isFor(_ source: ValueSource, _ bytes: [UInt8]) -> Bool {
        source.shape.fits(bytes) && source.conditions.allSatisfy { $0.holds(for: bytes) }
    }

    /// Reads a packet that is for the source; false when it is cut or lacks what it needs, and then nothing is read.
    mutating func read(_ bytes: [UInt8], of source: ValueSource) -> Bool {
        if let checksum = source.checksum, !checksum.holds(for: bytes) { return false }
        do throws(Flaw) {
            try walk(bytes, source.layout)
        } catch {
            self = PacketDecoder(profile)
            return false
        }
        for need in needs where values.first(where: { $0.name == need.other })?.value ?? .null == .null {
            for place in values.indices where values[place].name == need.name { values[place].value = .null }
        }
        return true
    }

    /// A value that is a whole number and not negative.
    func number(named name: String) -> UInt64? {
        guard case .number(let number)? = values.first(where: { $0.name == name })?.value else { return nil }
        return number.whole.flatMap { UInt64(exactly: $0) }
    }

    private mutating func walk(_ bytes: [UInt8], _ layout: [LayoutElement]) throws(Flaw) {
        var place = 0
        for element in layout where element.conditions.allSatisfy({ $0.holds(for: bytes) }) {
            switch element.kind {
            case .skip(let count):
                place += count
                guard place <= bytes.count else { throw .cut }
            case .field(let field):
                if field.isRepeatable {
                    place = try series(field, bytes, from: place)
                } else {
                    let start = field.isPlaced ? field.field.offset : place
                    add(field, try value(field, bytes, at: start), named: field.field.name, bytes)
                    if !field.isPlaced { place = field.width.map { place + $0 } ?? bytes.count }
                }
            case .objects(let table):
                try objects(Array(bytes[place...]), table)
                place = bytes.count
            }
        }
    }

    private func value(_ field: LayoutField, _ bytes: [UInt8], at place: Int) throws(Flaw) -> ParsedValue {
        let value: ParsedValue
        do throws(PacketIsCut) { value = try field.read(bytes, at: place) } catch { throw .cut }
        guard !field.isRequired || value != .null else { throw .required }
        return value
    }

    /// Values of one field up to the end, of which the last one counts.
    private mutating func series(_ field: LayoutField, _ bytes: [UInt8], from start: Int) throws(Flaw) -> Int {
        guard let width = field.width, width > 0 else { return start }
        guard (bytes.count - start).isMultiple(of: width) else { throw .cut }
        let last = bytes.count - width
        if last >= start { add(field, try value(field, bytes, at: last), named: field.field.name, bytes) }
        return bytes.count
    }

    private mutating func add(_ field: LayoutField, _ value: ParsedValue, named name: String, _ bytes: [UInt8]) {
        if let event = field.event {
            return add(event, of: field, value, index: 1, bytes)
        }
        guard !values.contains(where: { $0.name == name }) else { return }
        let place = profile.place(ofValue: field.field.name)
        values.append(
            DecodedValue(
                name,
                value,
                unit: field.field.unit ?? place.flatMap { profile.values[$0].unit },
                isState: place.map { profile.values[$0].isState } ?? true
            )
        )
        if let other = field.needs { needs.append((name, other)) }
    }

    private mutating func add(
        _ event: EventRole,
        of field: LayoutField,
        _ value: ParsedValue,
        index: Int,
        _ bytes: [UInt8]
    ) {
        guard case .text(let type) = value else { return }
        let details = event.details.compactMap { detail in
            // A detail that is not there leaves the event as it is.
            (try? detail.read(bytes)).map { DecodedValue(detail.name, $0, unit: detail.unit, isState: false) }
        }
        events.append(DecodedEvent(field.field.name, index: index, type: type, details: details))
    }

    /// Reads objects up to the end or to the first that is not known.
    private mutating func objects(_ bytes: [UInt8], _ table: ObjectTable) throws(Flaw) {
        var walker = ObjectWalker(bytes, table)
        var found: [FoundObject] = []
        while let object = walker.next() {
            for field in object.layout.fields {
                guard let read = object.adapted(field) else { continue }
                found.append(FoundObject(read, try value(read, object.bytes, at: read.field.offset), object.bytes))
            }
        }
        if walker.isCut { throw .cut }
        warnings += walker.warnings
        // A packet has few objects: a table of their names would cost more than to look through them.
        for place in found.indices {
            let entry = found[place]
            let name = entry.field.field.name
            let before = found[..<place].count { $0.field.field.name == name }
            if let event = entry.field.event {
                add(event, of: entry.field, entry.value, index: before + 1, entry.bytes)
                continue
            }
            let isOneOfSeveral =
                (before > 0 || found[(place + 1)...].contains { $0.field.field.name == name })
                && profile.value(named: name)?.isRepeatable == true
            add(entry.field, entry.value, named: isOneOfSeveral ? "\(name)_\(before + 1)" : name, entry.bytes)
        }
    }
}
