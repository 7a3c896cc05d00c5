/// One device: its address, what it advertises, and what a client finds after connecting.
package struct DeviceModel: Equatable, Sendable {
    package enum AddressType: String, Sendable {
        case `public`
        case random
    }

    /// What BlueZ's property `MTU` says of the link.
    package enum ToldMTU: Equatable, Sendable {
        /// The truth.
        case actual
        /// Nothing: BlueZ before 5.62 has no such property.
        case absent
        /// This number, right or not.
        case number(UInt16)
    }

    /// When services are known.
    package enum ResolveTime: Equatable, Sendable {
        case after(Duration)
        /// Not before somebody says so.
        case never
    }

    /// `AA:BB:CC:DD:EE:FF`, upper case.
    package var address: String
    package var addressType: AddressType
    package var advertisement: AdvertisementModel
    package var services: [ServiceModel]
    /// The largest ATT packet that the device agrees to, 23 to 517.
    package var mtu: UInt16
    package var toldMTU = ToldMTU.actual
    /// From `Connect` to the link.
    package var connectDelay: Duration = .zero
    /// From the link to the resolved services; nil: as the settings say.
    package var resolveTime: ResolveTime?
    /// Whether the daemon knows the device from its start, as one that was used before.
    package var isKnown = false
    /// How it pairs; nil: not at all.
    package var pairing: PairingModel?
    /// Whether it is paired and bonded from the start, where it is known.
    package var isPaired = false
    /// Whether the device takes a link at all; false: it advertises but never answers.
    package var acceptsLinks = true

    package init(
        address: String,
        addressType: AddressType = .random,
        advertisement: AdvertisementModel,
        services: [ServiceModel] = [],
        mtu: UInt16 = 185
    ) {
        self.address = address
        self.addressType = addressType
        self.advertisement = advertisement
        self.services = services
        self.mtu = mtu
    }
}

/// One service of a device.
package struct ServiceModel: Equatable, Sendable {
    package var uuid: String
    package var isPrimary = true
    /// The UUIDs of the device's services that this one includes.
    package var includes: [String] = []
    package var characteristics: [CharacteristicModel]

    package init(_ uuid: String, _ characteristics: [CharacteristicModel]) {
        self.uuid = LongUUID.text(uuid)
        self.characteristics = characteristics
    }

    /// Whether bluetoothd keeps the service for itself (GAP and the HID service among them).
    var isHeldByDaemon: Bool { LongUUID.heldByDaemon.contains(uuid) }
}

/// UUIDs as BlueZ writes them: 128 bits, lower case.
package enum LongUUID {
    static let clientConfiguration = text("2902")
    static let heldByDaemon: Set<String> = [text("1800"), text("1812"), text("1813")]

    /// Makes a 16- or 32-bit UUID long; a long one is only lower-cased.
    package static func text(_ uuid: String) -> String {
        let lower = uuid.lowercased()
        guard lower.utf8.count <= 8 else { return lower }
        return String(repeating: "0", count: 8 - lower.utf8.count) + lower + "-0000-1000-8000-00805f9b34fb"
    }

    /// A UUID as it is on the air: the shortest form, little-endian.
    static func air(_ uuid: String) -> [UInt8] {
        let long = text(uuid)
        let isShort = long.hasSuffix("-0000-1000-8000-00805f9b34fb")
        var digits = Array((isShort ? String(long.prefix(8)) : long).utf8.filter { $0 != 0x2D })
        if isShort, digits.prefix(4).allSatisfy({ $0 == 0x30 }) { digits.removeFirst(4) }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
        return bytes.reversed()
    }
}
