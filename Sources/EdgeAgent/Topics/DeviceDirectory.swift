package import BleCore

/// The aliases of the configuration, in both directions.
package struct DeviceDirectory: Sendable, Equatable {
    private let addresses: [String: DeviceAddress]
    private let aliases: [DeviceAddress: String]

    /// Makes a directory of aliases that have been checked.
    ///
    /// - Parameter addresses: Addresses by alias. What is no possible alias is left out; of two aliases of one address
    ///   the first in order of the alphabet is the published one.
    package init(_ addresses: [String: DeviceAddress] = [:]) {
        self.addresses = addresses.filter { NamePattern.isAlias($0.key) }
        var aliases: [DeviceAddress: String] = [:]
        for (alias, address) in self.addresses.sorted(by: { $0.key < $1.key }) where aliases[address] == nil {
            aliases[address] = alias
        }
        self.aliases = aliases
    }

    /// The address that a name stands for; `nil` for an alias that is not configured.
    package func address(of name: DeviceName) -> DeviceAddress? {
        switch name {
        case .address(let address): address
        case .alias(let alias): addresses[alias]
        }
    }

    /// The devices that have an alias.
    package var devices: [DeviceAddress] { aliases.keys.sorted() }

    package func alias(of address: DeviceAddress) -> String? { aliases[address] }

    /// The name that a device has in published topics and bodies.
    package func name(of address: DeviceAddress) -> DeviceName {
        aliases[address].map { .alias($0) } ?? .address(address)
    }
}
