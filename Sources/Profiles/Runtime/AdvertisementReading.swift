package import Frames

/// What an advertisement told.
package struct AdvertisementReading: Sendable, Equatable {
    /// The profiles that have read something of it, or that refused it.
    package var profiles: [String]
    /// In the order of the bytes, each name once.
    package var values: [DecodedValue]
    /// What has happened; empty for a packet that was heard before.
    package var events: [DecodedEvent]
    /// What is odd and was read all the same; for people.
    package var warnings: [String]
    /// Why nothing, or not all, was read; nil when all was.
    package var refusal: PacketRefusal?

    package init() {
        profiles = []
        values = []
        events = []
        warnings = []
    }

    /// Whether it tells nothing at all.
    package var isEmpty: Bool { values.isEmpty && events.isEmpty && warnings.isEmpty && refusal == nil }
}

/// A value that was read.
package struct DecodedValue: Sendable, Equatable {
    package var name: String
    /// Null when the device says that there is none, or an impossible one.
    package var value: ParsedValue
    package var unit: String?
    /// Whether it belongs into the device's state.
    package var isState: Bool

    package init(_ name: String, _ value: ParsedValue, unit: String? = nil, isState: Bool = true) {
        self.name = name
        self.value = value
        self.unit = unit
        self.isState = isState
    }
}

/// Something that has happened.
package struct DecodedEvent: Sendable, Equatable {
    /// `button` and the like.
    package var name: String
    /// Which of several, from 1.
    package var index: Int
    /// `press` and the like.
    package var type: String
    /// Numbers that go with it, by name: the steps of a dimmer.
    package var details: [DecodedValue]

    package init(_ name: String, index: Int = 1, type: String, details: [DecodedValue] = []) {
        self.name = name
        self.index = index
        self.type = type
        self.details = details
    }
}

/// Why a packet was not read.
package enum PacketRefusal: String, Sendable, CaseIterable {
    /// It is encrypted, and there is no key of the device.
    case noKey = "no-key"
    /// What was decrypted does not have the signature: another key, or a forgery.
    case notAuthentic = "not-authentic"
    /// There is a key of the device, and the packet is in clear.
    case notEncrypted = "not-encrypted"
    /// Its counter is one that was there before.
    case replayed
    /// A version or form that is not known.
    case unsupported
    /// It ends too early, or is otherwise none.
    case malformed
}
