package import BleCore

/// The devices of a rule.
package enum PolicyDevices: Sendable, Equatable {
    /// The gateway itself: commands on a topic without a device.
    case gateway
    case address(DeviceAddress)
    /// An alias, or a mask for aliases and addresses.
    case named(NameMask)

    /// Reads `gateway`, an address in either form, an alias, or one of the latter two with `*`.
    package init?(_ text: String) {
        if text == "gateway" {
            self = .gateway
        } else if let address = ConfigurationPattern.address(text).flatMap({ DeviceAddress($0) }) {
            self = .address(address)
        } else {
            guard let mask = NameMask(text, accepts: NamePattern.isItemName) else { return nil }
            guard !mask.isExact || NamePattern.isAlias(text) else { return nil }
            self = .named(mask)
        }
    }

    /// The alias that the rule relies on; nil for an address, a mask and the gateway.
    package var alias: String? {
        if case .named(let mask) = self, mask.isExact { mask.text } else { nil }
    }

    /// The word that is read again as the same.
    package var text: String {
        switch self {
        case .gateway: "gateway"
        case .address(let address): address.hex
        case .named(let mask): mask.text
        }
    }

    func contain(_ device: DeviceTarget?) -> Bool {
        switch self {
        case .gateway: return device == nil
        case .address(let address): return device?.address == address
        case .named(let mask):
            guard let device else { return false }
            return mask.matches(device.name.description) || (!mask.isExact && mask.matches(device.address.hex))
        }
    }
}
