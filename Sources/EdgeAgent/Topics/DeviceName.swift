package import BleCore

/// How a device is named in a topic: by its address or by its alias.
package enum DeviceName: Hashable, Sendable {
    /// Twelve lower-case hexadecimal digits.
    case address(DeviceAddress)
    /// `[a-z][a-z0-9_-]{0,63}`, not twelve hexadecimal digits.
    case alias(String)

    /// Reads a level of a topic.
    ///
    /// - Returns: `nil` when it is neither an address nor a possible alias.
    package init?(_ text: String) {
        if NamePattern.isAddress(text) {
            guard let address = DeviceAddress(text) else { return nil }
            self = .address(address)
        } else {
            guard NamePattern.isAlias(text) else { return nil }
            self = .alias(text)
        }
    }
}

extension DeviceName: CustomStringConvertible {
    /// The level of a topic.
    package var description: String {
        switch self {
        case .address(let address): address.hex
        case .alias(let alias): alias
        }
    }
}
