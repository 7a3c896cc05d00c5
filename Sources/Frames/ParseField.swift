/// One value that is read from an answer.
package struct ParseField: Sendable, Equatable {
    /// What is said of one value in particular.
    package struct MapEntry: Sendable, Equatable {
        /// The value as the device sends it, before it is scaled.
        package var raw: ParsedValue
        package var meaning: ParsedValue

        package init(raw: ParsedValue, meaning: ParsedValue) {
            self.raw = raw
            self.meaning = meaning
        }
    }

    /// Some bits of an unsigned number.
    package struct Bits: Sendable, Hashable {
        /// The lowest one; 0 is the lowest of the number.
        package var from: Int
        package var count: Int

        package init(from: Int, count: Int = 1) {
            self.from = from
            self.count = count
        }
    }

    package var name: String
    /// Its first byte in the answer.
    package var offset: Int
    package var type: ParseType
    /// The bytes of a text, of hexadecimal digits or of BCD; nil when they go on to the answer's end.
    package var length: Int?
    package var bits: Bits?
    package var scale: DecimalNumber?
    package var add: DecimalNumber?
    package var unit: String?
    package var map: [MapEntry]
    /// The values, before they are scaled, that mean that there is none.
    package var none: [ParsedValue]

    package init(
        _ name: String,
        offset: Int = 0,
        type: ParseType,
        length: Int? = nil,
        bits: Bits? = nil,
        scale: DecimalNumber? = nil,
        add: DecimalNumber? = nil,
        unit: String? = nil,
        map: [MapEntry] = [],
        none: [ParsedValue] = []
    ) {
        self.name = name
        self.offset = offset
        self.type = type
        self.length = length
        self.bits = bits
        self.scale = scale
        self.add = add
        self.unit = unit
        self.map = map
        self.none = none
    }

    /// The place behind the bytes that the answer needs to have for this value.
    package var end: Int { offset + (type.width ?? length ?? (type == .bcd ? 1 : 0)) }
}

/// A value that was read from an answer.
package enum ParsedValue: Sendable, Hashable {
    /// The device says that there is none.
    case null
    case bool(Bool)
    case number(DecimalNumber)
    case text(String)
}

/// How a value is laid out in bytes.
package enum ParseType: String, Sendable, CaseIterable {
    case u8, i8
    case u16le, u16be, i16le, i16be
    case u24le, u24be
    case u32le, u32be, i32le, i32be
    case u64le, u64be
    case f32le, f32be, f64le, f64be
    /// The short and the long decimal number of IEEE 11073-20601.
    case sfloat, float
    /// Two decimal digits a byte, the highest first.
    case bcd
    case bool
    case utf8, hex

    /// How many bytes a value has; nil where the field says it.
    package var width: Int? {
        switch self {
        case .sfloat: 2
        case .float, .f32le, .f32be: 4
        case .f64le, .f64be: 8
        case .bool: 1
        case .bcd, .utf8, .hex: nil
        case .u8, .i8, .u16le, .u16be, .i16le, .i16be, .u24le, .u24be, .u32le, .u32be, .i32le, .i32be, .u64le, .u64be:
            integer?.width
        }
    }

    /// The layout of a whole number; nil for other types.
    package var integer: IntegerFormat? {
        switch self {
        case .u8: IntegerFormat(width: 1)
        case .i8: IntegerFormat(width: 1, isSigned: true)
        case .u16le: IntegerFormat(width: 2)
        case .u16be: IntegerFormat(width: 2, isBigEndian: true)
        case .i16le: IntegerFormat(width: 2, isSigned: true)
        case .i16be: IntegerFormat(width: 2, isBigEndian: true, isSigned: true)
        case .u24le: IntegerFormat(width: 3)
        case .u24be: IntegerFormat(width: 3, isBigEndian: true)
        case .u32le: IntegerFormat(width: 4)
        case .u32be: IntegerFormat(width: 4, isBigEndian: true)
        case .i32le: IntegerFormat(width: 4, isSigned: true)
        case .i32be: IntegerFormat(width: 4, isBigEndian: true, isSigned: true)
        case .u64le: IntegerFormat(width: 8)
        case .u64be: IntegerFormat(width: 8, isBigEndian: true)
        case .f32le, .f32be, .f64le, .f64be, .sfloat, .float, .bcd, .bool, .utf8, .hex: nil
        }
    }

    /// What a value of the type is in JSON.
    package enum Nature { case number, bool, text }

    package var nature: Nature {
        switch self {
        case .bool: .bool
        case .utf8, .hex: .text
        default: .number
        }
    }
}
