package import BleCore

/// A device as the list of known ones shows it.
package struct KnownDevice: Sendable, Equatable {
    package var device: DeviceTarget
    package var addressType: Advertisement.AddressType
    /// The address now on the air, when an identity key gave the device's own.
    package var via: DeviceAddress?
    /// The advertised name; nil when BlueZ shows the address for want of one.
    package var name: String?
    package var link: LinkMessage.State
    package var isPaired: Bool
    package var isBonded: Bool
    package var isTrusted: Bool
    /// dBm.
    package var rssi: Int?
    /// When it was heard last, in milliseconds since 1970-01-01 UTC.
    package var lastHeardMs: Int64?

    /// About how many bytes one has.
    static let estimatedBytes = 256

    package init(
        device: DeviceTarget,
        addressType: Advertisement.AddressType,
        via: DeviceAddress? = nil,
        name: String? = nil,
        link: LinkMessage.State = .disconnected,
        isPaired: Bool = false,
        isBonded: Bool = false,
        isTrusted: Bool = false,
        rssi: Int? = nil,
        lastHeardMs: Int64? = nil
    ) {
        self.device = device
        self.addressType = addressType
        self.via = via
        self.name = name
        self.link = link
        self.isPaired = isPaired
        self.isBonded = isBonded
        self.isTrusted = isTrusted
        self.rssi = rssi
        self.lastHeardMs = lastHeardMs
    }

    /// Writes the device as one object.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("dev", device.name.description)
        writer.field("address", device.address.hex)
        writer.field("addressType", addressType.rawValue)
        if let via { writer.field("via", via.hex) }
        writer.field(orNull: "name", name)
        if case .alias(let alias) = device.name {
            writer.field("alias", alias)
        } else {
            writer.key("alias")
            writer.null()
        }
        writer.field("link", link.rawValue)
        writer.field("paired", isPaired)
        writer.field("bonded", isBonded)
        writer.field("trusted", isTrusted)
        writer.field(orNull: "rssi", rssi)
        writer.key("last")
        if let lastHeardMs { writer.time(lastHeardMs) } else { writer.null() }
        writer.endObject()
    }
}
