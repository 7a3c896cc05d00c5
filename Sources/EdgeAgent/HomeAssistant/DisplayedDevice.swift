package import BleCore

/// A device as it is to be shown to people, whatever server shows it.
package struct DisplayedDevice: Sendable, Equatable {
    package var address: DeviceAddress
    /// For people.
    package var name: String
    package var manufacturer: String?
    package var model: String?
    /// A beacon that several gateways hear: its identity is its address alone.
    package var isShared: Bool
    package var values: [DisplayedValue]

    package init(
        address: DeviceAddress,
        name: String,
        manufacturer: String? = nil,
        model: String? = nil,
        isShared: Bool = false,
        values: [DisplayedValue] = []
    ) {
        self.address = address
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.isShared = isShared
        self.values = values
    }
}

/// One value or command of a device as it is to be shown.
package struct DisplayedValue: Sendable, Equatable {
    /// The kinds, with what each has of its own.
    package enum Kind: Sendable, Equatable {
        /// A number or a text.
        case sensor
        /// One of a few words.
        case choice([String])
        /// A truth value.
        case binarySensor
        /// Something that happens, such as `press` and `hold`.
        case event([String])
        case `switch`
        case number(ClosedRange<Double>, step: Double?)
        case select([String])
        case button
        case text(maximumLength: Int)
        /// A truth value, and another value that tells how bright it is.
        case light(brightness: Brightness?)
    }

    /// The brightness of a light.
    package struct Brightness: Sendable, Equatable {
        /// The value's name in `state`.
        package var value: String
        /// The name under `set`.
        package var command: String
        package var scale: Int

        package init(value: String, command: String, scale: Int) {
            self.value = value
            self.command = command
            self.scale = scale
        }
    }

    /// The name in `state` and in events, `[a-z0-9][a-z0-9_-]{0,63}`.
    package var name: String
    package var kind: Kind
    /// For people; nil: as its class is called.
    package var title: String?
    /// The name under `set` that operates it; nil: the value's own.
    package var command: String?
    package var deviceClass: String?
    package var stateClass: HomeStateClass?
    package var unit: String?
    package var category: HomeCategory?
    package var icon: String?
    package var precision: Int?
    package var expireAfter: Int?
    package var isEnabled = true

    package init(_ name: String, _ kind: Kind, title: String? = nil) {
        self.name = name
        self.kind = kind
        self.title = title
    }
}
