package import BleCore
package import Frames

/// Where values come from, and how its bytes are laid out.
package struct ValueSource: Sendable, Equatable {
    /// What has the bytes.
    package enum Place: Sendable, Equatable {
        /// A characteristic, over a link.
        case characteristic(AttributeSelector, Acquisition)
        /// The payload of a company in advertisements; nil: of the only one, behind its id.
        case manufacturer(UInt16?)
        /// The data of a service in advertisements.
        case serviceData(BluetoothUUID)
        /// The advertised name, in UTF-8.
        case name
    }

    package var place: Place
    /// What the bytes have to look like; others are not for this source.
    package var shape: PayloadShape
    /// What else has to hold.
    package var conditions: [ByteCondition]
    /// Where the device's own address has to stand, so that nobody else's packet is taken for its.
    package var address: OwnAddress?
    /// What ends the bytes, or what of them, and has to be right.
    package var checksum: PlacedChecksum?
    package var layout: [LayoutElement]

    package init(_ place: Place, shape: PayloadShape = PayloadShape(), layout: [LayoutElement] = []) {
        self.place = place
        self.shape = shape
        self.layout = layout
        conditions = []
    }

    /// Whether the bytes tell a value of this name.
    package func yields(_ name: String) -> Bool {
        layout.contains { element in
            switch element.kind {
            case .skip: false
            case .field(let field): field.field.name == name
            case .objects(let table): table.objects.values.contains { $0.fields.contains { $0.field.name == name } }
            }
        }
    }

    /// Whether advertisements have the bytes.
    package var isAdvertised: Bool {
        if case .characteristic = place { false } else { true }
    }
}

/// How the values of a characteristic are got.
package struct Acquisition: Sendable, Hashable {
    /// Whether it notifies or indicates.
    package var notifies: Bool
    /// Whether it is read once a link stands.
    package var readsAtConnect: Bool
    /// How often it is read; nil when it is not.
    package var interval: Duration?

    package init(notifies: Bool = false, readsAtConnect: Bool = false, interval: Duration? = nil) {
        self.notifies = notifies
        self.readsAtConnect = readsAtConnect
        self.interval = interval
    }
}

/// What has to hold for an element to be there, or for a packet to be the source's.
package enum ByteCondition: Sendable, Equatable {
    /// A number in the bytes, an unsigned integer or some bits of one, has one of these values.
    case number(ParseField, allowed: [ClosedRange<UInt64>])
    /// The packet has so many bytes.
    case bytes([ClosedRange<Int>])
}

/// Where the address of the device stands in its bytes.
package struct OwnAddress: Sendable, Hashable {
    package var offset: Int
    /// Whether its last octet comes first.
    package var isReversed: Bool

    package init(offset: Int, isReversed: Bool = false) {
        self.offset = offset
        self.isReversed = isReversed
    }
}

/// A checksum somewhere in the bytes.
package struct PlacedChecksum: Sendable, Hashable {
    package var rule: ChecksumRule
    /// Its first byte; nil at the end.
    package var at: Int?

    package init(_ rule: ChecksumRule, at: Int? = nil) {
        self.rule = rule
        self.at = at
    }

    /// Whether bytes have it.
    package func holds(for bytes: [UInt8]) -> Bool {
        let place = at ?? bytes.count - rule.kind.width
        guard place >= rule.from, place <= bytes.count - rule.kind.width else { return false }
        return bytes[place..<place + rule.kind.width].elementsEqual(rule.bytes(of: bytes[..<place]))
    }
}
