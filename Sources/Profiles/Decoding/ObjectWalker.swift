internal import Frames

/// Goes from object to object.
struct ObjectWalker {
    /// One object that is in the table.
    struct Object {
        var layout: ObjectLayout
        var bytes: [UInt8]
        /// What kind its own header says that it is; nil where headers do not.
        var kind: PackedKind?

        /// A field as the object's header wants it read; nil for a number in a form that no type has.
        func adapted(_ field: consuming LayoutField) -> LayoutField? {
            guard let kind else { return field }
            return field.adapted(to: kind, bytes: bytes.count)
        }
    }

    /// What a packed header says of its object.
    enum PackedKind: UInt8 { case unsigned, signed, float, text, address }

    /// Whether the bytes ended within an object.
    private(set) var isCut = false
    private(set) var warnings: [String] = []
    private let bytes: [UInt8]
    private let table: ObjectTable
    private var place = 0
    private var lastID = -1
    private var isOver = false

    init(_ bytes: [UInt8], _ table: ObjectTable) {
        self.bytes = bytes
        self.table = table
    }

    /// The next object that the table knows; nil at the end.
    mutating func next() -> Object? {
        while place < bytes.count, !isOver {
            switch table.header {
            case .id:
                let id = Int(bytes[place])
                guard let layout = table.objects[id] else {
                    // How long it is nobody knows: nothing behind it may be guessed.
                    warnings.append("the object 0x\(Hex.text([bytes[place]])) is not known, and ends the reading")
                    isOver = true
                    return nil
                }
                note(id)
                place += 1
                guard let content = content(of: layout) else { return nil }
                return Object(layout: layout, bytes: content)
            case .idLength:
                guard let header = taken(3) else { return nil }
                guard let content = taken(Int(header[2])) else { return nil }
                let id = Int(header[0]) | Int(header[1]) << 8
                guard let layout = table.objects[id] else { continue }
                guard layout.length.map({ $0 == content.count }) ?? true else {
                    isCut = true
                    return nil
                }
                return Object(layout: layout, bytes: content)
            case .packed:
                guard let header = taken(1), let content = taken(Int(header[0] & 0x1F)), let id = content.first
                else {
                    isCut = true
                    return nil
                }
                guard let layout = table.objects[Int(id)], let kind = PackedKind(rawValue: header[0] >> 5) else {
                    continue
                }
                return Object(layout: layout, bytes: Array(content.dropFirst()), kind: kind)
            }
        }
        return nil
    }

    private mutating func note(_ id: Int) {
        if table.isOrdered, id < lastID, warnings.isEmpty { warnings.append("object ids out of numerical order") }
        lastID = id
    }

    /// The bytes of an object whose id has been passed.
    private mutating func content(of layout: ObjectLayout) -> [UInt8]? {
        if layout.isCounted {
            guard let count = taken(1)?.first else { return nil }
            return taken(Int(count))
        }
        return taken(layout.length ?? 0)
    }

    private mutating func taken(_ count: Int) -> [UInt8]? {
        guard count <= bytes.count - place else {
            isCut = true
            isOver = true
            return nil
        }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }
}

extension LayoutField {
    /// The field for an object that says itself whether its number is signed and how long it is.
    fileprivate func adapted(to kind: ObjectWalker.PackedKind, bytes: Int) -> LayoutField? {
        var result = self
        guard field.type.nature == .number else { return result }
        let type: ParseType? =
            switch (kind, bytes) {
            case (.unsigned, 1): .u8
            case (.unsigned, 2): .u16le
            case (.unsigned, 3): .u24le
            case (.unsigned, 4): .u32le
            case (.signed, 1): .i8
            case (.signed, 2): .i16le
            case (.signed, 4): .i32le
            case (.float, 4): .f32le
            case (.float, 8): .f64le
            default: nil
            }
        guard let type else { return nil }
        result.field.type = type
        return result
    }
}
