package import Frames

/// One step through the bytes of a packet.
///
/// Elements without an offset of their own stand one behind the other; one whose conditions do not hold takes no bytes.
package struct LayoutElement: Sendable, Equatable {
    // Indirect: what an element holds is large to copy.
    package indirect enum Kind: Sendable, Equatable {
        /// So many bytes are passed over.
        case skip(Int)
        case field(LayoutField)
        /// The rest is a sequence of objects.
        case objects(ObjectTable)
    }

    package var kind: Kind
    /// What has to hold in the packet, by places from its beginning.
    package var conditions: [ByteCondition]

    package init(_ kind: Kind, when conditions: [ByteCondition] = []) {
        self.kind = kind
        self.conditions = conditions
    }
}

/// A value and how it is laid out.
///
/// The number as it stands goes through: `none` → `map` → `sign` (magnitude) → `divide` → `modulo` → `scale` → `plus`
/// → `sign` (minus) → `add` → `curve` → range. What does not get through is null.
package struct LayoutField: Sendable, Equatable {
    /// Name, type, length, bits and what is done to a number; its offset counts only where `isPlaced`.
    package var field: ParseField
    /// Whether it stands at its offset from the beginning; else behind the element before it.
    package var isPlaced: Bool
    /// The bit that makes the number negative; the others are its magnitude.
    package var signBit: Int?
    /// The number is divided by it, and what is left over is dropped.
    package var divisor: UInt64?
    /// What is left over of a division by it is the value.
    package var modulus: UInt64?
    /// Numbers that are added once they and this one are scaled; placed from the beginning.
    package var plus: [ParseField]
    package var curve: ValueCurve?
    package var format: ValueFormat?
    package var minimum: DecimalNumber?
    package var maximum: DecimalNumber?
    /// A value without which this one means nothing: null where that one is.
    package var needs: String?
    /// Without it the whole packet is none.
    package var isRequired: Bool
    /// What one means by the value when it is no state but something that happens.
    package var event: EventRole?
    /// A number that goes with the event.
    package var isRepeatable: Bool

    package init(_ field: ParseField, isPlaced: Bool = false) {
        self.field = field
        self.isPlaced = isPlaced
        plus = []
        isRequired = false
        isRepeatable = false
    }
}

/// What a field is to an event.
package struct EventRole: Sendable, Equatable {
    /// More numbers of the event by name, placed from the first byte of the field: `steps`.
    package var details: [ParseField]

    package init(details: [ParseField] = []) { self.details = details }
}

/// How a number becomes another one that is no multiple of it.
package enum ValueCurve: Sendable, Equatable {
    /// `(top + 1)^(n / steps) - 1`, to two digits.
    case exponential(top: Int, steps: Int)
}

/// How a number or bytes are written as text.
package enum ValueFormat: String, Sendable, CaseIterable {
    /// 16 bytes as a UUID, the first byte first.
    case uuid
    /// 6 bytes as `AA:BB:CC:DD:EE:FF`, in order or from the last to the first.
    case address
    case addressReversed = "address-reversed"
    /// Seconds since 1970 as RFC 3339 in UTC.
    case time
    /// 7 bytes of the GATT type Date Time as RFC 3339 without zone.
    case datetime
    /// A URL in Eddystone's compression.
    case eddystoneURL = "eddystone-url"
}
